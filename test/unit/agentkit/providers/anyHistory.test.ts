import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { buildItems } from '../../../../src/agentkit/contextPipeline.ts';
import {
  messageId,
  type CompactionRecord,
  type Json,
  type JsonObject,
  type Message,
  type ModelRequest,
  type ModelStreamPort,
} from '../../../../src/agentkit/index.ts';
import { editorMessages } from '../../../../src/application/assistant/editorMessages.ts';
import { editorViolations } from '../../../lab/editorRules.ts';
import { listHosts } from '../../../integration/providers/conversation.ts';
import {
  forEachProvider,
  type AdapterOptions,
  type ProviderUnderTest,
} from '../../../integration/providers/matrix.ts';
import { read } from '../../../integration/providers/support.ts';
import { anyHistory, orderlyHistory, type DressOptions } from './dressedHistories.ts';

const tags: DressOptions['tags'] = {
  responses: 'lab/responses/lab-1',
  messages: 'lab/messages/lab-1',
  generateContent: 'lab/generate-content/lab-1',
};

/** A model whose requests go nowhere, and what it posted last. */
function unsent<Body>(
  provider: ProviderUnderTest<Body>,
  options: AdapterOptions = {},
): { readonly model: ModelStreamPort; posted(): string } {
  let body = '';
  const model = provider.model('http://192.0.2.1/v1', {
    ...options,
    fetch: (_input, init) => {
      body = typeof init?.body === 'string' ? init.body : '';
      return Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }));
    },
  });
  return { model, posted: () => body };
}

function requestOf(
  messages: readonly Message[],
  about: { readonly tag: string; readonly compactions: readonly CompactionRecord[] },
  more: Partial<ModelRequest> = {},
): ModelRequest {
  const items = buildItems({
    messages,
    ...about,
    contextBlock: (field, text) => `${field}=${text === '' ? 'none' : text}`,
  });
  return { system: 's', items, tools: [listHosts], cacheKey: 'k', ...more };
}

/** A history that was summarised up to one of its messages, or not at all. */
const summarised = fc.option(fc.nat(), { nil: undefined });

function summaryUpTo(messages: readonly Message[], at: number | undefined): readonly CompactionRecord[] {
  if (at === undefined) return [];
  const boundary = messages[at % Math.max(messages.length, 1)]?.id ?? messageId('none');
  return [{ messageId: messageId('s'), boundary, summary: 'so far', facts: 'lab: h1', createdAt: 1 }];
}

const variations = fc.record({
  seesImages: fc.boolean(),
  hasTools: fc.boolean(),
  reasoning: fc.constantFrom('low' as const, 'high' as const, undefined),
  /** Thinks within a budget, where the adapter knows the name. */
  model: fc.constantFrom('lab-1', 'claude-opus-4-1', 'gemini-2.5-flash'),
});

/** The history that was posted, as bytes without its end, and without the cache marks of Anthropic, which move on with each request. */
function postedHistory(raw: string, member: string): string {
  const history = (JSON.parse(raw) as JsonObject)[member] ?? null;
  const bare = (name: string, value: Json): Json | undefined =>
    name === 'cache_control' ? undefined : value;
  return JSON.stringify(history, bare).slice(0, -1);
}

/** A request is made behind a prompt or behind the results of all calls. */
function cutOf(messages: readonly Message[], seed: number): number {
  const ends = messages.flatMap((row, at) =>
    row.role === 'assistant' || messages[at + 1]?.role === 'tool' ? [] : [at + 1],
  );
  return ends[seed % ends.length] ?? 1;
}

forEachProvider((provider) => {
  describe(`${provider.name}, whatever the history`, function () {
    this.timeout(120_000);

    it('a strict server takes the request of any history, cut and summarised anywhere', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory({ tags }), variations, summarised, async (messages, variation, at) => {
          const { seesImages, hasTools, reasoning, model } = variation;
          const under = unsent(provider, {
            model,
            capabilities: { tools: true, images: seesImages, reasoning: ['low', 'high'] },
          });
          const about = {
            tag: under.model.tag.replace(model, 'lab-1'),
            compactions: summaryUpTo(messages, at),
          };
          const more = { ...(!hasTools && { tools: [] }), ...(reasoning && { reasoning }) };
          const request = requestOf(messages, about, more);
          // There is always the prompt that is answered.
          fc.pre(messages.some(({ role }) => role === 'user'));
          assert.equal((await read(under.model, request)).failure, undefined);
          const checked = provider.wire.check(JSON.parse(under.posted()));
          assert.deepEqual(checked.ok ? [] : checked.violations, [], under.posted());
        }),
        { numRuns: 250 },
      );
    });

    it('the history of a request is a byte prefix of that of every later one, until it is summarised again', async () => {
      await fc.assert(
        fc.asyncProperty(orderlyHistory({ tags }), fc.nat(), summarised, async (messages, seed, at) => {
          const cut = cutOf(messages, seed);
          const earlierRows = messages.slice(0, cut);
          const under = unsent(provider);
          const about = { tag: under.model.tag, compactions: summaryUpTo(earlierRows, at) };
          const posted: string[] = [];
          for (const rows of [earlierRows, messages]) {
            await read(under.model, requestOf(rows, about));
            posted.push(postedHistory(under.posted(), provider.history));
          }
          const [earlier = 'x', later = ''] = posted;
          assert.ok(later.startsWith(earlier), `cut at ${String(cut)}:\n${earlier}\n${later}`);
        }),
        { numRuns: 150 },
      );
    });
  });
});

describe('models of the editor, whatever the history', () => {
  const editorTag = 'editor/language-model/vendor/one';
  const marks = fc.record({ tools: fc.boolean(), images: fc.boolean() });

  it('nothing that the providers behind the editor refuse is sent for any history, cut and summarised anywhere', () => {
    fc.assert(
      fc.property(anyHistory({ tags }), marks, summarised, (messages, marked, at) => {
        fc.pre(messages.some(({ role }) => role === 'user'));
        const request = requestOf(messages, { tag: editorTag, compactions: summaryUpTo(messages, at) });
        assert.deepEqual(editorViolations(editorMessages(request, marked)), []);
      }),
      { numRuns: 250 },
    );
  });

  it('the messages of a request are the beginning of those of every later one, until it is summarised again', () => {
    fc.assert(
      fc.property(
        orderlyHistory({ tags }),
        marks,
        fc.tuple(fc.nat(), summarised),
        (messages, marked, [seed, at]) => {
          const earlierRows = messages.slice(0, cutOf(messages, seed));
          const about = { tag: editorTag, compactions: summaryUpTo(earlierRows, at) };
          const [earlier, later] = [earlierRows, messages].map((rows) =>
            editorMessages(requestOf(rows, about), marked),
          );
          assert.deepEqual(later?.slice(0, earlier?.length), earlier);
        },
      ),
      { numRuns: 150 },
    );
  });
});
