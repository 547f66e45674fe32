import type { z } from 'zod';
import { codePoints, nonBlank } from '../../schemas.ts';
import type { ScratchTotals, ScratchTransferred } from '../../scratch/scratchWorkspace.ts';
import type { JsonObject } from '../../json.ts';
import type { ToolDefinition } from '../../tool.ts';

type Descriptor = ToolDefinition<z.ZodObject>['descriptor'];

/** What all scratch tools share: they run in parallel (scratch itself runs them in order) and touch only what the app owns. */
export const scratchDescriptor = {
  target: 'local',
  concurrency: 'parallel',
} as const satisfies Partial<Descriptor>;

/** Bytes are the limit that scratch itself checks; the rest of its rules are words of the description. */
export const scratchPathInput = nonBlank(1_024);

export const pathHint =
  'Path in scratch: relative, with "/", at most 8 components; no "..", no links, no names that Windows reserves.';

/** Text of up to 131,072 characters that may be empty. */
export const contentInput = codePoints(131_072);

export function entryFields(totals: ScratchTotals): JsonObject {
  return { total_bytes: totals.bytes, entry_count: totals.files };
}

export function byteFields(totals: ScratchTotals): JsonObject {
  return { total_bytes: totals.bytes, byte_quota: totals.byteQuota };
}

/** The result of a copy or move. Source: tool contract, `scratch_copy`. */
export function transferFields(done: ScratchTransferred): JsonObject {
  const { from, to, kind, files, bytes, overwritten, totals } = done;
  return { from, to, kind, files, bytes, overwritten, ...entryFields(totals) };
}
