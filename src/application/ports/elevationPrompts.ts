/**
 * Questions before a person works with files of a host as another user. Shown one at a time across the window, with those of connections;
 * they close when `signal` aborts. No answer is a refusal. Source: ssh.md 8.6.
 */
export interface ElevationPromptPort {
  /** Whether this is meant on a production host. */
  mayElevate(question: ElevationQuestion, signal: AbortSignal): Promise<boolean>;
  /** The password of the one who is signed in, for sudo; `isRepeated` after a wrong one. Undefined when cancelled. */
  password(
    question: ElevationQuestion & { readonly isRepeated: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined>;
}

export interface ElevationQuestion {
  /** How the person calls it. */
  readonly host: string;
  /** Whose rights. */
  readonly user: string;
}
