import type { z } from 'zod';
import type { LogPort } from '../../application/ports/prompts.ts';

/**
 * A JSON column as a value, or undefined when it cannot be read: one bad row costs one row. What is logged names the row and never
 * its content. Source: vscode.md 9.
 */
export function decodeJson<T>(
  schema: z.ZodType<T>,
  text: unknown,
  row: { readonly name: string; readonly log: LogPort },
): T | undefined {
  try {
    if (typeof text !== 'string') throw new TypeError('not text');
    return schema.parse(JSON.parse(text));
  } catch {
    row.log.warn('store', `${row.name} cannot be read`);
    return undefined;
  }
}
