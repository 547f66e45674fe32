import { createHash } from 'node:crypto';
import { z } from 'zod';

/** One place of the chain. `hash` is SHA-256 in hex. */
export interface ChainPoint {
  readonly seq: number;
  readonly hash: string;
}

/** A row as it is stored: the text that is hashed, under its number, with its hash. */
export interface ChainRow extends ChainPoint {
  readonly text: string;
}

/** The hash that row 1 names as the one before it. */
export const chainStart: ChainPoint = { seq: 0, hash: '0'.repeat(64) };

/** Why a log is not the one that was written. `seq` is the first row that shows it; what stands behind it is not looked at. */
export type ChainFault =
  | { readonly k: 'missing'; readonly seq: number }
  | { readonly k: 'changed'; readonly seq: number }
  | { readonly k: 'unlinked'; readonly seq: number }
  | { readonly k: 'misnumbered'; readonly seq: number };

/** The hash of a row. The text holds number and previous hash as members of its JSON, so nothing is concatenated. */
export function hashOfRow(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

const linkage = z.object({ seq: z.int(), previous: z.string() });

/** What is wrong with the row that should follow on `before`; undefined when it is the one that was written behind it. */
export function faultOfRow(before: ChainPoint, row: ChainRow): ChainFault | undefined {
  const seq = before.seq + 1;
  if (row.seq !== seq) return { k: 'missing', seq };
  if (hashOfRow(row.text) !== row.hash) return { k: 'changed', seq };
  const linked = linkage.safeParse(jsonOf(row.text));
  if (!linked.success || linked.data.seq !== seq) return { k: 'misnumbered', seq };
  return linked.data.previous === before.hash ? undefined : { k: 'unlinked', seq };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
