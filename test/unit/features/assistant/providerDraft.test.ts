import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { kindDefaults, providerKinds } from '../../../../src/application/providerKinds.ts';
import { parseSettings } from '../../../../src/application/settings.ts';
import {
  baseUrlOf,
  providerId,
  storedProviders,
  withProvider,
} from '../../../../src/features/assistant/model/providerDraft.ts';

const draft = {
  label: 'Local',
  kind: 'openai-chat',
  baseUrl: 'http://127.0.0.1:11434/v1',
  model: 'qwen',
} as const;

describe('a model that a person adds', () => {
  for (const [label, id] of [
    ['Local', 'local'],
    ['GPT 5 (Example)', 'gpt-5-example'],
    ['Größe', 'gro-e'],
    ['漢字', 'model'],
    ['--', 'model'],
  ] as const)
    it(`${label} is stored as ${id}`, () => {
      assert.equal(providerId(label, new Set()), id);
    });

  it('a taken id is numbered', () => {
    assert.equal(providerId('Local', new Set(['local', 'local-2'])), 'local-3');
  });

  it('whatever the label, the settings take the id', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 120, unit: 'binary' }), (label) => {
        assert.match(providerId(label, new Set(['model'])), /^[a-z0-9][a-z0-9-]{0,63}$/);
      }),
    );
  });

  for (const [text, url] of [
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    [' http://127.0.0.1:11434/v1/ ', 'http://127.0.0.1:11434/v1'],
    ['https://user:secret@example.com/v1', undefined],
    ['https://example.com/v1?key=secret', undefined],
    ['https://example.com/v1#x', undefined],
    ['ftp://example.com', undefined],
    ['example.com', undefined],
    ['', undefined],
  ] as const)
    it(`the address ${JSON.stringify(text)} is ${url ?? 'refused'}`, () => {
      assert.equal(baseUrlOf(text), url);
    });

  it('is one more row that the settings accept; rows nobody can read stay', () => {
    const strange = { id: 'later', kind: 'of-another-version' };
    const { setting, id } = withProvider([strange], draft);
    assert.deepEqual(setting, [strange, { id: 'local', ...draft }]);
    assert.equal(id, 'local');
    const read = parseSettings(
      (name) => (name === 'providers' ? setting : undefined),
      () => undefined,
    );
    assert.deepEqual(
      read.providers.map((provider) => provider.id),
      ['local'],
    );
  });

  for (const kind of providerKinds)
    it(`${kind}: the address that is proposed is taken as it is, and the settings accept the row`, () => {
      const { baseUrl } = kindDefaults[kind];
      assert.equal(baseUrlOf(baseUrl), baseUrl);
      const { setting } = withProvider([], { ...draft, kind, baseUrl });
      const problems: string[] = [];
      const read = parseSettings(
        (name) => (name === 'providers' ? setting : undefined),
        (problem) => problems.push(problem),
      );
      assert.deepEqual([read.providers, problems], [setting, []]);
    });

  it('a setting that is no list counts as empty', () => {
    assert.deepEqual(withProvider('broken', draft).setting, [{ id: 'local', ...draft }]);
    assert.deepEqual(storedProviders(3), []);
    assert.deepEqual(storedProviders([{ id: 'a' }, 7]), [{ id: 'a', label: 'a' }]);
  });
});
