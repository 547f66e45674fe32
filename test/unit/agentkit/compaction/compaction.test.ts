import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  ProviderError,
  type AgentRuntimeOptions,
  type ModelItem,
  type ModelRequest,
  type StandingFact,
} from '../../../../src/agentkit/index.ts';
import { compactAbove } from '../../../../src/agentkit/compaction/limits.ts';
import { ContextMeter } from '../../../../src/agentkit/contextMeter.ts';
import { chatRequestBody } from '../../../../src/agentkit/providers/openai/chatRequest.ts';
import { assertGolden } from '../../../golden.ts';
import { checkChatRequest } from '../../../lab/chatRules.ts';
import { compactingModel, type CompactingModel } from '../support/compactingModel.ts';
import { secret } from '../support/plainRedactor.ts';
import { probeTool, success } from '../support/probeTool.ts';
import {
  bench,
  bodies,
  failureOf,
  finished,
  plainPolicy,
  prepare,
  results,
  type Bench,
  type PreparedRun,
} from '../support/runHarness.ts';
import { answer, asks, call, cutOff, done, say, type Step } from '../support/scriptedStream.ts';

const window = 40_000;
/** About 5,000 tokens. */
const page = 'The log of the host says that all is well. '.repeat(500);
const bigTool = probeTool('read', { execute: ({ value }) => success({ page: `${value ?? ''} ${page}` }) });
const tooLong = (): ProviderError =>
  new ProviderError({ code: 'contextLength', retryable: false, status: 400 });

/** Answers that read page after page and then say they are done. */
function reading(pages: number): readonly (readonly Step[])[] {
  const turns = Array.from({ length: pages }, (_, at) =>
    asks(call(`c${String(at + 1)}`, 'read', { value: String(at + 1) })),
  );
  return [...turns, answer('Read.')];
}

function using(
  model: CompactingModel,
  more: Partial<AgentRuntimeOptions> = {},
): Partial<AgentRuntimeOptions> {
  return { model, ...more };
}

function withFacts(...facts: readonly StandingFact[]): Partial<AgentRuntimeOptions> {
  return { policies: { ...plainPolicy, standingFacts: () => Promise.resolve(facts) } };
}

const textsOf = (request: ModelRequest | undefined): readonly string[] =>
  (request?.items ?? []).map((item) => item.text);
const bytesOf = (request: ModelRequest | undefined): string =>
  (request?.items ?? []).map((item: ModelItem) => JSON.stringify(item)).join('\n');

function assertAccepted(requests: readonly ModelRequest[]): void {
  const dialect = { model: 'lab-1', images: false, reasoning: [], sendsCacheKey: false };
  for (const request of requests) {
    const checked = checkChatRequest(chatRequestBody(request, dialect));
    assert.deepEqual(checked.ok ? [] : checked.violations, []);
  }
}

