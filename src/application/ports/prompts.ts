import type { HostKeyAnswer, HostKeyQuestion } from '../../domain/trust/trust.ts';

/**
 * One question of a connection. Shown one at a time across the window, ignores focus loss, closes when `signal` aborts.
 * No answer is a refusal. Source: ssh.md 1.3 and 3.1.
 */
export interface ConnectionPromptPort {
  hostKey(question: HostKeyQuestion, signal: AbortSignal): Promise<HostKeyAnswer>;
  /** A changed key has no accept button at all; resolves when it was read. */
  changedKey(question: HostKeyQuestion, signal: AbortSignal): Promise<void>;
  /** One line; undefined when cancelled. The text is sanitised by the caller. */
  secret(
    question: {
      readonly kind: 'password' | 'passphrase' | 'keyboardInteractive';
      /** `deploy@db1`, or `deploy@db1 (hop 3 of 3, via gate, bastion)`. */
      readonly hop: string;
      /** `Password for deploy@db1`: kind and hop in English, for whoever has no words of their own. */
      readonly title: string;
      readonly prompt: string;
      readonly echo: boolean;
      readonly canRemember: boolean;
    },
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly remember: boolean } | undefined>;
}

/** Secrets by random reference. A failed read is an error, never an empty value. Source: vscode.md 8. */
export interface SecretStorePort {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/** The window's log. Redaction sits in front of it; content of any kind never reaches it. Source: vscode.md 10. */
export interface LogPort {
  trace(component: string, message: string): void;
  info(component: string, message: string): void;
  warn(component: string, message: string): void;
  error(component: string, message: string, cause?: unknown): void;
}

/** Where a host's password lives in the secret storage. Source: vscode.md 8. */
export function credentialKey(credentialId: string): string {
  return `credential:${credentialId}`;
}
