import { z } from 'zod';
import { parseHostId, type HostId } from '../host/hostId.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const stamp = z
  .object({ sha256: digest, size: z.number().int().nonnegative(), mtime: z.number().optional() })
  .transform(({ mtime, ...rest }) => ({ ...rest, mtime }));
/** As `textOfPath` spells it. */
const path = z.string().min(1).max(65_536);

/**
 * What a save may have left on the server, written down before each step that leaves something. Paths are spelt by `textOfPath`.
 * Source: ssh.md 8.5.
 */
const traceSchema = z
  .object({
    /** The file behind all links. */
    target: path,
    /** What it held when it was compared. */
    found: z.union([stamp, z.literal('missing')]),
    /** The new content beside it. */
    part: path.optional(),
    /** Where the old file waits while the server cannot replace it in one step. */
    aside: path.optional(),
    /** A copy of the old content. */
    backup: path.optional(),
    /** The backup is whole, and the target is being written in place. */
    isInPlace: z.literal(true).optional(),
  })
  .readonly();
export type SaveTrace = z.output<typeof traceSchema>;

/** One save as it is kept on this machine until it is confirmed; its content lies beside it. Holds no secrets. Source: ssh.md 8.5, "kept". */
export const keptSaveSchema = z
  .object({
    version: z.literal(1),
    host: z.string().transform((text, context): HostId => {
      const id = parseHostId(text);
      if (id !== undefined) return id;
      context.addIssue({ code: 'custom', message: 'no host id' });
      return z.NEVER;
    }),
    path,
    /** Whose rights, for elevated files. */
    as: z.string().optional(),
    writer: z.string(),
    base: z.union([stamp, z.literal(['missing', 'anything'])]),
    /** What the file held before is to stay beside it. */
    keepsBackup: z.boolean(),
    content: z.object({ sha256: digest, size: z.number().int().nonnegative() }),
    /** Milliseconds since 1970. */
    keptAt: z.number(),
    /** Absent until something may be on the server. */
    trace: traceSchema.optional(),
  })
  .readonly();
export type KeptSaveRecord = z.output<typeof keptSaveSchema>;
