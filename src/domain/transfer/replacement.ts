import { z } from 'zod';
import { wholeTransferSchema } from './transferJournal.ts';

/** As `textOfPath` spells names; both lie beside the target. */
const name = z.string().min(1).max(1_020);

/**
 * What a replacement in two steps may have left on a host: the old file under a name of its own, while the new one still has the name of its
 * part. Source: ssh.md 8.7, 5.
 */
export const replacementSchema = z
  .object({ version: z.literal(1), part: name, old: name, whole: z.exactOptional(wholeTransferSchema) })
  .strict()
  .readonly();
export type Replacement = z.output<typeof replacementSchema>;
