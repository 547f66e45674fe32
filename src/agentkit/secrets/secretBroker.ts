import { randomUUID } from 'node:crypto';
import type { RunId } from '../ids.ts';
import type { Disposable } from '../lifetime.ts';
import type { AssistantMessage } from '../message.ts';
import type { SecretRegistry } from '../redactor.ts';
import { expiredHandle, withExpiredSecrets } from './expiredSecrets.ts';

/** What a secret may be used for. All of it has to match. */
export interface SecretUse {
  readonly runId: RunId;
  /** Name of the tool. */
  readonly tool: string;
  readonly hostId: string;
  /** As the tool declares it, for example `sudo`. */
  readonly purpose: string;
}

/** A secret on its way to the one command that uses it. Disposing says that the command is closed. */
export interface ConsumedSecret extends Disposable {
  /** Belongs to the broker, which overwrites it: never copied, never made a string. */
  readonly bytes: Buffer;
}

export type SecretConsumption =
  | { readonly kind: 'consumed'; readonly secret: ConsumedSecret }
  /** Never given out, used already, or of another run. */
  | { readonly kind: 'notFound' }
  /** Given out for another tool, host or purpose; it is still there. */
  | { readonly kind: 'mismatch' };

/** What tools may do with the secrets of their run. */
export interface RunSecrets {
  /** Takes the bytes over and gives a random handle, good for one use. Throws when the run takes no secrets (any more). */
  issue(bytes: Buffer, use: Omit<SecretUse, 'runId'>): string;
  /** A success always uses the handle up, anything else never does. */
  consume(handle: string, use: SecretUse): SecretConsumption;
}

interface Unused {
  readonly bytes: Buffer;
  readonly use: SecretUse;
}

/**
 * The secrets that a user typed for one run. Bytes only, in memory only: in no model input, review, event, log or store. What is used
 * is known to the redactor until it is overwritten, which is when the run has ended and the last command that got it is closed; what
 * nobody used is overwritten at Stop or at the end of the run. Source: agent runtime contract, section 13; decisions 26.
 */
export class SecretBroker implements RunSecrets, Disposable {
  readonly #runId: RunId;
  readonly #known: SecretRegistry | undefined;
  readonly #unused = new Map<string, Unused>();
  readonly #handles = new Set<string>();
  readonly #used = new Set<UsedSecret>();
  #isClosed = false;

  /** `known` is the list of the redactor of this run; without it no secret is taken. */
  constructor(options: { readonly runId: RunId; readonly known: SecretRegistry | undefined }) {
    this.#runId = options.runId;
    this.#known = options.known;
  }

  issue(bytes: Buffer, use: Omit<SecretUse, 'runId'>): string {
    if (this.#isClosed || this.#known === undefined) {
      bytes.fill(0);
      throw new Error('this run takes no secrets');
    }
    const handle = randomUUID();
    this.#handles.add(handle);
    this.#unused.set(handle, { bytes, use: { ...use, runId: this.#runId } });
    return handle;
  }

  consume(handle: string, use: SecretUse): SecretConsumption {
    const unused = this.#unused.get(handle);
    if (unused === undefined || this.#known === undefined) return { kind: 'notFound' };
    if (!isSameUse(unused.use, use)) return { kind: 'mismatch' };
    this.#unused.delete(handle);
    const secret = new UsedSecret(unused.bytes, this.#known.add(unused.bytes));
    this.#used.add(secret);
    return { kind: 'consumed', secret: { bytes: secret.bytes, dispose: () => secret.commandClosed() } };
  }

  /** An answer of the model without the handles that were given out, wherever it names them. */
  withoutHandles(message: AssistantMessage): AssistantMessage {
    const { text, reasoning, calls } = withExpiredSecrets(message);
    return {
      ...message,
      text: this.#hide(text),
      reasoning: this.#hide(reasoning),
      calls: calls.map((call) => ({ ...call, argumentsText: this.#hide(call.argumentsText) })),
    };
  }

  /** Stop: nothing is given out any more, and what nobody used is overwritten. */
  close(): void {
    this.#isClosed = true;
    for (const { bytes } of this.#unused.values()) bytes.fill(0);
    this.#unused.clear();
  }

  /** The run has ended. */
  dispose(): void {
    this.close();
    for (const secret of this.#used) secret.runEnded();
    this.#used.clear();
  }

  #hide(text: string): string {
    let rest = text;
    for (const handle of this.#handles) rest = rest.replaceAll(handle, expiredHandle);
    return rest;
  }
}

/** Overwritten when neither the run nor a command needs it. */
class UsedSecret {
  readonly bytes: Buffer;
  readonly #registered: Disposable;
  #isRunOver = false;
  #isCommandClosed = false;

  constructor(bytes: Buffer, registered: Disposable) {
    this.bytes = bytes;
    this.#registered = registered;
  }

  runEnded(): void {
    this.#isRunOver = true;
    this.#wipe();
  }

  commandClosed(): void {
    this.#isCommandClosed = true;
    this.#wipe();
  }

  #wipe(): void {
    if (!this.#isRunOver || !this.#isCommandClosed) return;
    this.bytes.fill(0);
    this.#registered.dispose();
  }
}

function isSameUse(a: SecretUse, b: SecretUse): boolean {
  return a.runId === b.runId && a.tool === b.tool && a.hostId === b.hostId && a.purpose === b.purpose;
}
