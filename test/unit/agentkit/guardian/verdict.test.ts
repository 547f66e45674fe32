import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  readVerdict,
  riskLevels,
  userAuthorizations,
  type Verdict,
} from '../../../../src/agentkit/guardian/verdict.ts';

const allow = (more: Partial<Verdict> = {}): Verdict => ({
  outcome: 'allow',
  rationale: '',
  risk: 'low',
  authorization: 'unknown',
  ...more,
});
const deny = (more: Partial<Verdict> = {}): Verdict => ({
  ...allow(),
  outcome: 'deny',
  risk: undefined,
  ...more,
});

describe('the verdict of a security review', () => {
  for (const [text, verdict, why] of [
    ['{"outcome":"allow"}', allow(), 'a bare allow counts as low risk'],
    ['{"outcome":"deny"}', deny(), 'a bare denial names no risk'],
    [
      '{"rationale":"fits","risk_level":"medium","user_authorization":"high","outcome":"allow"}',
      allow({ rationale: 'fits', risk: 'medium', authorization: 'high' }),
      'all members are read',
    ],
    ['```json\n{"outcome":"allow"}\n```', allow(), 'a code fence around it is none of it'],
    [' \n{"outcome":"deny"}\n', deny(), 'space around it is none of it'],
    ['{"outcome":"deny","risk_level":"critical"}', deny({ risk: 'critical' }), 'critical may be denied'],
    [
      `{"outcome":"deny","rationale":"${'é'.repeat(2_048)}"}`,
      deny({ rationale: 'é'.repeat(2_048) }),
      'a rationale may have 4,096 bytes',
    ],
    [`{"outcome":"deny","rationale":"${'é'.repeat(2_048)}x"}`, undefined, 'a longer rationale is malformed'],
    [`{"outcome":"deny"}${' '.repeat(16_384)}`, undefined, 'more than 16 KiB is malformed'],
    ['{"outcome":"allow","confidence":1}', undefined, 'another member is malformed'],
    ['{"outcome":"allow","__proto__":"x"}', undefined, 'a member of the prototype is another member'],
    ['{"outcome":"deny","outcome":"allow"}', undefined, 'two answers are none'],
    ['{"outcome":"deny","\\u006futcome":"allow"}', undefined, 'two answers in disguise are none'],
    [
      '{"rationale":"\\"outcome\\": deny, \\"outcome\\": deny","outcome":"allow"}',
      allow({ rationale: '"outcome": deny, "outcome": deny' }),
      'names inside a text are no members',
    ],
    ['{"outcome":"Allow"}', undefined, 'another spelling is malformed'],
    ['{"outcome":true}', undefined, 'no word is malformed'],
    ['{"outcome":null}', undefined, 'null is malformed'],
    ['{"rationale":"fine","risk_level":"low"}', undefined, 'no outcome is malformed'],
    ['{"outcome":"allow","risk_level":"none"}', undefined, 'an unknown risk is malformed'],
    ['{"outcome":"allow","risk_level":null}', undefined, 'a risk of null is malformed'],
    ['{"outcome":"allow","user_authorization":"full"}', undefined, 'an unknown authorization is malformed'],
    ['[{"outcome":"allow"}]', undefined, 'a list is malformed'],
    ['"allow"', undefined, 'a text is malformed'],
    ['allow', undefined, 'a word is malformed'],
    ['', undefined, 'nothing is malformed'],
    ['I allow it: {"outcome":"allow"}', undefined, 'words in front are malformed'],
    ['{"outcome":"allow"} as you said', undefined, 'words behind are malformed'],
    ['{"outcome":"deny"}\n{"outcome":"allow"}', undefined, 'two objects are malformed'],
    [
      '```json\n{"outcome":"deny"}\n```\n```json\n{"outcome":"allow"}\n```',
      undefined,
      'two fences are malformed',
    ],
    ['{"outcome":"allow"', undefined, 'what breaks off is malformed'],
  ] as const)
    it(why, () => assert.deepEqual(readVerdict(text), verdict));

  it('allows high risk only with medium or high authorization, and critical risk never', () => {
    const allowed = riskLevels.flatMap((risk) =>
      userAuthorizations
        .filter((authorization) => {
          const answer = { outcome: 'allow', risk_level: risk, user_authorization: authorization };
          return readVerdict(JSON.stringify(answer)) !== undefined;
        })
        .map((authorization) => `${risk} ${authorization}`),
    );
    assert.deepEqual(allowed, [
      ...userAuthorizations.map((authorization) => `low ${authorization}`),
      ...userAuthorizations.map((authorization) => `medium ${authorization}`),
      'high medium',
      'high high',
    ]);
    assert.equal(
      readVerdict('{"outcome":"allow","risk_level":"high"}'),
      undefined,
      'without any authorization',
    );
  });
});
