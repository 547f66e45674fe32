import type { Shell, ShellWord } from './shellTree.ts';

/** What is known about the machine the line will run on. */
export interface Machine {
  /** Base name of the login shell. */
  readonly shell: Shell;
  /** `uname -s`; only there GNU and Linux tools are what their names say. */
  readonly isLinux: boolean;
  /** Every folder in which a part of the line may run: where it starts, and where a `cd` before may have led. */
  readonly folders: readonly Folder[];
  /** Whether the program at hand reads nothing, or one empty line, from its standard input. */
  readonly hasEmptyInput?: boolean;
}

/** An absolute path, or `~` and what is below it for the login folder. */
export type Folder = string;

/**
 * Knowledge about one program: `undefined` when these arguments are proven to change nothing, otherwise why not, as one sentence.
 * Reasons for each refused option stand beside the rule.
 */
export interface ProgramRule {
  readonly names: readonly string[];
  /** Whether the rule describes the GNU or Linux program only, or what every POSIX system has. */
  readonly system: 'posix' | 'linux';
  readonly check: (args: readonly ShellWord[], machine: Machine) => string | undefined;
  /** Whether `check` knows what to make of open words; other programs are given none. */
  readonly takesOpenWords?: boolean;
}

/** `-` or long options of one program. Everything that is not listed is not proven. */
export interface OptionTable {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of short options that take a value, attached or as the next word. */
  readonly valued?: string;
  /** Letters of short options whose value, if any, is attached. */
  readonly optional?: string;
  /** Long options without a value, or with a value behind `=`. */
  readonly long?: readonly string[];
  /** Long options with a value, behind `=` or as the next word. */
  readonly longValued?: readonly string[];
  /** Why an option is not proven: `-o` or `--output` to a sentence. */
  readonly refused?: Readonly<Record<string, string>>;
  /**
   * No option acts, so that patterns may stand anywhere (`anyPattern`); no word of it acts or is opened either, so that open words may
   * stand anywhere (`anyText`).
   */
  readonly words?: 'anyPattern' | 'anyText';
  /** `-20` and the like are harmless. */
  readonly numeric?: boolean;
}

export interface ReadOptions {
  readonly operands: readonly ShellWord[];
  /** Names of the options that were given, without values. */
  readonly given: ReadonlySet<string>;
  /** Every option that takes a value, in order, with its value. */
  readonly values: readonly OptionValue[];
  /**
   * Options, and values in words of their own, that stand behind the first operand. Programs that end their options there, as all do
   * where POSIXLY_CORRECT is set, take these words for operands.
   */
  readonly behindOperands: readonly ShellWord[];
}

export interface OptionValue {
  readonly name: string;
  readonly value: ShellWord;
}

/**
 * Reads the words of a program that follows the POSIX and GNU conventions: options may stand behind operands, `--` ends them,
 * short ones cluster. A pattern that could expand to an option is refused. Long options must be written out: an abbreviation is
 * not in the table and so not proven. Returns the operands, or why an option is not proven.
 */
export function readOptions(args: readonly ShellWord[], table: OptionTable): ReadOptions | string {
  const operands: ShellWord[] = [];
  const given = new Set<string>();
  const values: OptionValue[] = [];
  const behindOperands: ShellWord[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i];
    if (word === undefined) break;
    if (word.hasPattern && couldBeOption(word) && table.words !== undefined && word.literalPrefix === '') {
      operands.push(word);
      continue;
    }
    if (word.hasPattern && couldBeOption(word)) return `${word.text} may expand to an option.`;
    if (word.text === '--') {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (!word.text.startsWith('-') || word.text === '-') {
      operands.push(word);
      continue;
    }
    if (word.hasPattern) return `${word.text} is a pattern where an option stands.`;
    if (operands.length > 0) behindOperands.push(word);
    const read = word.text.startsWith('--') ? readLong(word.text, table) : readShort(word.text, table);
    if (typeof read === 'string') return read;
    for (const name of read.names) given.add(name);
    const name = read.names.at(-1) ?? '';
    if (read.attached !== undefined) values.push({ name, value: literalWord(read.attached) });
    if (!read.needsValue) continue;
    const value = args[i + 1];
    if (value === undefined) return `${word.text} lacks its value.`;
    if (value.hasPattern && table.words === undefined) return `The value of ${word.text} is a pattern.`;
    // Some programs take the value of such an option only when it stands in the same word, and read this as an option.
    if (/^-[^0-9]/.test(value.text)) return `The value of ${word.text} looks like an option.`;
    values.push({ name, value });
    if (operands.length > 0) behindOperands.push(value);
    i += 1;
  }
  return { operands, given, values, behindOperands };
}

interface OptionRead {
  readonly names: readonly string[];
  readonly needsValue: boolean;
  /** The value that stands in the same word. */
  readonly attached?: string;
}

