/** The algorithm lists of one side of a key exchange, in its order. */
export interface AlgorithmLists {
  readonly kex: readonly string[];
  readonly hostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly mac: readonly string[];
  readonly compression: readonly string[];
}

/** What both sides came to. */
export interface AgreedAlgorithms {
  readonly kex: string;
  readonly hostKey: string;
  readonly cipher: string;
  /** Empty with a cipher that authenticates by itself. */
  readonly mac: string;
  readonly compression: string;
}

/** How the bytes get to a hop. */
export type CarrierKind = 'direct' | 'jump' | 'program' | 'socks' | 'http';

/**
 * One thing that happened during an attempt. Texts of the other side are bounded and sanitised; secrets and signature data are never
 * in it. Source: ssh.md 1.10.
 */
export type TraceFact =
  /** The connection was open already. */
  | { readonly k: 'alreadyConnected' }
  | { readonly k: 'carrier'; readonly kind: CarrierKind; readonly via: string | undefined }
  | {
      readonly k: 'address';
      readonly address: string;
      readonly port: number;
      readonly result: 'connected' | 'failed' | 'overtaken';
      readonly reason: string | undefined;
    }
  | { readonly k: 'identification'; readonly side: 'ours' | 'theirs'; readonly text: string }
  | { readonly k: 'offered'; readonly side: 'ours' | 'theirs'; readonly lists: AlgorithmLists }
  | { readonly k: 'agreed'; readonly algorithms: AgreedAlgorithms }
  /** Algorithms that the configuration names and that we cannot do; `keyword` in lower case. */
  | { readonly k: 'leftOut'; readonly keyword: string; readonly names: readonly string[] }
  | {
      readonly k: 'hostKey';
      readonly keyType: string;
      readonly fingerprint: string;
      readonly decision: string;
      /** The line that decided, `file:line`. */
      readonly at: string | undefined;
    }
  | { readonly k: 'agent'; readonly endpoint: string; readonly result: string }
  | { readonly k: 'methods'; readonly offered: readonly string[]; readonly isPartial: boolean }
  | {
      readonly k: 'identity';
      readonly method: string;
      readonly label: string;
      readonly fingerprint: string | undefined;
      readonly source: string | undefined;
      readonly result: string;
    }
  /** What the server has to say to whoever signs in, several lines. Source: RFC 4252 section 5.4. */
  | { readonly k: 'banner'; readonly text: string }
  /** A question to the person: its kind when it opens, undefined when none is open any more. The answer is never in it. */
  | { readonly k: 'asked'; readonly what: string | undefined }
  /** The server took the sign-in. `by`: the method, and of a key its fingerprint and comment. */
  | { readonly k: 'signedIn'; readonly by: string }
  | { readonly k: 'channelRefused'; readonly reason: number | undefined; readonly text: string }
  /** A line that a proxy program wrote to its error stream. */
  | { readonly k: 'output'; readonly text: string }
  /** An error behind the one that ended the attempt. */
  | { readonly k: 'laterError'; readonly text: string }
  | { readonly k: 'ended'; readonly code: string; readonly reason: string };

export interface TraceEvent {
  /** Milliseconds since the attempt began. */
  readonly atMs: number;
  /** `deploy@db1 (hop 2 of 2)`. */
  readonly hop: string;
  readonly fact: TraceFact;
}

/** At most this many events of one attempt are kept; the first ones, which name the cause. */
const maxEvents = 2_000;

/** What one attempt to connect did, on all of its hops, in order. */
export class ConnectTrace {
  readonly startedAt: number;
  readonly #now: () => number;
  readonly #events: TraceEvent[] = [];

  /** `now` in milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
    this.startedAt = now();
  }

  get events(): readonly TraceEvent[] {
    return this.#events;
  }

  add(hop: string, fact: TraceFact): void {
    if (this.#events.length >= maxEvents) return;
    this.#events.push({ atMs: this.#now() - this.startedAt, hop, fact });
  }
}
