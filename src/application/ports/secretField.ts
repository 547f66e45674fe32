/** What a person has to know before they type a secret for a tool. */
export interface SecretFieldQuestion {
  /** The label of the host it goes to. */
  readonly host: string;
  /** Name of the tool that gets it. */
  readonly tool: string;
  /** As the tool declares it, for example `sudo`. */
  readonly purpose: string;
  /** Of the conversation that asks; empty when it has none yet. */
  readonly conversation: string;
  /** The model's words; redacted, and not to be trusted. */
  readonly words: string;
}

/** One masked field in the window's queue of input boxes. Source: agent runtime contract, section 13; decisions 15. */
export interface SecretFieldPort {
  /**
   * Resolves with what was typed; undefined when the field was closed. `shown` is called once, when the field is there. An abort takes the
   * field back; the promise then resolves with undefined. Whoever asks makes bytes of the text at once and keeps no string.
   */
  ask(question: SecretFieldQuestion, shown: () => void, signal: AbortSignal): Promise<string | undefined>;
}
