import { roundMeaning, type InteractivePrompt, type RoundMeaning } from '../../domain/ssh/passwordPrompt.ts';
import { longText, showUntrusted } from '../../domain/ssh/untrustedText.ts';
import type { AttemptPasswords } from './attemptPasswords.ts';
import type { AttemptPrompts } from './attemptPrompts.ts';

/** One request of the server. Source: RFC 4256 section 3.2. */
export interface InteractiveRound {
  readonly name: string;
  readonly instructions: string;
  readonly prompts: readonly InteractivePrompt[];
}

/** Source: ssh.md 2.1. */
const maxRounds = 10;

/** The server has asked more often than anybody answers. */
export class TooManyRounds extends Error {
  override readonly name = 'TooManyRounds';
}

/**
 * Answers the rounds of keyboard-interactive: prompts in order, each with its echo flag. A kept password answers one round that asks
 * for a password and nothing else; what is typed there, or as a new password, may be kept. Codes never are. Source: ssh.md 2.2; AG-7.
 */
export class InteractiveRounds {
  readonly #prompts: AttemptPrompts;
  readonly #passwords: AttemptPasswords;
  #rounds = 0;

  constructor(prompts: AttemptPrompts, passwords: AttemptPasswords) {
    this.#prompts = prompts;
    this.#passwords = passwords;
  }

  /** A new request for the method. */
  begin(): void {
    this.#rounds = 0;
  }

  /** Whether the method has asked anything since it began. */
  get hasAsked(): boolean {
    return this.#rounds > 0;
  }

  /** Undefined when a person closed a prompt. Rejects with `TooManyRounds`, or when the attempt has ended. */
  async answer(round: InteractiveRound, keysLeftOut: number): Promise<string[] | undefined> {
    this.#rounds += 1;
    if (this.#rounds > maxRounds) throw new TooManyRounds('the server asks without end');
    if (round.prompts.length === 0) return [];
    const meaning = roundMeaning(round.prompts);
    const stored = meaning === 'password' && this.#rounds === 1 ? this.#passwords.takeStored() : undefined;
    if (stored !== undefined) return [stored];
    // An old password that has expired is not worth keeping.
    if (meaning === 'newPassword') this.#passwords.forgetTyped();
    const answers: string[] = [];
    for (const prompt of round.prompts) {
      const answer = await this.#ask(prompt, { round, meaning, keysLeftOut });
      if (answer === undefined) return undefined;
      answers.push(answer);
    }
    return answers;
  }

  async #ask(
    { prompt, echo }: InteractivePrompt,
    {
      round,
      meaning,
      keysLeftOut,
    }: { readonly round: InteractiveRound; readonly meaning: RoundMeaning; readonly keysLeftOut: number },
  ): Promise<string | undefined> {
    const canBeKept = meaning === 'password' || meaning === 'newPasswordAgain';
    const said = showUntrusted(prompt, longText).split('\n');
    const typed = await this.#prompts.secret({
      kind: 'keyboardInteractive',
      heading: [...headingOf(round), ...said.slice(0, -1)].join('\n'),
      prompt: said.at(-1) ?? '',
      echo,
      canRemember: canBeKept && this.#passwords.canKeep,
      keysLeftOut,
    });
    if (typed !== undefined && canBeKept) this.#passwords.typed(typed.text, typed.remember);
    return typed?.text;
  }
}

/** Name and instruction, as far as there are any. PAM puts its messages in front of a prompt instead. */
function headingOf({ name, instructions }: InteractiveRound): readonly string[] {
  const said = [name, instructions].filter((text) => text.trim() !== '');
  return said.length === 0 ? [] : [showUntrusted(said.join('\n'), longText)];
}
