/** What ends a command, and what only parts its words. */
const ends = /[;|&\n\r`]/;
const parts = /[\s()<>,]/;
/** A text within quotes within quotes, and so on, is read this often. */
const mostLevels = 6;

/**
 * The commands that a text may run, as words without their quotes: those of a script, and those within quotes that something else may run
 * (`sh -c "…"`). It reads any text, also one that no shell takes, and expands nothing.
 */
export function commandWords(text: string): readonly (readonly string[])[] {
  return commandsAt(text, 0);
}

function commandsAt(text: string, level: number): readonly (readonly string[])[] {
  const commands = split(text);
  if (level === mostLevels) return commands;
  const inside = commands.flat().filter((word) => word !== text && (parts.test(word) || ends.test(word)));
  return [...commands, ...inside.flatMap((word) => commandsAt(word, level + 1))];
}

function split(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let quote: string | undefined;
  const finish = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (character === '\\' && quote !== "'") {
      index++;
      if (text[index] !== '\n') word = (word ?? '') + (text[index] ?? '');
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (ends.test(character)) {
      finish();
      commands.push([]);
    } else if (parts.test(character)) finish();
    else word = (word ?? '') + character;
  }
  finish();
  return commands.filter((words) => words.length > 0);
}
