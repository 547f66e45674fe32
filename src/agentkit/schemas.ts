import { z } from 'zod';

/** Text of `min` to `max` Unicode code points (not UTF-16 units). Prints `minLength` and `maxLength`. */
export function codePoints(max: number, min = 0): z.ZodString {
  return z
    .string()
    .refine((text) => codePointLength(text) >= min, { error: `must have at least ${String(min)} characters` })
    .refine((text) => codePointLength(text) <= max, { error: `must have at most ${String(max)} characters` })
    .meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max });
}

/** Text of 1 to `max` code points that is more than white space. For what people read. */
export function shownText(max: number): z.ZodString {
  return codePoints(max, 1).refine((text) => text.trim() !== '', { error: 'must not be blank' });
}

/** Text of at most `max` bytes in UTF-8. Prints `maxLength`, which is necessary and not sufficient; the check is exact. */
export function utf8Max(max: number): z.ZodString {
  return z
    .string()
    .refine((text) => Buffer.byteLength(text, 'utf8') <= max, {
      error: `must have at most ${String(max)} bytes in UTF-8`,
    })
    .meta({ maxLength: max });
}

/** Text of at most `max` bytes that is more than white space. The default for tool parameters. Source: tool contract, section 1. */
export function nonBlank(max: number): z.ZodString {
  return utf8Max(max)
    .refine((text) => text.trim() !== '', { error: 'must not be blank' })
    .meta({ minLength: 1, maxLength: max });
}

function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