function literalWord(text: string): ShellWord {
  return { text, hasPattern: false, literalPrefix: text, isQuoted: false, isOpen: false };
}

function readLong(text: string, table: OptionTable): OptionRead | string {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const bare = name.slice(2);
  if (table.longValued?.includes(bare) === true)
    return equals < 0
      ? { names: [name], needsValue: true }
      : { names: [name], needsValue: false, attached: text.slice(equals + 1) };
  if (table.long?.includes(bare) === true) return { names: [name], needsValue: false };
  return table.refused?.[name] ?? `The option ${name} is not known to be harmless.`;
}

function readShort(text: string, table: OptionTable): OptionRead | string {
  if (table.numeric === true && /^-\d+$/.test(text)) return { names: [], needsValue: false };
  const names: string[] = [];
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    names.push(`-${letter}`);
    if (table.flags?.includes(letter) === true) continue;
    if (table.optional?.includes(letter) === true) return { names, needsValue: false };
    if (table.valued?.includes(letter) === true)
      return at === text.length - 1
        ? { names, needsValue: true }
        : { names, needsValue: false, attached: text.slice(at + 1) };
    return table.refused?.[`-${letter}`] ?? `The option -${letter} is not known to be harmless.`;
  }
  return { names, needsValue: false };
}

/** A pattern that starts with a pattern character or a dash may name a file that looks like an option. */
export function couldBeOption(word: ShellWord): boolean {
  return word.literalPrefix === '' || word.literalPrefix.startsWith('-');
}

/** A rule made of an option table and a check of the operands. */
export function rule(options: {
  readonly names: readonly string[];
  readonly system?: ProgramRule['system'];
  readonly table: OptionTable;
  readonly operands?: (read: ReadOptions, machine: Machine) => string | undefined;
}): ProgramRule {
  return {
    names: options.names,
    system: options.system ?? 'linux',
    takesOpenWords: options.table.words === 'anyText',
    check: (args, machine) => {
      const read = readOptions(args, options.table);
      if (typeof read === 'string') return read;
      return options.operands?.(read, machine);
    },
  };
}

/** Operands are not allowed at all. */
export const noOperands = (read: ReadOptions): string | undefined =>
  read.operands.length === 0 ? undefined : `${read.operands[0]?.text ?? ''} is not expected here.`;

/** At most `count` operands, none of which can become several. */
export const atMost =
  (count: number, reason: string) =>
  (read: ReadOptions): string | undefined =>
    read.operands.length <= count && !read.operands.some((word) => word.hasPattern) ? undefined : reason;

/**
 * A program that is known in these exact forms only: each is its words behind the name, with single spaces; the empty text is the name
 * alone. For programs whose own reading of options is not that of POSIX, and for those of which only a glance is worth proving.
 */
export function exactly(names: readonly string[], forms: readonly string[], otherwise: string): ProgramRule {
  const known = new Set(forms);
  return {
    names,
    system: 'linux',
    check: (args) =>
      args.every((word) => !word.hasPattern && !/\s/.test(word.text)) &&
      known.has(args.map((word) => word.text).join(' '))
        ? undefined
        : otherwise,
  };
}

/** A name, number, address or path that no program takes for an option or a program text. */
export function isPlain(word: ShellWord): boolean {
  return !word.hasPattern && /^[A-Za-z0-9_./@:~,=%][\w./@:~,=%+-]{0,199}$/.test(word.text);
}

/**
 * A program with verbs (`list`, or `image ls`), each with its own options. The verb comes first: options before it are not proven.
 * What follows it are plain names.
 */
export function withVerbs(options: {
  readonly names: readonly string[];
  readonly verbs: Readonly<Record<string, OptionTable>>;
  /** Whether the operands behind the verb are harmless; by default they are plain names. */
  readonly operands?: (verb: string, read: ReadOptions) => string | undefined;
}): ProgramRule {
  const verbs = new Map(Object.entries(options.verbs));
  const [program = ''] = options.names;
  return {
    names: options.names,
    system: 'linux',
    check: (args) => {
      const [first, second] = args;
      const pair = `${first?.text ?? ''} ${second?.text ?? ''}`;
      const verb = verbs.has(pair) ? pair : (first?.text ?? '');
      const table = verbs.get(verb);
      if (table === undefined || first?.hasPattern === true || (verb === pair && second?.hasPattern === true))
        return `${program} ${verb} is not known to be read-only.`;
      const read = readOptions(args.slice(verb === pair ? 2 : 1), table);
      if (typeof read === 'string') return read;
      const odd = read.operands.find((word) => !isPlain(word));
      if (odd !== undefined) return `${program} ${verb} is given something unusual: ${odd.text}.`;
      return options.operands?.(verb, read);
    },
  };
}
