import { z } from 'zod';

/** What the parent asks of the process that runs mocha. */
export const childRequestSchema = z.object({
  files: z.array(z.string()),
  grep: z.string().optional(),
  testTimeoutMs: z.number(),
  lines: z.enum(['each', 'group']),
  reportFile: z.string(),
});
export type ChildRequest = z.infer<typeof childRequestSchema>;

/** What it leaves behind. A report that is not there means that the process did not get to the end. */
export const childReportSchema = z.object({
  passed: z.number(),
  failures: z.array(z.object({ title: z.string(), detail: z.string() })),
  skipped: z.number(),
  golden: z.array(z.string()),
});
export type ChildReport = z.infer<typeof childReportSchema>;
