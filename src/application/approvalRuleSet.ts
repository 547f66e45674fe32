import { z } from 'zod';

const word = z.string().min(1).max(4_096);

/** One rule of the person about calls. It can only tighten. Source: agent runtime contract, section 11. */
const approvalRule = z.strictObject({
  /** Qualified name of a tool; absent = every tool. */
  tool: z.string().trim().min(1).max(128).exactOptional(),
  /** Label or id of a host; absent = wherever it runs. */
  host: z.string().trim().min(1).max(256).exactOptional(),
  /** The first words of a command, each word whole; absent = whatever runs. */
  argv: z.array(word).min(1).max(64).readonly().exactOptional(),
  effect: z.enum(['ask', 'deny']),
});
export type ApprovalRule = z.output<typeof approvalRule>;

/** `unreadable` = at least one rule is malformed: then everything is asked about, because nobody knows what was meant. */
export type ApprovalRuleSet = readonly ApprovalRule[] | 'unreadable';

const ruleList = z.array(approvalRule).max(1_000).readonly();

/** Reads the setting; absent is no rule. */
export function readApprovalRules(raw: unknown, onProblem: (problem: string) => void): ApprovalRuleSet {
  const parsed = ruleList.safeParse(raw ?? []);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.map((part) => `[${String(part)}]`).join('') ?? '';
  onProblem(
    `termind.approval.rules${where} is not usable (${issue?.message ?? 'malformed'}): everything is asked about until it is`,
  );
  return 'unreadable';
}
