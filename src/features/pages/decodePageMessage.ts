import { z } from 'zod';
import { mostBytesFromPage, pagesProtocol, type FromPage } from '../../webview/pages/protocol.ts';

const message = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hello'), protocol: z.literal(pagesProtocol) }),
  z.strictObject({ kind: z.literal('reload') }),
  z.strictObject({ kind: z.literal('copyAll') }),
  z.strictObject({ kind: z.literal('copyCode'), index: z.int().nonnegative() }),
  z.strictObject({ kind: z.literal('act'), action: z.string().max(4_096) }),
]);

/** What a page posted, or undefined when it is no message of the protocol. Source: vscode.md section 5. */
export function decodePageMessage(raw: unknown): FromPage | undefined {
  const { success, data } = message.safeParse(raw);
  return success && JSON.stringify(data).length <= mostBytesFromPage ? data : undefined;
}
