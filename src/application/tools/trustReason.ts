import { quoteForeign } from '../../agentkit/index.ts';
import { touchesTrust } from '../../domain/shell/touchesTrust.ts';

/**
 * Why a call asks the person in every mode but Full access: a line in it names a file that decides who may come in, what runs by itself
 * or what is trusted. Empty when none does. `cwd` is where the lines start. Source: issue "Safety", part 8.
 */
export function trustReason(texts: readonly string[], cwd: string | undefined): readonly string[] {
  for (const text of texts) {
    const word = text === '' ? undefined : touchesTrust(text, cwd);
    if (word !== undefined)
      return [
        `It names ${quoteForeign(word)}, which decides who may log in, what runs by itself or what is trusted.`,
      ];
  }
  return [];
}