describe('a run that comes near the end of the window', () => {
  it('summarises what is old between its turns and goes on', async () => {
    const model = compactingModel({ turns: reading(8) }, { contextWindow: window });
    const run = await finished({ answers: [], tools: [bigTool], options: using(model) });
    assert.equal(run.state, 'completed');
    assert.ok(model.summaries.length > 0);
    assertAccepted([...model.turns, ...model.summaries]);
    const meter = new ContextMeter();
    for (const request of model.turns) assert.ok(meter.request(request) <= compactAbove(window) + 6_000);
  });

  it('keeps every message in the store and announces each cut', async () => {
    const model = compactingModel({ turns: reading(8) }, { contextWindow: window });
    const run = await finished({ answers: [], tools: [bigTool], options: using(model) });
    const stored = await run.store.load(run.conversationId);
    assert.equal(stored?.messages.length, 1 + 8 * 2 + 1);
    assert.deepEqual(
      bodies(run.events, 'compactionFinished').map(({ record }) => record),
      stored.compactions,
    );
  });

  it('shows no trace of the summary as an answer', async () => {
    const model = compactingModel({ turns: reading(8) }, { contextWindow: window });
    const run = await finished({ answers: [], tools: [bigTool], options: using(model) });
    const shown = bodies(run.events, 'messageDelta', 'messageStarted', 'messageFinished');
    assert.equal(JSON.stringify(shown).includes('All is well.'), false);
    assert.equal(bodies(run.events, 'messageStarted').length, 9);
  });

  it('requests grow byte by byte between two cuts', async () => {
    const model = compactingModel({ turns: reading(12) }, { contextWindow: window });
    await finished({ answers: [], tools: [bigTool], options: using(model) });
    const cuts = model.turns.filter(
      (request, at) => at > 0 && !bytesOf(request).startsWith(bytesOf(model.turns[at - 1])),
    );
    assert.equal(cuts.length, model.summaries.length);
  });

  it('asks for the summary without tools, over lines that are data', async () => {
    const model = compactingModel({ turns: reading(8) }, { contextWindow: window });
    await finished({ answers: [], tools: [bigTool], options: using(model) });
    const [first, second] = model.summaries;
    assertGolden('agentkit/summariser.txt', `${first?.system ?? ''}\n`);
    assert.deepEqual([first?.tools, first?.items.length], [[], 1]);
    const lines = (textsOf(first)[0] ?? '').split('\n');
    assert.deepEqual([lines[0], lines.at(-3)], ['<untrusted-data>', '</untrusted-data>']);
    assert.equal(lines[1], '{"from":"user","text":"How busy is it?"}');
    assert.ok(lines.every((line) => line.length < 3_000));
    assert.match(
      textsOf(second)[0] ?? '',
      /^<untrusted-data>\n\{"from":"summary","text":"## Goal\\nAll is well\."\}\n/,
    );
  });

  it('vector 27: keeps "never restart prod-db" and host ids word for word, and splits no group', async () => {
    const host = '"prod-db" (host_id 0b6f0d0e-6d6f-4a53-8a38-222222222222)';
    const model = compactingModel({ turns: reading(12) }, { contextWindow: window });
    await finished({
      answers: [],
      tools: [bigTool],
      prompt: 'Read it all, but never restart prod-db',
      options: using(model, withFacts({ title: 'Hosts', lines: [host] })),
    });
    assert.ok(model.summaries.length > 1);
    const last = textsOf(model.turns.at(-1));
    assertGolden('agentkit/compacted.txt', `${last.slice(0, 2).join('\n\n')}\n`);
    assert.ok(last[1]?.includes(`Hosts:\n${host}\n`));
    assert.ok(last[1]?.includes('\nRead it all, but never restart prod-db\n'));
    assertAccepted(model.turns);
  });

  it('vector 9: a frozen text is the same after later turns, compaction, a restart and another provider', async () => {
    const on = await bench();
    const first = compactingModel({ turns: reading(8) }, { contextWindow: window });
    const run = await finished({ on, answers: [], tools: [bigTool], options: using(first) });
    const frozen = results(await run.stored());
    const second = compactingModel(
      { turns: [answer('Yes.')] },
      { contextWindow: window, tag: 'other/api/two' },
    );
    const again = await finished({ on, answers: [], prompt: 'Sure?', options: using(second) });
    assert.deepEqual(results(await again.stored()), frozen);
    const sent = [...first.turns, ...second.turns].flatMap(({ items }) => items);
    for (const item of sent) if (item.role === 'tool') assert.equal(item.text, frozen[item.callId]);
    assert.equal(Object.keys(frozen).length, 8);
    assert.ok(second.turns[0]?.items.some((item) => item.role === 'tool'));
  });

  it('goes on from the same bytes after a restart', async () => {
    const on = await bench();
    const first = compactingModel({ turns: reading(8) }, { contextWindow: window });
    await finished({ on, answers: [], tools: [bigTool], options: using(first) });
    const second = compactingModel({ turns: [answer('Yes.')] }, { contextWindow: window });
    await finished({ on, answers: [], tools: [bigTool], prompt: 'Sure?', options: using(second) });
    assert.ok(bytesOf(second.turns[0]).startsWith(bytesOf(first.turns.at(-1))));
  });

  it('describes the facts that hold again behind the summary', async () => {
    const model = compactingModel({ turns: reading(8) }, { contextWindow: window });
    const policies = { ...plainPolicy, contextFields: () => ({ folder: '/srv' }) };
    await finished({ answers: [], tools: [bigTool], options: using(model, { policies }) });
    assert.deepEqual(textsOf(model.turns[0]), ['folder: /srv', 'How busy is it?']);
    assert.equal(textsOf(model.turns.at(-1))[2], 'folder: /srv');
  });

  it("counts by the provider's own figures, also those of an earlier run", async () => {
    const on = await bench();
    const reported: readonly Step[] = [
      say('Read.'),
      { kind: 'usage', usage: { inputTokens: 8_000, outputTokens: 5 } },
      done,
    ];
    const plain = compactingModel({ turns: [reported] }, { contextWindow: window });
    await finished({ on, answers: [], prompt: page, options: using(plain) });
    // About 10,000 tokens by our count, 16,000 by theirs.
    const model = compactingModel({ turns: [answer('Again.')] }, { contextWindow: 30_000 });
    await finished({ on, answers: [], prompt: `Again: ${page}`, options: using(model) });
    assert.equal(model.summaries.length, 1);
  });

  it('never compacts while the window is unknown', async () => {
    const model = compactingModel({ turns: reading(12) });
    await finished({ answers: [], tools: [bigTool], options: using(model) });
    assert.equal(model.summaries.length, 0);
  });

  it('cuts a summary at a whole line below 16,384 characters', async () => {
    const long = `${'x'.repeat(99)}\n`.repeat(200);
    const model = compactingModel(
      { turns: reading(5), summaries: [[say(long), cutOff], answer('short')] },
      { contextWindow: window },
    );
    const run = await finished({ answers: [], tools: [bigTool], options: using(model) });
    const [record] = (await run.store.load(run.conversationId))?.compactions ?? [];
    assert.equal(record?.summary.length, 163 * 100 - 1);
  });

  it('keeps secrets out of the summary and the facts', async () => {
    const model = compactingModel(
      { turns: reading(5), summaries: [answer(`## Goal\n${secret}`)] },
      { contextWindow: window },
    );
    const facts = withFacts({ title: 'Hosts', lines: [secret] });
    const run = await finished({
      answers: [],
      tools: [bigTool],
      prompt: `It is ${secret}`,
      options: using(model, facts),
    });
    const stored = await run.store.load(run.conversationId);
    assert.equal(JSON.stringify(stored?.compactions).includes(secret), false);
    assert.equal(stored?.compactions[0]?.summary, '## Goal\n[redacted]');
  });

  it('does not stop over a summary that fails, and does not try again each turn', async () => {
    const refused = new ProviderError({ code: 'badRequest', retryable: false });
    const model = compactingModel({ turns: reading(8), summaries: [[refused]] }, { contextWindow: window });
    const run = await finished({ answers: [], tools: [bigTool], options: using(model) });
    assert.equal(run.state, 'completed');
    assert.equal(model.summaries.length, 1);
    assert.deepEqual(run.logged, ['a conversation could not be summarised']);
    assert.deepEqual((await run.store.load(run.conversationId))?.compactions, []);
  });

  it('takes an empty summary for none', async () => {
    const model = compactingModel(
      { turns: reading(6), summaries: [answer(' \n')] },
      { contextWindow: window },
    );
    const run = await finished({ answers: [], tools: [bigTool], options: using(model) });
    assert.deepEqual((await run.store.load(run.conversationId))?.compactions, []);
  });

  it('is stopped in the middle of a summary at once, and loses nothing', async () => {
    const model = compactingModel({ turns: reading(8), summaries: [['silence']] }, { contextWindow: window });
    const run = await prepare({ answers: [], tools: [bigTool], options: using(model) });
    const state = run.runtime.run();
    while (model.summaries.length === 0) await run.clock.advance(0);
    run.runtime.stop();
    assert.equal(await state, 'cancelled');
    const stored = await run.store.load(run.conversationId);
    assert.deepEqual([stored?.compactions, stored?.messages.at(-1)?.role], [[], 'tool']);
  });

  it('ends when the record cannot be stored', async () => {
    const on = await bench();
    on.store.before = (method) => {
      if (method === 'recordCompaction') throw new Error('disk');
    };
    const model = compactingModel({ turns: reading(8) }, { contextWindow: window });
    const run = await finished({ on, answers: [], tools: [bigTool], options: using(model) });
    assert.deepEqual([run.state, failureOf(run.events)], ['failed', 'storeFailed']);
  });

  it('charges the summary to the cost ceiling, and not to the turns', async () => {
    const paid: readonly Step[] = [
      say('## Goal'),
      { kind: 'usage', usage: { inputTokens: 1, outputTokens: 1 } },
      done,
    ];
    const model = compactingModel({ turns: reading(8), summaries: [paid] }, { contextWindow: window });
    const run = await finished({
      answers: [],
      tools: [bigTool],
      options: using(model, { ceilings: { cost: 1 }, price: () => 1 }),
    });
    assert.equal(failureOf(run.events), 'ceilingReached');
  });
});

