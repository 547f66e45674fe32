import { z } from 'zod';

export const hostReportSchema = z.object({
  results: z.array(
    z.discriminatedUnion('state', [
      z.object({ state: z.literal('passed'), title: z.string(), ms: z.number() }),
      z.object({ state: z.literal('failed'), title: z.string(), error: z.string() }),
      z.object({ state: z.literal('skipped'), title: z.string(), reason: z.string().optional() }),
    ]),
  ),
});

/** What the tests in the extension host came to. */
export type HostReport = z.infer<typeof hostReportSchema>;
export type HostResult = HostReport['results'][number];
