import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isFaultCode, type Fault, type FaultCode } from '../fault.ts';
import { parseHostId, type HostId } from '../host/hostId.ts';

declare const transferIdBrand: unique symbol;
export type TransferId = string & { readonly [transferIdBrand]: true };

export function newTransferId(): TransferId {
  return randomUUID() as TransferId;
}

/** The id that a stored row or a caller names. */
export function asTransferId(text: string): TransferId {
  return text as TransferId;
}

/** How many failed files of a folder are kept with their reasons; the others are only counted. */
export const keptFailures = 20;
/** How many files that got another name are remembered, so that going on does not copy them a second time. */
export const keptRenames = 200;

const hostId = z.custom<HostId>((value) => typeof value === 'string' && parseHostId(value) !== undefined);

/** One end of a transfer. Names and paths are spelt as `textOfPath` spells them. */
const place = z.discriminatedUnion('k', [
  z
    .object({
      k: z.literal('local'),
      folder: z.string().min(1),
      path: z.array(z.string()).readonly(),
    })
    .readonly(),
  z
    .object({
      k: z.literal('remote'),
      host: hostId,
      path: z.string().min(1),
      /** What the host was when somebody agreed to the transfer, as `placeKey` tells it: one that leads elsewhere by now gets nothing. */
      shown: z.exactOptional(z.string()),
    })
    .readonly(),
]);
export type TransferPlace = z.output<typeof place>;

const fault: z.ZodType<Fault> = z
  .object({
    code: z.custom<FaultCode>(isFaultCode),
    stage: z.enum([
      'resolve',
      'route',
      'transport',
      'kex',
      'trust',
      'auth',
      'channel',
      'sftp',
      'link',
      'local',
    ]),
    hop: z.exactOptional(z.string()),
    facts: z.record(z.string(), z.string()).readonly(),
    retry: z.enum(['never', 'backoff', 'user']),
    outcome: z.enum(['not-sent', 'failed', 'unknown']),
  })
  .readonly();

const fileFailure = z.object({ path: z.string(), fault }).readonly();

const count = z.number().int().nonnegative();

/**
 * `paused`: a person stopped it, or its window ended; it goes on only when somebody says so. `failed`: it ended, and something is missing.
 * `lost`: the connection went while the target was being replaced, and nobody knows which of the two is there. Source: tools.md 14.
 */
export const transferStates = [
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'lost',
] as const;
export type TransferState = (typeof transferStates)[number];

/** One entry of the queue as it is stored. A folder is one entry. Holds no secrets. Times are milliseconds since 1970. Source: ssh.md 8.8. */
export const transferRecordSchema = z
  .object({
    id: z.string().min(1).transform(asTransferId),
    kind: z.enum(['file', 'folder']),
    from: place,
    to: place,
    /** What happens with a target that is there; `ask`: a person decides, once for each or for all; `refuse`: the file fails with `exists`. */
    policy: z.enum(['ask', 'skip', 'overwrite', 'rename', 'resume', 'refuse']),
    /** The target of a file is read back and compared. */
    verify: z.boolean(),
    /** Of a file: other bytes are not sent. Hexadecimal. */
    expectSourceSha256: z.exactOptional(z.string()),
    by: z.enum(['person', 'tool']),
    state: z.enum(transferStates),
    addedAt: count,
    startedAt: z.exactOptional(count),
    finishedAt: z.exactOptional(count),
    /** How often it was started. */
    starts: count,
    doneBytes: count,
    totalBytes: z.exactOptional(count),
    doneFiles: count,
    totalFiles: z.exactOptional(count),
    skippedFiles: count,
    /** Failed files and directories of a folder. */
    failedFiles: count,
    /** The first of them, with paths for people. */
    failures: z.array(fileFailure).max(keptFailures).readonly(),
    /** The sources, for people, that got another name. */
    renamed: z.array(z.string()).max(keptRenames).readonly(),
    /** Files that were other ones at the end than at the beginning. */
    changedFiles: count,
    /** Why the whole of it ended. */
    fault: z.exactOptional(fault),
    /** What a comparison of both ends has found, after the transfer was over. */
    verification: z.exactOptional(
      z
        .object({
          at: count,
          files: count,
          different: count,
          /** At the target under another name, so that they were not compared. */
          leftOut: count,
          /** The first that differ, with paths for people. */
          failures: z.array(fileFailure).max(keptFailures).readonly(),
        })
        .readonly(),
    ),
    /** Of a file, where it was asked for. */
    sha256: z.exactOptional(z.string()),
  })
  .readonly();
export type TransferRecord = z.output<typeof transferRecordSchema>;

/** Nothing happens with it any more unless somebody starts it anew. */
export function hasFinished({ state }: Pick<TransferRecord, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'lost';
}

/** The hosts at its ends, each once. */
export function hostsOf({ from, to }: Pick<TransferRecord, 'from' | 'to'>): readonly HostId[] {
  return [...new Set([from, to].flatMap((end) => (end.k === 'remote' ? [end.host] : [])))];
}
