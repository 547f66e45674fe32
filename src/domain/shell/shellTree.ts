import { parse, type Redirection, type Script, type Statement, type Word, type WordPart } from 'unbash';

/** A word after quote removal. `hasPattern` marks one that the shell expands to file names. */
export interface ShellWord {
  readonly text: string;
  readonly hasPattern: boolean;
  /** Literal text before the first pattern character; the whole text when there is none. */
  readonly literalPrefix: string;
  readonly isQuoted: boolean;
  /** Only the run decides what it becomes: any text, and any number of words. Such a word counts as a pattern too. */
  readonly isOpen: boolean;
}

export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  /** Files that are read through `<`. */
  readonly inputs: readonly ShellWord[];
  /** Its standard input is /dev/null, or the empty line of a lone `echo`. */
  readonly hasEmptyInput: boolean;
}

/** The simple commands of a line in order, or why the line is not understood completely. */
export type ShellReading =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[] }
  | { readonly ok: false; readonly reason: string };

/** Longest line that is looked at, in UTF-8 bytes. */
const longestLine = 16 * 1024;

class NotUnderstood extends Error {}

/** What is read beyond plain words, and what is known while a part of a line is read. */
interface Scope {
  readonly line: string;
  /** The shell that reads the line; undefined reads plain words only, as they are the same in every shell. */
  readonly shell: Shell | undefined;
  /** Variables of the loops around, by name. */
  readonly variables: ReadonlyMap<string, ShellWord>;
  /** Parts of the line whose `$` is understood. */
  readonly understood: { readonly pos: number; readonly end: number }[];
  /** Commands of the substitutions that were met, in order, until the command around them is done. */
  readonly inner: SimpleCommand[];
}

export type Shell = 'sh' | 'bash' | 'dash';

/**
 * Reads a command line into its simple commands. Only lists, pipelines, negation, groups and subshells of plain commands are
 * understood, with words whose value does not depend on anything but the text (and patterns of file names). Every other construct,
 * every parse error and every field this code has not been written for makes the whole line not understood.
 *
 * Where the shell is told, more is understood: `if`, loops over words (written out, turn by turn), variables and the output of
 * commands as open words, and in bash alternatives in braces. The commands of a substitution are among those that are returned.
 */
export function readShellLine(line: string, shell?: Shell): ShellReading {
  return readScope({ line, shell, variables: new Map(), understood: [], inner: [] });
}

