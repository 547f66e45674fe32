import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { parseSettings, type TermindSettings } from '../../../src/application/settings.ts';

function parsed(raw: Partial<Record<keyof TermindSettings, unknown>>) {
  const problems: string[] = [];
  const settings = parseSettings(
    (name) => raw[name],
    (problem) => problems.push(problem),
  );
  return { settings, problems };
}

describe('the settings of a run', () => {
  it('limit nothing when nothing is set', () => {
    const { settings, problems } = parsed({});
    assert.deepEqual([settings.runCeilings, settings.prices, problems], [{}, {}, []]);
  });

  it('are taken as they are set', () => {
    const prices = { 'openai/gpt-x': { input: 2, output: 8, cachedInput: 0.5 } };
    const { settings, problems } = parsed({ runCeilings: { turns: 20, cost: 0.5 }, prices });
    assert.deepEqual(
      [settings.runCeilings, settings.prices, problems],
      [{ turns: 20, cost: 0.5 }, prices, []],
    );
  });

  for (const runCeilings of [{ turns: 0 }, { turns: 1.5 }, { cost: -1 }, { turn: 5 }, 'ten', [], null])
    it(`ask early instead of never when a ceiling is malformed: ${JSON.stringify(runCeilings)}`, () => {
      const { settings, problems } = parsed({ runCeilings });
      if (runCeilings === null) return assert.deepEqual([settings.runCeilings, problems], [{}, []]);
      assert.deepEqual(settings.runCeilings, { turns: 1 });
      assert.match(problems[0] ?? '', /^termind\.run\.ceilings is not usable: /);
    });

  it('name no reviewer until one is chosen', () => {
    for (const [reviewModel, expected] of [
      [undefined, ''],
      ['openai/gpt-x', 'openai/gpt-x'],
      [7, ''],
    ])
      assert.equal(parsed({ reviewModel }).settings.reviewModel, expected);
  });

  it('say what models of the editor can do, row by row', () => {
    const { settings, problems } = parsed({
      editorModels: { 'vendor/one': { tools: true }, 'vendor/two': { tools: 'yes' }, 'vendor/three': {} },
    });
    assert.deepEqual(settings.editorModels, { 'vendor/one': { tools: true }, 'vendor/three': {} });
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /^termind\.editorModels\["vendor\/two"\] is not usable: /);
    assert.deepEqual(parsed({ editorModels: 'all' }).settings.editorModels, {});
  });

  for (const [raw, mode] of [
    [undefined, 'trash'],
    ['permanent', 'permanent'],
    ['shred', 'trash'],
  ] as const)
    it(`delete files of hosts by ${mode} when it is set to ${JSON.stringify(raw)}`, () => {
      assert.equal(parsed({ deleteMode: raw }).settings.deleteMode, mode);
    });

  for (const [raw, use] of [
    [undefined, 'ask'],
    ['always', 'always'],
    ['sometimes', 'never'],
  ] as const)
    it(`use archives ${use} when it is set to ${JSON.stringify(raw)}`, () => {
      assert.equal(parsed({ archives: raw }).settings.archives, use);
    });

  for (const [raw, days] of [
    [undefined, 180],
    [0, 0],
    [7, 7],
    [-1, 180],
    [1.5, 180],
    ['for ever', 180],
    [1e9, 180],
  ] as const)
    it(`keep the operations log as long as is set, and 180 days without a usable number: ${String(raw)}`, () =>
      assert.equal(parsed({ operationsDays: raw }).settings.operationsDays, days));

  it('leave out a malformed price and keep the others', () => {
    const good = { input: 1, output: 2 };
    const { settings, problems } = parsed({ prices: { good, bad: { input: '1' }, worse: 7 } });
    assert.deepEqual(settings.prices, { good });
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? '', /^termind\.prices\["bad"\] is not usable: /);
  });
});
