import { z } from 'zod';
import { sortedJson, type Grant, type GrantShape, type JsonObject } from '../../agentkit/index.ts';

/** A grant as its row holds it. */
export const grantPayload: z.ZodType<Grant> = z.object({
  id: z.string().min(1),
  shape: z.object({
    tool: z.string(),
    targetId: z.string(),
    key: z.custom<JsonObject>((value) => z.record(z.string(), z.json()).safeParse(value).success),
    action: z.string(),
    target: z.string(),
  }),
  givenAt: z.int(),
});

/** What must be equal for a grant to cover a call, as one text; what a person reads is not in it. */
export function shapeText({ tool, targetId, key }: GrantShape): string {
  return sortedJson({ tool, targetId, key });
}
