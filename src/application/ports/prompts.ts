import type { HostKeyAnswer, HostKeyQuestion } from '../../domain/trust/trust.ts';

/**
 * One question of a connection. Shown one at a time across the window, ignores focus loss, closes when `signal` aborts.
 * No answer is a refusal. Source: ssh.md 1.3 and 3.1.
 */
export interface ConnectionPromptPort {
  hostKey(question: HostKeyQuestion, signal: AbortSignal): Promise<HostKeyAnswer>;
  /** A changed key has no accept button at all; resolves when it was read. */
  changedKey(question: HostKeyQuestion, signal: AbortSignal): Promise<void>;
  /** One line; undefined when cancelled. Texts are sanitised by the caller. */
  secret(
    question: SecretQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly remember: boolean } | undefined>;
  /** A question with yes and no; no is what closing means. */
  confirm(question: ConfirmQuestion, signal: AbortSignal): Promise<boolean>;
  /**
   * Says that an agent takes its time to sign, until `signal` aborts. Resolves true when the person cancels the signature, false at the
   * abort. Shown beside other questions: nothing is typed into it.
   */
  signing(notice: SigningNotice, signal: AbortSignal): Promise<boolean>;
}

export interface SecretQuestion {
  readonly kind: 'password' | 'passphrase' | 'keyboardInteractive' | 'newPassword' | 'repeatPassword';
  /** `deploy@db1`, or `deploy@db1 (hop 3 of 3, via gate, bastion)`. */
  readonly hop: string;
  /** `Password for deploy@db1`: kind and hop in English, for whoever has no words of their own. */
  readonly title: string;
  /** The server's name and instruction, or its words about an expired password; may have several lines; empty when it said nothing. */
  readonly heading: string;
  readonly prompt: string;
  readonly echo: boolean;
  readonly canRemember: boolean;
  /** Why the question comes again: the two new passwords differ. */
  readonly isRepeated: boolean;
  /** Keys that were not offered so that this question fits into the server's attempt limit. */
  readonly keysLeftOut: number;
}

export type ConfirmQuestion =
  /** May the server use the agent behind `endpoint` while connected? Asked for production hosts. */
  | { readonly k: 'forwardAgent'; readonly hop: string; readonly endpoint: string }
  /** Something on the server asks the forwarded agent for a signature. */
  | {
      readonly k: 'forwardedSignature';
      readonly hop: string;
      readonly label: string;
      readonly fingerprint: string;
    }
  /** The server has further keys, each as `type SHA256:…`. Keep them? */
  | { readonly k: 'addHostKeys'; readonly hop: string; readonly keys: readonly string[] }
  /** The server does not have these keys any more. Forget them? */
  | { readonly k: 'removeHostKeys'; readonly hop: string; readonly keys: readonly string[] };

export interface SigningNotice {
  readonly hop: string;
  /** The comment of the key. */
  readonly label: string;
  /** It waits for a touch; otherwise perhaps for a confirmation or to be unlocked. */
  readonly isSecurityKey: boolean;
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
