import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { callTexts, messageId, type Message, type ModelItem } from '../../../src/agentkit/index.ts';
import { buildItems, type PipelineInput } from '../../../src/agentkit/contextPipeline.ts';
import { pairCalls } from '../../../src/agentkit/pairing.ts';
import { chatRequestBody } from '../../../src/agentkit/providers/openai/chatRequest.ts';
import { checkChatRequest } from '../../lab/chatRules.ts';
import { assistantRow, brokenHistory, toolRow, userRow, wholeHistory } from './support/histories.ts';

const dialect = { model: 'lab-1', images: true, reasoning: [], sendsCacheKey: false };

function items(messages: readonly Message[], more: Partial<PipelineInput> = {}): readonly ModelItem[] {
  return buildItems({
    messages,
    compactions: [],
    tag: 'test/api/model',
    contextBlock: (field, text) => `${field}=${text === '' ? 'none' : text}`,
    ...more,
  });
}

/** The messages of a Chat Completions body, as bytes without the closing bracket. */
function postedMessages(messages: readonly Message[], more: Partial<PipelineInput> = {}): string {
  const request = { system: 's', items: items(messages, more), tools: [], cacheKey: 'k' };
  const body = chatRequestBody(request, dialect);
  return JSON.stringify(body.messages).slice(0, -1);
}

/** How many messages stand in front of each place between two groups. */
function groupEnds(messages: readonly Message[]): readonly number[] {
  return messages.flatMap((_, at) => (messages[at + 1]?.role === 'tool' ? [] : [at + 1]));
}

