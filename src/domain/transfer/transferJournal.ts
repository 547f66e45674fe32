import { z } from 'zod';

/** Content is remembered and verified in blocks of this many bytes. Source: ssh.md 8.7, 4. */
export const blockBytes = 4 * 1024 * 1024;

const bytes = z.number().int().nonnegative();

/**
 * What is known of a transfer that is not finished, so that it can go on later: the source as it was, the part that has been written
 * beside the target, and the blocks of it that are whole. Holds paths and digests, no content. Source: ssh.md 8.7, 4.
 */
export const transferJournalSchema = z
  .object({
    version: z.literal(1),
    source: z.object({ size: bytes, modified: z.number().nonnegative() }).strict(),
    /** The name of the part, as `textOfPath` spells it; it lies beside the target. */
    part: z.string().min(1).max(1_020),
    /** The whole blocks, by number, with the SHA-256 of each in hexadecimal. */
    blocks: z.array(z.tuple([bytes, z.string().regex(/^[0-9a-f]{64}$/)])).max(4_000_000),
  })
  .strict()
  .readonly();
export type TransferJournal = z.output<typeof transferJournalSchema>;
