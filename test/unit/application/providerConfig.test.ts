import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { capabilitiesOf, providerConfig } from '../../../src/application/providerConfig.ts';
import { kindDefaults } from '../../../src/application/providerKinds.ts';

const row = {
  id: 'a',
  label: 'A',
  kind: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  model: 'claude',
} as const;
const efforts = ['low', 'medium', 'high'];

describe('a configured model', () => {
  it('can what its kind can, and reads what every model behind the address of the vendor reads', () => {
    assert.deepEqual(capabilitiesOf(row), {
      tools: true,
      images: true,
      reasoning: efforts,
      contextWindow: 200_000,
    });
    assert.deepEqual(capabilitiesOf({ ...row, baseUrl: `${row.baseUrl}/` }).contextWindow, 200_000);
  });

  it('says nothing about the window of a model behind another address', () => {
    const { contextWindow } = capabilitiesOf({ ...row, baseUrl: 'https://models.example.com/v1' });
    assert.equal(contextWindow, undefined);
  });

  it('of a server that may be anybody’s assumes the least', () => {
    const { baseUrl } = kindDefaults['openai-chat'];
    assert.deepEqual(capabilitiesOf({ ...row, kind: 'openai-chat', baseUrl }), {
      tools: true,
      images: false,
      reasoning: [],
    });
  });

  it('can what the person says', () => {
    const said = {
      tools: false,
      images: false,
      reasoning: ['off', 'high'],
      contextWindow: 9_000,
      maxOutputTokens: 512,
    } as const;
    assert.deepEqual(capabilitiesOf({ ...row, ...said }), said);
  });

  for (const [reason, more] of [
    ['an unknown protocol', { kind: 'telepathy' }],
    ['an unknown level', { reasoning: ['extreme'] }],
    ['a window that holds nothing', { contextWindow: 10 }],
    ['a limit that is no number', { maxOutputTokens: 'many' }],
    ['another scheme', { baseUrl: 'ftp://example.com' }],
  ] as const)
    it(`is refused with ${reason}`, () => {
      assert.equal(providerConfig.safeParse({ ...row, ...more }).success, false);
    });
});
