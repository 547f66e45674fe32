import type { z } from 'zod';
import type { Checked } from './wire.ts';

/** A body that fits its schema and breaks no rule, or every reason why not. */
export function checkBody<Body>(
  schema: z.ZodType<Body>,
  body: unknown,
  rules: (request: Body) => readonly string[],
): Checked<Body> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const violations = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return { ok: false, violations };
  }
  const violations = rules(parsed.data);
  return violations.length === 0 ? { ok: true, request: parsed.data } : { ok: false, violations };
}