describe('a request that the provider finds too long', () => {
  async function started(
    turns: readonly (readonly Step[])[],
    on?: Bench,
  ): Promise<[PreparedRun, CompactingModel]> {
    const model = compactingModel({ turns });
    return [
      await finished({ ...(on && { on }), answers: [], tools: [bigTool], options: using(model) }),
      model,
    ];
  }

  it('is compacted once and made again', async () => {
    const [run, model] = await started([...reading(3).slice(0, 3), [tooLong()], answer('Read.')]);
    assert.deepEqual(
      [bodies(run.events, 'runFinished')[0]?.state, model.summaries.length, model.turns.length],
      ['completed', 1, 5],
    );
    assertAccepted(model.turns);
    assert.ok(bytesOf(model.turns[4]).length < bytesOf(model.turns[3]).length);
    assert.match(textsOf(model.turns[4])[0] ?? '', /^<summary>/);
  });

  it('fails the run when it is still too long then', async () => {
    const [run, model] = await started([...reading(3).slice(0, 3), [tooLong()], [tooLong()]]);
    assert.deepEqual([failureOf(run.events), model.summaries.length], ['modelContextLength', 1]);
  });

  it('summarises a prompt that is too long by itself', async () => {
    const model = compactingModel({ turns: [[tooLong()], answer('I see.')] });
    const run = await finished({ answers: [], prompt: page, options: using(model) });
    assert.equal(run.state, 'completed');
    assert.match(textsOf(model.turns[1])[0] ?? '', /^<summary>/);
  });

  it('asks for the summary of less when that is too long as well', async () => {
    const model = compactingModel({
      turns: [[tooLong()], answer('Read.')],
      summaries: [[tooLong()], [tooLong()], answer('Short.')],
    });
    const run = await finished({ answers: [], prompt: page.repeat(4), options: using(model) });
    assert.equal(run.state, 'completed');
    const sizes = model.summaries.map((request) => bytesOf(request).length);
    assert.deepEqual(
      sizes.toSorted((a, b) => b - a),
      sizes,
    );
  });
});