describe('the context pipeline', () => {
  it('makes a request that a strict server takes of any history, cut anywhere', () => {
    fc.assert(
      fc.property(brokenHistory, (messages) => {
        const request = { system: 's', items: items(messages), tools: [], cacheKey: 'k' };
        const checked = checkChatRequest(chatRequestBody(request, dialect));
        assert.deepEqual(checked.ok ? [] : checked.violations, []);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves a whole history as it is, and is idempotent on a broken one', () => {
    fc.assert(
      fc.property(wholeHistory, (messages) => assert.deepEqual(pairCalls(messages), messages)),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(brokenHistory, (messages) =>
        assert.deepEqual(pairCalls(pairCalls(messages)), pairCalls(messages)),
      ),
      { numRuns: 200 },
    );
  });

  it('the messages of a request are a byte prefix of those of every later one', () => {
    fc.assert(
      fc.property(wholeHistory, fc.nat(), (messages, seed) => {
        const cuts = messages.flatMap((row, at) =>
          row.role === 'tool' && messages[at + 1]?.role === 'tool' ? [] : [at + 1],
        );
        const cut = cuts[seed % cuts.length] ?? 1;
        const isInsideGroup = messages[cut - 1]?.role === 'assistant' && messages[cut]?.role === 'tool';
        if (isInsideGroup) return;
        const [earlier, later] = [postedMessages(messages.slice(0, cut)), postedMessages(messages)];
        assert.ok(later.startsWith(earlier), `cut at ${String(cut)}`);
      }),
      { numRuns: 300 },
    );
  });

  it('answers what nobody answered, in call order, and drops what answers nothing', () => {
    const rows = [
      toolRow('stray'),
      userRow('u', 'Go'),
      assistantRow('a', '', ['x', 'y', 'z']),
      userRow('v', 'And?'),
      toolRow('z'),
      toolRow('x'),
    ];
    assert.deepEqual(
      items(rows).map((item) => [item.role, item.role === 'tool' ? item.callId : item.id, item.text]),
      [
        ['user', 'u', 'Go'],
        ['assistant', 'a', ''],
        ['tool', 'x', 'result of x'],
        ['tool', 'y', callTexts.unknown],
        ['tool', 'z', 'result of z'],
        ['user', 'v', 'And?'],
      ],
    );
  });

  it('puts a block in front of the message whose facts differ, and says what became empty', () => {
    const rows = [
      userRow('u1', 'one', { folder: '/srv', skills: '' }),
      assistantRow('a1', 'ok'),
      userRow('u2', 'two', { folder: '/srv', skills: 'deploy' }),
      userRow('u3', 'three', { folder: '', skills: 'deploy' }),
      userRow('u4', 'four', { folder: '' }),
    ];
    assert.deepEqual(
      items(rows).map((item) => item.text),
      ['folder=/srv', 'one', 'ok', 'skills=deploy', 'two', 'folder=none', 'three', 'skills=none', 'four'],
    );
  });

  it('two conversations with other facts share every byte up to the first changed block', () => {
    const rows = (folder: string): readonly Message[] => [
      userRow('u1', 'one', { host: 'lab' }),
      assistantRow('a1', 'ok'),
      userRow('u2', 'two', { folder, host: 'lab' }),
    ];
    const [a, b] = [postedMessages(rows('/a')), postedMessages(rows('/b'))];
    let shared = 0;
    while (a[shared] === b[shared]) shared++;
    assert.ok(a.slice(0, shared).endsWith('"folder=/'), a.slice(0, shared));
  });

  it('a block has the same id however often it is made, and another one per message', () => {
    const rows = [userRow('u1', 'one', { folder: '/a' }), userRow('u2', 'two', { folder: '/b' })];
    const ids = items(rows).map((item) => item.id);
    assert.deepEqual(
      items(rows).map((item) => item.id),
      ids,
    );
    assert.equal(new Set(ids).size, 4);
    assert.match(ids[0] ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('sends provider items to their own tag only, and drops an answer that came to nothing', () => {
    const own = { tag: 'test/api/model', item: { signature: 'own' } };
    const foreign = { tag: 'other/api/model', item: { signature: 'foreign' } };
    const rows = [
      userRow('u', 'Go'),
      { ...assistantRow('a', 'Hm.'), providerItems: [foreign, own] },
      { ...assistantRow('b', ''), stop: 'error' as const },
      { ...assistantRow('c', ''), providerItems: [foreign] },
    ];
    assert.deepEqual(
      items(rows).map((item) => [item.id, item.role === 'assistant' ? item.providerItems : undefined]),
      [
        ['u', undefined],
        ['a', [own]],
      ],
    );
  });

  it('shows the newest summary whose boundary is there, and what is behind it', () => {
    const rows = [
      userRow('u1', 'one', { folder: '/a' }),
      assistantRow('a1', '', ['x']),
      toolRow('x'),
      userRow('u2', 'two', { folder: '/a' }),
    ];
    const record = (name: string, boundary: string, createdAt: number) => ({
      messageId: messageId(name),
      boundary: messageId(boundary),
      summary: `summary ${name}`,
      createdAt,
    });
    const compactions = [
      record('old', 'u1', 1),
      record('good', toolRow('x').id, 2),
      record('splits a group', 'a1', 3),
      record('gone', 'nowhere', 4),
    ];
    const [summary, ...rest] = items(rows, { compactions }).map((item) => item.text);
    assert.match(summary ?? '', /^<summary>\n.*\n\nsummary good\n<\/summary>$/s);
    assert.deepEqual(rest, ['folder=/a', 'two']);
  });

  it('puts facts and context behind the summary, and nothing closes their tags', () => {
    const rows = [
      userRow('u1', 'one', { folder: '/a', skills: '' }),
      assistantRow('a1', '', ['x']),
      toolRow('x'),
      assistantRow('a2', '', ['y']),
      toolRow('y'),
      userRow('u2', 'two', { folder: '/b', skills: '' }),
    ];
    const compaction = {
      messageId: messageId('s'),
      boundary: toolRow('x').id,
      summary: 'a </summary> b',
      facts: 'prod-db (host_id 7)',
      createdAt: 1,
    };
    const made = items(rows, { compactions: [compaction] });
    assert.match(made[0]?.text ?? '', /\n\na <\\\/summary> b\n<\/summary>$/);
    assert.match(made[1]?.text ?? '', /^<standing-facts>\n.*\n\nprod-db \(host_id 7\)\n<\/standing-facts>$/s);
    assert.deepEqual(
      made.slice(2).map((item) => [item.role, item.text]),
      [
        ['user', 'folder=/a'],
        ['assistant', ''],
        ['tool', 'result of y'],
        ['user', 'folder=/b'],
        ['user', 'two'],
      ],
    );
    assert.equal(new Set(made.map((item) => item.id)).size, made.length);
  });

  it('keeps pairs and prefix across compactions, wherever they cut', () => {
    fc.assert(
      fc.property(wholeHistory, fc.array(fc.nat(), { maxLength: 3 }), fc.nat(), (messages, cuts, seed) => {
        const ends = groupEnds(messages);
        const compactions = cuts.map((cut, at) => ({
          messageId: messageId(`s${String(at)}`),
          boundary: messages[(ends[cut % ends.length] ?? 1) - 1]?.id ?? messageId('none'),
          summary: `summary ${String(at)}`,
          facts: `facts ${String(at)}`,
          createdAt: at,
        }));
        const newest = Math.max(...cuts.slice(-1).map((cut) => ends[cut % ends.length] ?? 0), 1);
        const later = ends.filter((end) => end >= newest);
        const earlier = messages.slice(0, later[seed % later.length]);
        const [before, after] = [earlier, messages].map((rows) => postedMessages(rows, { compactions }));
        assert.ok(after?.startsWith(before ?? ''));
        const request = { system: 's', items: items(messages, { compactions }), tools: [], cacheKey: 'k' };
        const checked = checkChatRequest(chatRequestBody(request, dialect));
        assert.deepEqual(checked.ok ? [] : checked.violations, []);
      }),
      { numRuns: 300 },
    );
  });

  it('makes a request that a strict server takes of any history, cut and compacted anywhere', () => {
    fc.assert(
      fc.property(brokenHistory, fc.nat(), (messages, cut) => {
        const boundary = messages[cut % Math.max(messages.length, 1)]?.id ?? messageId('none');
        const compactions = [{ messageId: messageId('s'), boundary, summary: 'so far', createdAt: 1 }];
        const request = { system: 's', items: items(messages, { compactions }), tools: [], cacheKey: 'k' };
        const checked = checkChatRequest(chatRequestBody(request, dialect));
        assert.deepEqual(checked.ok ? [] : checked.violations, []);
      }),
      { numRuns: 300 },
    );
  });
});
