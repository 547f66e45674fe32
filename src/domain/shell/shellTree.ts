import { parse, type Redirection, type Script, type Statement, type Word, type WordPart } from 'unbash';

/** A word after quote removal. `hasPattern` marks one that the shell expands to file names. */
export interface ShellWord {
  readonly text: string;
  readonly hasPattern: boolean;
  /** Literal text before the first pattern character; the whole text when there is none. */
  readonly literalPrefix: string;
  readonly isQuoted: boolean;
}

export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  /** Files that are read through `<`. */
  readonly inputs: readonly ShellWord[];
}

/** The simple commands of a line in order, or why the line is not understood completely. */
export type ShellReading =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[] }
  | { readonly ok: false; readonly reason: string };

/** Longest line that is looked at, in UTF-8 bytes. */
const longestLine = 16 * 1024;

class NotUnderstood extends Error {}

/**
 * Reads a command line into its simple commands. Only lists, pipelines, negation, groups and subshells of plain commands are
 * understood, with words whose value does not depend on anything but the text (and patterns of file names). Every other construct,
 * every parse error and every field this code has not been written for makes the whole line not understood.
 */
export function readShellLine(line: string): ShellReading {
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
    const commands = statements(script.commands);
    if (mayExpand(line)) throw new NotUnderstood('The command holds something that the shell may expand.');
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

function statements(list: Script['commands']): SimpleCommand[] {
  return list.flatMap((statement) => {
    if (statement.background === true) throw new NotUnderstood('A part runs in the background.');
    return node(statement.command);
  });
}

type Node = Statement['command'];

function node(tree: Node): SimpleCommand[] {
  switch (tree.type) {
    case 'AndOr':
      return tree.commands.flatMap(node);
    case 'Pipeline':
      for (const prefix of tree.prefixes) {
        if (prefix.type === 'Time' && (prefix.posix !== undefined || prefix.endOfOptions !== undefined))
          throw new NotUnderstood('time is used with options.');
      }
      return tree.commands.flatMap(node);
    case 'Subshell':
    case 'BraceGroup':
      return statements(tree.body.commands);
    case 'Redirected': {
      const inputs = redirects(tree.redirects);
      const inner = node(tree.command);
      return inputs.length === 0 ? inner : [...inner, { words: [], inputs }];
    }
    case 'Command':
      return [simple(tree)];
    case 'If':
    case 'For':
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

function simple(command: Extract<Node, { type: 'Command' }>): SimpleCommand {
  for (const part of command.prefix) {
    if (part.type === 'Assignment') throw new NotUnderstood('The command sets variables.');
  }
  if (command.name === undefined) throw new NotUnderstood('A part runs no program.');
  const words = command.args.map((argument) => {
    if (argument.type === 'Assignment') throw new NotUnderstood('The command sets variables.');
    return word(argument);
  });
  return { words: [word(command.name), ...words], inputs: redirects(command.redirects) };
}

/** Understands `2>&1`, `>/dev/null` in its forms and `<file`; returns the files that are read. */
function redirects(list: readonly Redirection[]): ShellWord[] {
  const inputs: ShellWord[] = [];
  for (const redirect of list) {
    if (redirect.type !== 'Redirect') throw new NotUnderstood('The command has a here-document.');
    const { descriptor } = redirect;
    if (descriptor !== undefined && (descriptor.type !== 'FileDescriptor' || descriptor.value > 2))
      throw new NotUnderstood('The command redirects another descriptor.');
    if (redirect.target === undefined) throw new NotUnderstood('A redirect has no target.');
    const target = word(redirect.target);
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
        break;
      case '<>':
      case '<&':
      case '>|':
      case '&>':
      case '&>>':
        throw new NotUnderstood(`The command uses the redirect ${redirect.operator}.`);
    }
  }
  return inputs;
}

function word(tree: Word): ShellWord {
  const builder = new WordBuilder();
  if (tree.parts !== undefined) for (const part of tree.parts) addPart(builder, part);
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

function addPart(builder: WordBuilder, part: WordPart): void {
  switch (part.type) {
    case 'Literal':
      return builder.literal(part.value);
    case 'SingleQuoted':
      return builder.quoted(part.value);
    case 'DoubleQuoted':
      for (const child of part.parts) {
        if (child.type !== 'Literal') throw new NotUnderstood(expansionReason(child.text));
        builder.quoted(child.value);
      }
      return builder.quoted('');
    case 'Glob':
      return builder.pattern(part.text);
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      throw new NotUnderstood(expansionReason(part.text));
  }
}

function expansionReason(text: string): string {
  return `What ${text.length > 60 ? `${text.slice(0, 60)}…` : text} becomes is not known before it runs.`;
}

const plainPattern = /^[\w*?.,:^!@%+=~/[\]-]*$/;

class WordBuilder {
  #text = '';
  #prefix: string | undefined;
  #quoted = false;

  literal(text: string): void {
    this.#text += text;
  }

  quoted(text: string): void {
    this.#quoted = true;
    this.#text += text;
  }

  /** Shells expand what stands inside brackets too, which the parser takes as text: only plain characters make a pattern. */
  pattern(text: string): void {
    if (!plainPattern.test(text)) throw new NotUnderstood(expansionReason(text));
    this.#prefix ??= this.#text;
    this.#text += text;
  }

  finish(source: string): ShellWord {
    return {
      text: this.#text,
      hasPattern: this.#prefix !== undefined,
      literalPrefix: this.#prefix ?? this.#text,
      isQuoted: this.#quoted || source !== this.#text,
    };
  }
}
