import type { Client } from 'ssh2';
import { abortReason, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import { connectionFault, faultError, outcomeUnknown } from '../../domain/ssh/connectionFault.ts';

/** Tells the end of the connection at most once, and not after it was disposed. */
export type OnLost = (tell: (fault: Fault) => void) => Disposable;

/** Something that the server is asked for and that it grants or refuses by a callback. */
export interface Opening<Answer, Opened> {
  /** Sends the request. Throws only before anything was sent. */
  readonly request: (done: (error: Error | undefined, answer: Answer) => void) => void;
  /** Called within the callback, so that nothing that follows is missed. */
  readonly adopt: (answer: Answer) => Opened;
  /** It was granted when nobody waited for it any more. */
  readonly discard: (opened: Opened) => void;
  /** It was refused; gives the error to reject with. Also called when nobody waits any more. */
  readonly refused: (error: Error) => Error;
  /** Nothing was sent. */
  readonly notSent?: () => void;
  /** Where silence has a meaning of its own: how long an answer is waited for, in milliseconds, and what it is called then. */
  readonly unanswered?: { readonly afterMs: number; readonly error: () => Error };
}

export interface ChannelOpenerOptions {
  readonly client: Client;
  readonly hop: string;
  readonly clock: ClockPort;
  readonly onLost: OnLost;
  /** The cause of the connection's end, once it has ended. */
  readonly fault: () => Fault | undefined;
}

/** A server that neither grants nor refuses is not waited for longer. */
const answerMs = 60_000;

/** Asks one server for channels and listeners; every question has an end of its own. Source: ssh.md 1.6; TRAP-7. */
export class ChannelOpener {
  readonly #options: ChannelOpenerOptions;

  constructor(options: ChannelOpenerOptions) {
    this.#options = options;
  }

  get client(): Client {
    return this.#options.client;
  }

  get hop(): string {
    return this.#options.hop;
  }

  get onLost(): OnLost {
    return this.#options.onLost;
  }

  /** Whether the connection has ended. */
  get isOver(): boolean {
    return this.#options.fault() !== undefined;
  }

  /**
   * Resolves with what was opened; what is granted after nobody waits is discarded. Rejects with the error of `refused`, with `cancelled`
   * or `not-responding` and an unknown outcome while the request is on its way, and with `outcome-unknown` when the connection ends.
   */
  open<Answer, Opened>(opening: Opening<Answer, Opened>, signal: AbortSignal): Promise<Opened> {
    const { clock, onLost, fault } = this.#options;
    const ended = fault();
    if (signal.aborted || ended !== undefined) {
      opening.notSent?.();
      return Promise.reject(
        ended === undefined ? abortReason(signal) : faultError({ ...ended, outcome: 'not-sent' }),
      );
    }
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const settle = (finish: () => void): void => {
        if (!isWaiting) return;
        isWaiting = false;
        deadline.dispose();
        lost.dispose();
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      const { unanswered } = opening;
      const onAbort = (): void => settle(() => reject(faultError(this.#fault('cancelled', 'unknown'))));
      const deadline = clock.after(unanswered?.afterMs ?? answerMs, () =>
        settle(() => reject(unanswered?.error() ?? faultError(this.#fault('not-responding', 'unknown')))),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      const lost = onLost((cause) => settle(() => reject(faultError(outcomeUnknown(cause)))));
      try {
        opening.request((error, answer) => {
          if (error !== undefined) {
            const failure = this.#refusal(opening, error);
            return settle(() => reject(failure));
          }
          const opened = opening.adopt(answer);
          if (isWaiting) settle(() => resolve(opened));
          else opening.discard(opened);
        });
      } catch (error) {
        opening.notSent?.();
        settle(() => reject(faultError(this.#fault('link-lost', 'not-sent'), error)));
      }
    });
  }

  #refusal(opening: Pick<Opening<never, never>, 'refused'>, error: Error): Error {
    const failure = opening.refused(error);
    const ended = this.#options.fault();
    return ended === undefined ? failure : faultError(outcomeUnknown(ended), error);
  }

  #fault(code: 'cancelled' | 'not-responding' | 'link-lost', outcome: Fault['outcome']): Fault {
    return connectionFault(code, { stage: 'channel', hop: this.#options.hop, outcome });
  }
}

/** Why the library says that a channel was not opened. */
export interface OpenFailure {
  /**
   * The reason number of a refusal; `closed` when the server closed instead of refusing; `request` when the channel was opened and the
   * request on it refused. Source: RFC 4254 section 5.1.
   */
  readonly reason: number | 'closed' | 'request';
  readonly text: string;
}

/** Reads what the library has put on an error. */
export function openFailureOf(error: Error): OpenFailure {
  const text = error.message.replace(/^\(SSH\) Channel open failure: /, '');
  if (!('reason' in error)) return { reason: 'request', text };
  return { reason: typeof error.reason === 'number' ? error.reason : 'closed', text };
}
