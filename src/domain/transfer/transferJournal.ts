import { z } from 'zod';

/** Content is remembered and verified in blocks of this many bytes. Source: ssh.md 8.7, 4. */
export const blockBytes = 4 * 1024 * 1024;

const bytes = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * The transfer that was asked for, a file or the folder that it is in, by its key, and the target beside which a part lies: its path on the
 * host, as `textOfPath` spells it, or its names below the folder of this machine.
 */
export const wholeTransferSchema = z
  .object({ key: sha256, target: z.union([z.string().min(1), z.array(z.string()).readonly()]) })
  .strict()
  .readonly();
export type WholeTransfer = z.output<typeof wholeTransferSchema>;

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
    blocks: z.array(z.tuple([bytes, sha256])).max(4_000_000),
    whole: z.exactOptional(wholeTransferSchema),
  })
  .strict()
  .readonly();
export type TransferJournal = z.output<typeof transferJournalSchema>;
