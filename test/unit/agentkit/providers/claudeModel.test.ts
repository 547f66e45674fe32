import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { claudeModel } from '../../../../src/agentkit/providers/anthropic/claudeModel.ts';

const budgeted = { isBudgeted: true, maxOutputTokens: undefined };
const long = { isBudgeted: true, maxOutputTokens: 64_000 };
const adaptive = { isBudgeted: false, maxOutputTokens: 64_000 };
const unknown = { isBudgeted: false, maxOutputTokens: undefined };

describe('the name of a Claude model', () => {
  for (const [name, expected] of [
    ['claude-3-5-haiku-20241022', budgeted],
    ['claude-3-7-sonnet-latest', budgeted],
    ['claude-opus-4-20250514', budgeted],
    ['claude-opus-4@20250514', budgeted],
    ['claude-opus-4-1-20250805', budgeted],
    ['anthropic.claude-opus-4-1-20250805-v1:0', budgeted],
    ['claude-haiku-4-5', long],
    ['claude-haiku-4-5-20251001', long],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', long],
    ['claude-opus-4-6', adaptive],
    ['claude-opus-5', adaptive],
    ['claude-fable-5-2', adaptive],
    ['anthropic/claude-sonnet-5-5', adaptive],
    ['claude-next', unknown],
    ['lab-1', unknown],
    ['deepseek-chat', unknown],
  ] as const)
    it(`${name}: ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(claudeModel(name), expected);
    });
});
