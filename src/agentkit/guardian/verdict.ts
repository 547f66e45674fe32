import { z } from 'zod';
import { parseJsonObject, type JsonSchema } from '../json.ts';
import { reviewLimits } from './limits.ts';

export const riskLevels = ['low', 'medium', 'high', 'critical'] as const;
export type RiskLevel = (typeof riskLevels)[number];

export const userAuthorizations = ['unknown', 'low', 'medium', 'high'] as const;
export type UserAuthorization = (typeof userAuthorizations)[number];

/** What a review found. The rationale is foreign text, at most 4,096 bytes. */
export interface Verdict {
  readonly outcome: 'allow' | 'deny';
  readonly rationale: string;
  /** Undefined for a denial that names none. */
  readonly risk: RiskLevel | undefined;
  readonly authorization: UserAuthorization;
}

const answered = z.strictObject({
  outcome: z.enum(['allow', 'deny']),
  rationale: z
    .string()
    .refine((text) => Buffer.byteLength(text, 'utf8') <= reviewLimits.rationaleBytes)
    .optional(),
  risk_level: z.enum(riskLevels).optional(),
  user_authorization: z.enum(userAuthorizations).optional(),
});

/** The form of an answer, for models that can promise one. All members are required there: strict forms know no others. */
export const verdictSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    rationale: { type: 'string' },
    risk_level: { type: 'string', enum: [...riskLevels] },
    user_authorization: { type: 'string', enum: [...userAuthorizations] },
    outcome: { type: 'string', enum: ['allow', 'deny'] },
  },
  required: ['rationale', 'risk_level', 'user_authorization', 'outcome'],
};

/**
 * The verdict in what a model answered, perhaps inside a code fence. Undefined for everything that is not exactly one, and for an allow
 * that the rules forbid: critical risk, or high risk without at least medium authorization. An allow without a risk counts as low risk.
 * Nothing is repaired. Source: agent runtime contract, section 12.
 */
export function readVerdict(answer: string): Verdict | undefined {
  if (Buffer.byteLength(answer, 'utf8') > reviewLimits.verdictBytes) return undefined;
  const json = /^```(?:json)?[ \t]*\n(.*)\n[ \t]*```$/s.exec(answer.trim())?.[1] ?? answer;
  const parsed = answered.safeParse(parseJsonObject(json));
  if (!parsed.success || hasRepeatedMember(json)) return undefined;
  const { outcome, rationale = '', risk_level, user_authorization: authorization = 'unknown' } = parsed.data;
  const risk = risk_level ?? (outcome === 'allow' ? 'low' : undefined);
  if (outcome === 'allow' && !mayBeAllowed(risk, authorization)) return undefined;
  return { outcome, rationale, risk, authorization };
}

/** Canonical: what stands in the history of later reviews. */
export function verdictText(verdict: Verdict): string {
  return JSON.stringify({
    rationale: verdict.rationale,
    risk_level: verdict.risk,
    user_authorization: verdict.authorization,
    outcome: verdict.outcome,
  });
}

function mayBeAllowed(risk: RiskLevel | undefined, authorization: UserAuthorization): boolean {
  switch (risk) {
    case 'low':
    case 'medium':
      return true;
    case 'high':
      return authorization === 'medium' || authorization === 'high';
    case 'critical':
    case undefined:
      return false;
  }
}

/** JSON of text members only. The parser would take the last of two members of one name, which is an answer in two minds. */
function hasRepeatedMember(json: string): boolean {
  const names = [...json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/gs)].flatMap(([, text = '', colon]) =>
    colon === undefined ? [] : [JSON.parse(text) as string],
  );
  return new Set(names).size < names.length;
}
