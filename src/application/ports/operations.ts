import { z } from 'zod';
import type { Event, JsonObject } from '../../agentkit/index.ts';
import type { ChainPoint, ChainRow } from '../../domain/operations/operationChain.ts';

const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** The machine as it was named when something was done to it. `address` is `name:port`, `tier` may be empty. */
const host = z
  .object({ id: z.string(), label: z.string(), user: z.string(), address: z.string(), tier: z.string() })
  .readonly();
export type OperationHost = z.output<typeof host>;

/** Of every entry. `at` is milliseconds UTC, `window` the id of the window that wrote it. */
const common = { at: z.number(), window: z.string() };

/** Of a call of the assistant. A conversation may be gone; its id and title stay. */
const call = {
  ...common,
  actor: z.literal('assistant'),
  conversation: z.object({ id: z.string(), title: z.string() }).readonly(),
  runId: z.string(),
  callId: z.string(),
  tool: z.string(),
  host: z.exactOptional(host),
};

/** What a call is about to do, redacted and whole. `digest` is SHA-256 over the canonical JSON of this object without itself. */
const action = z
  .object({
    text: z.string(),
    details: z.array(z.object({ label: z.string(), value: z.string() }).readonly()).readonly(),
    arguments: jsonObject,
    digest: z.string(),
  })
  .readonly();
export type OperationAction = z.output<typeof action>;

/** Written before the call is dispatched, in the same commit as the fact that it is. */
const started = z
  .object({
    ...call,
    kind: z.literal('callStarted'),
    action: z.exactOptional(action),
    mode: z.string(),
    /** On what it runs; `id` names the grant or the approval, `asked` is the digest of what was shown. */
    ground: z
      .object({ kind: z.string(), id: z.exactOptional(z.string()), asked: z.exactOptional(z.string()) })
      .readonly(),
  })
  .readonly();

const ended = z
  .object({
    ...call,
    kind: z.literal('callEnded'),
    /** `unknown` also where a window ended before the result was there. */
    outcome: z.string(),
    durationMs: z.exactOptional(z.number()),
    /** Of a command: `exited`, `running` and so on, as its result says. */
    status: z.exactOptional(z.string()),
    exitCode: z.exactOptional(z.number()),
    signal: z.exactOptional(z.string()),
    outputBytes: z.exactOptional(z.number()),
    /** True where nothing told the end: it was added when the run was found without a living window, or ended without it. */
    isInferred: z.boolean(),
  })
  .readonly();

/** The call was answered without being dispatched. */
const refused = z
  .object({
    ...call,
    kind: z.literal('callRefused'),
    action: z.exactOptional(action),
    outcome: z.string(),
    /** The sentence that answered it. */
    reason: z.string(),
  })
  .readonly();

/** One answer of a person, the review, a rule or the runtime to a call; in the middle of it also what a grant or full access answered. */
const decided = z
  .object({
    ...call,
    kind: z.literal('callDecided'),
    /** What a question in the middle of the call was about; absent for the call itself. */
    action: z.exactOptional(action),
    mode: z.string(),
    allowed: z.boolean(),
    /** The ground of an allowed call, or who denied it. */
    by: z.string(),
    id: z.exactOptional(z.string()),
    asked: z.exactOptional(z.string()),
    /** What was said about it: the reason of a denial, the rationale of a review. */
    words: z.exactOptional(z.string()),
    /** How the security review rated it: the risk, and how far the person's words authorize it. */
    risk: z.exactOptional(z.string()),
    authorization: z.exactOptional(z.string()),
  })
  .readonly();

/** What people did, and what Termind did on its own for them. `facts` are details by name, redacted. */
const act = z
  .object({
    ...common,
    kind: z.literal('act'),
    actor: z.enum(['person', 'termind']),
    what: z.string(),
    host: z.exactOptional(host),
    facts: z.record(z.string(), z.string()).readonly(),
  })
  .readonly();

/** Rows up to and including `through` were too old and are gone. */
const pruned = z
  .object({
    ...common,
    kind: z.literal('pruned'),
    actor: z.literal('termind'),
    through: z.int(),
    hash: z.string(),
  })
  .readonly();

export const operationEntry = z.discriminatedUnion('kind', [started, ended, refused, decided, act, pruned]);

export type CallStartedEntry = z.output<typeof started>;
export type CallEndedEntry = z.output<typeof ended>;
export type CallRefusedEntry = z.output<typeof refused>;
export type CallDecidedEntry = z.output<typeof decided>;
export type ActEntry = z.output<typeof act>;
export type CallEntry = CallStartedEntry | CallEndedEntry | CallRefusedEntry | CallDecidedEntry;
export type OperationEntry = z.output<typeof operationEntry>;

/** A row as it is read: the text that was hashed, and what it says where it can be read. */
export interface OperationRow extends ChainRow {
  readonly entry: OperationEntry | undefined;
}

/** Where a log begins and ends now. */
export interface ChainBounds {
  /** The last row that was pruned, or the start. */
  readonly anchor: ChainPoint;
  /** The newest row; the anchor when there is none. */
  readonly head: ChainPoint;
}

/**
 * What was done to hosts, by whom and on what ground. Rows are only added, each with the hash of the one before; the database refuses
 * everything else. Calls of the assistant are written by the store of runs, in the commit that records their events, so none runs that
 * is not in it. No tool writes or reads it. Everything handed in is redacted. Rejects as `RunStorePort` does.
 * Source: mission C13; decisions 13; vscode.md section 9.
 */
export interface OperationsPort {
  /** Resolves when the row has reached the disk. */
  append(entry: ActEntry): Promise<ChainPoint>;
  /** Oldest first, behind row `after`. */
  rows(after: number): AsyncIterable<OperationRow>;
  /** Newest first, at most `limit`: of one host, or of all. */
  newest(query: { readonly hostId: string | undefined; readonly limit: number }): AsyncIterable<OperationRow>;
  bounds(): Promise<ChainBounds>;
  /** The hash that is stored for a row. */
  hashAt(seq: number): Promise<string | undefined>;
  /**
   * Removes the rows before the first one that is not older than `before` (milliseconds UTC), and adds one that says so. The newest row
   * always stays. Resolves with how many went.
   */
  prune(before: number): Promise<number>;
  /** Rows of this window are on the disk; tells the newest of them. */
  readonly onDidAppend: Event<ChainPoint>;
}
