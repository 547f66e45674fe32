/** Stands where nobody can say what the shell puts: a private-use character, which no path of ours has. */
export const anything = '\uE000';

/** Values that hold variables themselves are followed so often. */
const mostRounds = 4;
/** Longest text that variables are written out to. */
const longestText = 40_000;

const variable = /\$(?:\{(\w+)\}|(\w+))/g;

/**
 * A line without quotes with the values of its variables in their places, as alternatives in braces where there are several: those that
 * the line assigns or loops over. What it does not say becomes `anything`; what substitutions run stays, behind the rest. `$HOME` stays.
 * Undefined when it becomes too long to look at.
 */
export function withVariables(line: string): string | undefined {
  let text = withoutSubstitutions(line.replaceAll(anything, ''))
    .replace(/\$\{\w+:?[-=]([^{}]*)\}/g, `{$1,${anything}}`)
    .replace(/\$\{(?!\w+\})[^{}]*\}/g, anything);
  const values = valuesOf(text);
  for (let round = 0; round < mostRounds; round++) {
    const next = text.replace(
      variable,
      (written: string, name: string | undefined, plain: string | undefined) =>
        values.get(name ?? plain ?? '') ?? written,
    );
    if (next.length > longestText) return undefined;
    if (next === text) break;
    text = next;
  }
  return text.replace(/\$(?!HOME\b)(?:\{\w+\}|\w+|[@*])/g, anything);
}

/** Innermost first; each leaves `anything` in its place. */
function withoutSubstitutions(line: string): string {
  const inside: string[] = [];
  const takeOut = (substitution: string): string => {
    inside.push(substitution.replace(/^\$\(|^`|[)`]$/g, ''));
    return anything;
  };
  let text = line;
  for (;;) {
    const next = text.replace(/\$\([^()]*\)|`[^`]*`/g, takeOut);
    if (next === text) return [text, ...inside].join('\n');
    text = next;
  }
}

/** What a line gives to each name, as the text that takes the name's place. */
function valuesOf(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, Set<string>>([['PWD', new Set(['.'])]]);
  const add = (name: string, value: string): void => {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  };
  for (const [, name = '', value = ''] of text.matchAll(/(?<![\w$])([A-Za-z_]\w*)\+?=([^\s;&|<>()]*)/g))
    add(name, value);
  for (const [, name = '', words = ''] of text.matchAll(/\bfor\s+(\w+)\s+in\s+([^;\n]*)/g))
    for (const word of words.split(/\s+/)) if (word !== '') add(name, word);
  return new Map(
    [...values].map(([name, set]) => [name, set.size === 1 ? [...set].join('') : `{${[...set].join(',')}}`]),
  );
}
