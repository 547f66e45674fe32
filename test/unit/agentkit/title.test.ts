import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { newConversationId, ProviderError, proposeTitle } from '../../../src/agentkit/index.ts';
import { readTitle } from '../../../src/agentkit/title.ts';
import { assertGolden } from '../../golden.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { answer, scriptedStream, type Step } from './support/scriptedStream.ts';

const never = new AbortController().signal;

function asking(answers: readonly (readonly Step[])[], texts = { user: 'Why is it full?', answer: 'Logs.' }) {
  const model = scriptedStream(answers);
  const clock = new FakeClock();
  const conversationId = newConversationId();
  const order = { conversationId, model, clock, userText: texts.user, answerText: texts.answer };
  return { model, clock, conversationId, propose: (signal = never) => proposeTitle(order, signal) };
}

describe('a title by the model', () => {
  it('is asked for without tools, as one JSON object, over data', async () => {
    const { model, propose, conversationId } = asking([answer('{"title":"Full disk on lab"}')]);
    assert.equal(await propose(), 'Full disk on lab');
    const [request] = model.requests;
    assert.ok(request);
    const { system, ...rest } = request;
    assertGolden('agentkit/title.txt', `${system}\n`);
    assert.deepEqual(rest, {
      items: [
        {
          role: 'user',
          id: `title-of:${conversationId}`,
          text: '<untrusted-data>\n{"answer":"Logs.","message":"Why is it full?"}\n</untrusted-data>',
          images: [],
        },
      ],
      tools: [],
      reasoning: 'off',
      cacheKey: `${conversationId}:title`,
      responseSchema: {
        name: 'conversation_title',
        schema: {
          type: 'object',
          properties: { title: { type: 'string' } },
          required: ['title'],
          additionalProperties: false,
        },
      },
    });
  });

  it('reads 1,500 characters of each text', async () => {
    const { model, propose } = asking([answer('{}')], {
      user: '😀'.repeat(2_000),
      answer: 'a'.repeat(2_000),
    });
    await propose();
    const text = model.requests[0]?.items[0]?.text ?? '';
    assert.equal(text.includes(`"${'😀'.repeat(1_500)}"`), true);
    assert.equal(text.includes(`"${'a'.repeat(1_500)}"`), true);
  });

  it('is asked for without a schema where the endpoint refuses one', async () => {
    const refused = new ProviderError({ code: 'badRequest', retryable: false, status: 400 });
    const { model, propose } = asking([[refused], answer('{"title":"Full disk"}')]);
    assert.equal(await propose(), 'Full disk');
    assert.deepEqual(
      model.requests.map((request) => request.responseSchema !== undefined),
      [true, false],
    );
  });

  for (const [why, code] of [
    ['refused', 'unauthorized'],
    ['overloaded', 'overloaded'],
    ['unreachable', 'network'],
  ] as const)
    it(`is none, after one attempt, when the provider is ${why}`, async () => {
      const { model, propose } = asking([[new ProviderError({ code, retryable: true })]]);
      assert.equal(await propose(), undefined);
      assert.equal(model.requests.length, 1);
    });

  it('is none when the model is silent for 30 seconds, or the window closes', async () => {
    const silent = asking([['silence']]);
    const waiting = silent.propose();
    await silent.clock.advance(30_000);
    assert.equal(await waiting, undefined);
    const stop = new AbortController();
    const stopped = asking([['silence']]).propose(stop.signal);
    stop.abort(new Error('closed'));
    assert.equal(await stopped, undefined);
  });

  for (const [text, title, why] of [
    ['{"title":"Full disk on lab"}', 'Full disk on lab', 'is the JSON object'],
    ['```json\n{"title":"Full disk"}\n```', 'Full disk', 'may stand in a code fence'],
    [' {"title":" Full disk "} ', 'Full disk', 'is trimmed'],
    [`{"title":"${'x'.repeat(48)}"}`, 'x'.repeat(48), 'may have 48 characters'],
    [`{"title":"${'x'.repeat(49)}"}`, undefined, 'is none above 48 characters'],
    ['{"title":"a b c d e f"}', 'a b c d e f', 'may have six words'],
    ['{"title":"a b c d e f g"}', undefined, 'is none above six words'],
    ['{"title":"a\\u001b[31mb"}', undefined, 'is none with control characters'],
    ['{"title":"a\\nb"}', undefined, 'is none with a line break'],
    ['{"title":"a\\u202eb"}', undefined, 'is none with direction marks'],
    ['{"title":""}', undefined, 'is none when blank'],
    ['{"title":"a","more":1}', undefined, 'is none with other members'],
    ['{"title":7}', undefined, 'is none when it is no text'],
    ['Full disk', undefined, 'is none in plain words'],
    ['', undefined, 'is none of nothing'],
  ] as const)
    it(why, () => assert.equal(readTitle(text), title));
});