function readScope(scope: Scope): ShellReading {
  const { line } = scope;
  if (Buffer.byteLength(line, 'utf8') > longestLine)
    return { ok: false, reason: 'The command is too long to be read.' };
  if (/[^\P{Cc}\n\t]|\p{Cf}/u.test(line))
    return { ok: false, reason: 'The command holds control characters.' };
  // In a Chinese or Japanese encoding the last byte of such a character takes the next one along, and the backslash is gone.
  if (/[^\0-\x7f][\\`|]/.test(line))
    return { ok: false, reason: 'A special character stands behind one that is not ASCII.' };
  try {
    const script = parse(line);
    if ((script.errors ?? []).length > 0) throw new NotUnderstood('The command does not parse.');
    const commands = statements(script.commands, scope);
    if (commands.length > mostCommands) throw new NotUnderstood('The command has too many parts.');
    if (mayExpand(withoutUnderstood(scope)))
      throw new NotUnderstood('The command holds something that the shell may expand.');
    return commands.length === 0 ? { ok: false, reason: 'The command is empty.' } : { ok: true, commands };
  } catch (error) {
    return {
      ok: false,
      reason: error instanceof NotUnderstood ? error.message : 'The command does not parse.',
    };
  }
}

/**
 * Whether `$` or a backtick stands where a shell looks at it. Independent of the parser, so that a construct it takes as plain text is
 * not proven either.
 */
function mayExpand(line: string): boolean {
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === "'") {
      if (character === "'") quote = undefined;
    } else if (character === '\\') at += 1;
    else if (character === '$' || character === '`') return true;
    else if (character === '"') quote = quote === '"' ? undefined : '"';
    else if (character === "'" && quote === undefined) quote = "'";
  }
  return false;
}

/** The line with each part that is understood replaced by as many plain letters. */
function withoutUnderstood({ line, understood }: Scope): string {
  let text = line;
  for (const { pos, end } of understood) text = text.slice(0, pos) + 'x'.repeat(end - pos) + text.slice(end);
  return text;
}

function statements(list: Script['commands'], scope: Scope): SimpleCommand[] {
  return list.flatMap((statement) => {
    if (statement.background === true) throw new NotUnderstood('A part runs in the background.');
    return node(statement.command, scope);
  });
}

type Node = Statement['command'];

function node(tree: Node, scope: Scope): SimpleCommand[] {
  switch (tree.type) {
    case 'AndOr':
      return tree.commands.flatMap((part) => node(part, scope));
    case 'Pipeline':
      for (const prefix of tree.prefixes) {
        if (prefix.type === 'Time' && (prefix.posix !== undefined || prefix.endOfOptions !== undefined))
          throw new NotUnderstood('time is used with options.');
      }
      return pipeline(tree.commands.map((part) => node(part, scope)));
    case 'Subshell':
    case 'BraceGroup':
      return statements(tree.body.commands, scope);
    case 'Redirected': {
      const { inputs } = redirects(tree.redirects, scope);
      const inner = node(tree.command, scope);
      return inputs.length === 0 ? inner : [...inner, { words: [], inputs, hasEmptyInput: false }];
    }
    case 'Command':
      return simple(tree, scope);
    case 'If':
      if (scope.shell === undefined) throw new NotUnderstood(`The command uses ${constructNames.If}.`);
      return [
        tree.clause,
        tree.then,
        ...tree.elif.flatMap((branch) => [branch.clause, branch.then]),
        ...(tree.else === undefined ? [] : [tree.else]),
      ].flatMap((part) => statements(part.commands, scope));
    case 'For':
      return loop(tree, scope);
    case 'ArithmeticFor':
    case 'Select':
    case 'While':
    case 'Case':
    case 'TestCommand':
    case 'ArithmeticCommand':
    case 'Function':
    case 'Coproc':
      throw new NotUnderstood(`The command uses ${constructNames[tree.type]}.`);
  }
}

const constructNames = {
  If: 'if',
  For: 'a for loop',
  ArithmeticFor: 'a for loop',
  Select: 'select',
  While: 'a loop',
  Case: 'case',
  TestCommand: '[[',
  ArithmeticCommand: 'arithmetic',
  Function: 'a function',
  Coproc: 'a coprocess',
} as const;

/** What stands behind a lone `echo` reads its empty line. */
function pipeline(parts: readonly SimpleCommand[][]): SimpleCommand[] {
  return parts.flatMap((part, at) => {
    const [only, ...more] = part;
    const [before, ...others] = parts[at - 1] ?? [];
    const isFed = before?.words.length === 1 && before.words[0]?.text === 'echo' && others.length === 0;
    return isFed && only !== undefined && more.length === 0 && only.inputs.length === 0
      ? [{ ...only, hasEmptyInput: true }]
      : part;
  });
}

/** A loop over words, written out. Its variable has a name that no program looks at. */
function loop(tree: Extract<Node, { type: 'For' }>, scope: Scope): SimpleCommand[] {
  const name = tree.name.value;
  if (scope.shell === undefined || tree.wordlist === undefined || !/^[a-z][a-z0-9]{0,15}$/.test(name))
    throw new NotUnderstood(`The command uses ${constructNames.For}.`);
  const values = tree.wordlist.flatMap((value) => words(value, scope));
  if (values.length === 0 || values.length > mostTurns)
    throw new NotUnderstood(`The command uses ${constructNames.For}.`);
  const first = scope.inner.splice(0);
  const turns = values.flatMap((value) =>
    statements(tree.body.commands, { ...scope, variables: new Map([...scope.variables, [name, value]]) }),
  );
  if (turns.length > mostCommands) throw new NotUnderstood('The command has too many parts.');
  return [...first, ...turns];
}

function simple(command: Extract<Node, { type: 'Command' }>, scope: Scope): SimpleCommand[] {
  for (const part of command.prefix) {
    if (part.type === 'Assignment') throw new NotUnderstood('The command sets variables.');
  }
  if (command.name === undefined) throw new NotUnderstood('A part runs no program.');
  const args = command.args.flatMap((argument) => {
    if (argument.type === 'Assignment') throw new NotUnderstood('The command sets variables.');
    return words(argument, scope);
  });
  const name = word(command.name, scope);
  const { inputs, fromNull } = redirects(command.redirects, scope);
  return [
    ...scope.inner.splice(0),
    { words: [name, ...args], inputs, hasEmptyInput: fromNull && inputs.length === 0 },
  ];
}

/** Understands `2>&1`, `>/dev/null` in its forms and `<file`; returns the files that are read. */
function redirects(
  list: readonly Redirection[],
  scope: Scope,
): { readonly inputs: ShellWord[]; readonly fromNull: boolean } {
  const inputs: ShellWord[] = [];
  let fromNull = false;
  for (const redirect of list) {
    if (redirect.type !== 'Redirect') throw new NotUnderstood('The command has a here-document.');
    const { descriptor } = redirect;
    if (descriptor !== undefined && (descriptor.type !== 'FileDescriptor' || descriptor.value > 2))
      throw new NotUnderstood('The command redirects another descriptor.');
    if (redirect.target === undefined) throw new NotUnderstood('A redirect has no target.');
    const target = word(redirect.target, scope);
    if (target.hasPattern) throw new NotUnderstood('A redirect has a pattern as its target.');
    switch (redirect.operator) {
      case '>':
      case '>>':
        if (target.text !== '/dev/null') throw new NotUnderstood(`The output is written to ${target.text}.`);
        break;
      case '>&':
        if (target.text !== '1' && target.text !== '2') throw new NotUnderstood('The output is redirected.');
        break;
      case '<':
        if (target.text !== '/dev/null') inputs.push(target);
        else if ((descriptor?.value ?? 0) === 0) fromNull = true;
        break;
      case '&>':
      case '&>>':
        // Elsewhere than in bash this is a job in the background and a redirect behind it.
        if (scope.shell !== 'bash')
          throw new NotUnderstood(`The command uses the redirect ${redirect.operator}.`);
        if (target.text !== '/dev/null') throw new NotUnderstood(`The output is written to ${target.text}.`);
        break;
      case '<>':
      case '<&':
      case '>|':
        throw new NotUnderstood(`The command uses the redirect ${redirect.operator}.`);
    }
  }
  return { inputs, fromNull };
}

/** More than one where alternatives stand in braces, which bash writes out before anything else. */
function words(tree: Word, scope: Scope): ShellWord[] {
  if (scope.shell !== 'bash' || tree.parts?.some((part) => part.type === 'BraceExpansion') !== true)
    return [word(tree, scope)];
  let built: (WordPart | string)[][] = [[]];
  for (const part of tree.parts) {
    const choices = part.type === 'BraceExpansion' ? alternatives(part.text) : [part];
    built = built.flatMap((before) => choices.map((choice) => [...before, choice]));
    if (built.length > mostTurns) throw new NotUnderstood(expansionReason(tree.text));
  }
  return built.map((parts) => {
    const builder = new WordBuilder();
    for (const part of parts) {
      if (typeof part === 'string') builder.literal(part);
      else addPart(builder, part, scope);
    }
    return builder.finish(tree.text);
  });
}

function alternatives(text: string): string[] {
  if (!/^\{[\w./-]+(,[\w./-]+)+\}$/.test(text)) throw new NotUnderstood(expansionReason(text));
  return text.slice(1, -1).split(',');
}

function word(tree: Word, scope: Scope): ShellWord {
  const builder = new WordBuilder();
  if (tree.parts !== undefined) for (const part of tree.parts) addPart(builder, part, scope);
  else if (tree.text === tree.value) addBare(builder, tree.value);
  else builder.literal(tree.value);
  return builder.finish(tree.text);
}

/** Pattern characters that the parser took as text (an unclosed bracket, say) stay patterns: shells differ about them. */
function addBare(builder: WordBuilder, text: string): void {
  const at = text === '[' || text === ']' ? -1 : text.search(/[*?[]/);
  if (at < 0) return builder.literal(text);
  builder.literal(text.slice(0, at));
  builder.pattern(text.slice(at));
}

function addPart(builder: WordBuilder, part: WordPart, scope: Scope): void {
  switch (part.type) {
    case 'Literal':
      return builder.literal(part.value);
    case 'SingleQuoted':
      return builder.quoted(part.value);
    case 'DoubleQuoted':
      for (const child of part.parts) {
        if (child.type === 'Literal') builder.quoted(child.value);
        else if (child.type === 'ArithmeticExpansion') throw new NotUnderstood(expansionReason(child.text));
        else addExpansion(builder, child, { ...scope, isQuoted: true });
      }
      return builder.quoted('');
    case 'Glob':
      return builder.pattern(part.text);
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
      return addExpansion(builder, part, { ...scope, isQuoted: false });
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      throw new NotUnderstood(expansionReason(part.text));
  }
}

type Expansion = Extract<WordPart, { type: 'SimpleExpansion' | 'ParameterExpansion' | 'CommandExpansion' }>;

const variable = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|[?#0-9])$/;
/** Without what could make its end be seen at another place. */
const substitution = /^\$\(([^()#\\`]*)\)$/;

/** Adds a plain variable or the output of commands. Neither acts by itself; the commands are handed on. */
function addExpansion(
  builder: WordBuilder,
  { type, text, pos, end }: Expansion,
  scope: Scope & { readonly isQuoted: boolean },
): void {
  if (scope.shell === undefined || scope.line.slice(pos, end) !== text)
    throw new NotUnderstood(expansionReason(text));
  scope.understood.push({ pos, end });
  if (type === 'CommandExpansion') {
    const line = substitution.exec(text)?.[1];
    if (line === undefined) throw new NotUnderstood(expansionReason(text));
    const inner = readScope({ ...scope, line, understood: [], inner: [] });
    if (!inner.ok) throw new NotUnderstood(inner.reason);
    scope.inner.push(...inner.commands);
    return builder.open(text);
  }
  const named = variable.exec(text);
  if (named === null) throw new NotUnderstood(expansionReason(text));
  const name = named[1] ?? named[2] ?? '';
  const value = scope.variables.get(name);
  if (value !== undefined) builder.value(value, text, scope.isQuoted);
  else if (name === 'HOME' && builder.isEmpty) builder.home();
  else builder.open(text);
}

function expansionReason(text: string): string {
  return `What ${text.length > 60 ? `${text.slice(0, 60)}…` : text} becomes is not known before it runs.`;
}

const plainPattern = /^[\w*?.,:^!@%+=~/[\]-]*$/;

/** Loops longer than this are not written out. */
const mostTurns = 64;
const mostCommands = 512;

class WordBuilder {
  #text = '';
  #open = false;
  #isHome = false;
  #prefix: string | undefined;
  #quoted = false;

  literal(text: string): void {
    this.#text += text;
  }

  quoted(text: string): void {
    this.#quoted = true;
    this.#text += text;
  }

  get isEmpty(): boolean {
    return this.#text === '' && !this.#quoted;
  }

  /** `$HOME`: the login folder, as `~` is. */
  home(): void {
    this.#isHome = true;
    this.#text = '~';
  }

  /** Text that only the run decides; `source` is how it is written. */
  open(source: string): void {
    this.#open = true;
    this.#prefix ??= this.#text;
    this.#text += source;
  }

  /** The value of a variable, which is split and expanded once more where it is not quoted. */
  value(word: ShellWord, source: string, isQuoted: boolean): void {
    if (word.isOpen || (!isQuoted && !/^[\w./:@%+=,-]+$/.test(word.text))) return this.open(source);
    if (word.hasPattern) this.#prefix ??= this.#text + word.literalPrefix;
    this.#text += word.text;
    this.#quoted ||= isQuoted;
  }

  /** Shells expand what stands inside brackets too, which the parser takes as text: only plain characters make a pattern. */
  pattern(text: string): void {
    if (!plainPattern.test(text)) throw new NotUnderstood(expansionReason(text));
    this.#prefix ??= this.#text;
    this.#text += text;
  }

  finish(source: string): ShellWord {
    // `~` is the login folder only before a slash.
    if (this.#isHome && !/^~(\/|$)/.test(this.#text)) {
      this.#text = `$HOME${this.#text.slice(1)}`;
      this.#open = true;
    }
    const isOpen = this.#open;
    if (isOpen) this.#prefix = '';
    return {
      isOpen,
      text: this.#text,
      hasPattern: this.#prefix !== undefined,
      literalPrefix: this.#prefix ?? this.#text,
      isQuoted: this.#quoted || source !== this.#text,
    };
  }
}
