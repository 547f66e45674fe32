import { longText, showUntrusted } from '../../domain/ssh/untrustedText.ts';
import type { AttemptPrompts, TypedSecret } from './attemptPrompts.ts';

/**
 * Asks for a password in place of an expired one, twice, until both are equal and not empty. `words` are the server's. Undefined when a
 * prompt was closed. Source: ssh.md 2.2.
 */
export async function askNewPassword(
  prompts: AttemptPrompts,
  { words, canRemember }: { readonly words: string; readonly canRemember: boolean },
): Promise<TypedSecret | undefined> {
  const heading = showUntrusted(words, longText);
  for (let isRepeated = false; ; isRepeated = true) {
    const first = await prompts.secret({ kind: 'newPassword', heading, isRepeated });
    if (first === undefined) return undefined;
    const second = await prompts.secret({ kind: 'repeatPassword', heading, canRemember });
    if (second === undefined) return undefined;
    if (first.text === second.text && first.text !== '') return second;
  }
}
