import { quoteForeign } from '../../agentkit/index.ts';
import { touchesTrust } from '../../domain/shell/touchesTrust.ts';
import type { ExecRunArguments } from './execInput.ts';

/**
 * Why a call asks the person in every mode but Full access: a line in it names a file that decides who may come in, what runs by itself
 * or what is trusted. Empty when none does. `start` is the folder and the variables that the lines start with. Source: issue "Safety",
 * part 8.
 */
export function trustReason(
  texts: readonly string[],
  { cwd, env = [] }: Pick<ExecRunArguments, 'cwd' | 'env'>,
): readonly string[] {
  const variables = env.map(({ name, value }) => `${name}=${value}\n`).join('');
  for (const text of texts) {
    const word = text === '' ? undefined : touchesTrust(`${variables}${text}`, cwd);
    if (word !== undefined)
      return [
        `It names ${quoteForeign(word)}, which decides who may log in, what runs by itself or what is trusted.`,
      ];
  }
  return [];
}
