import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { editorViolations } from '../../lab/editorRules.ts';
import { anthropicWire } from '../../lab/wires/anthropicWire.ts';
import { geminiWire } from '../../lab/wires/geminiWire.ts';
import { responsesWire } from '../../lab/wires/responsesWire.ts';
import type { Checked } from '../../lab/wires/wire.ts';

const violations = (checked: Checked<unknown>): readonly string[] => (checked.ok ? [] : checked.violations);

describe('rules for requests to Responses', () => {
  const check = (input: readonly object[], more: object = {}): readonly string[] =>
    violations(responsesWire.check({ model: 'm', stream: true, store: false, input, ...more }));
  const user = { role: 'user', content: 'Go' };
  const said = { role: 'assistant', content: 'Low.' };
  const thought = { type: 'reasoning', id: 'rs', encrypted_content: 'x' };
  const call = (id: string, text = '{}') => ({
    type: 'function_call',
    call_id: id,
    name: 'f',
    arguments: text,
  });
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'up' });

  it('accepts reasoning in front of calls and results in their order', () => {
    const input = [user, thought, said, call('a'), call('b'), output('a'), output('b'), user];
    assert.deepEqual(check(input), []);
  });
  for (const [reason, input, violation] of [
    ['nothing answers a call', [user, call('a')], 'input: nothing answers a'],
    ['a result has no call', [user, output('a')], 'input.1: a result for a without a call in front of it'],
    [
      'results are swapped',
      [user, call('a'), call('b'), output('b'), output('a')],
      'input.3: a result for b where that of a is due',
    ],
    ['a result is late', [user, call('a'), user, output('a')], 'input.2: user comes before the result of a'],
    [
      'an id is used twice',
      [call('a'), output('a'), call('a'), output('a')],
      'input.2: the call id a was used before',
    ],
    [
      'nothing follows reasoning',
      [user, thought, user],
      'input.2: nothing follows the reasoning in front of it',
    ],
    ['reasoning comes last', [user, thought], 'input: ends with what nothing follows'],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.ok(check(input).includes(violation), check(input).join('; '));
    });
  for (const [reason, input, more] of [
    ['storage', [user], { store: true }],
    ['broken arguments', [call('a', '{'), output('a')], {}],
    ['an id that is too long', [call('x'.repeat(65)), output('x'.repeat(65))], {}],
    ['an empty message', [{ role: 'user', content: '' }], {}],
    ['an item of another protocol', [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }], {}],
    [
      'encrypted reasoning of a model without reasoning',
      [user],
      { include: ['reasoning.encrypted_content'] },
    ],
    [
      'a tool that takes no object',
      [user],
      { tools: [{ type: 'function', name: 'f', description: '', parameters: {}, strict: false }] },
    ],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.notDeepEqual(check(input, more), []);
    });
});

describe('rules for requests to Anthropic Messages', () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const check = (messages: readonly object[], more: object = {}): readonly string[] =>
    violations(
      anthropicWire.check({ model: 'm', max_tokens: 9_000, stream: true, messages, tools, ...more }),
    );
  const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
  const user = { role: 'user', content: [text('Go')] };
  const answer = (...content: readonly object[]) => ({ role: 'assistant', content });
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
  const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
  const output = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: '', is_error: false });
  const results = (...ids: readonly string[]) => ({ role: 'user', content: ids.map(output) });
  const mark = { cache_control: { type: 'ephemeral' } };

  it('accepts thinking first, both results in one message, and a message behind them', () => {
    assert.deepEqual(
      check([user, answer(thought, text('So.'), call('a'), call('b')), results('a', 'b'), user]),
      [],
    );
  });
  for (const [reason, messages, violation] of [
    [
      'it begins with an answer',
      [answer(text('Hi')), user],
      'messages.0: the first message is no user message',
    ],
    ['it ends with an answer', [user, answer(text('Hi'))], 'messages: the last message is no user message'],
    [
      'two answers are neighbours',
      [user, answer(text('a')), answer(text('b')), user],
      'messages.2: two answers are neighbours',
    ],
    [
      'a result is missing',
      [user, answer(call('a'), call('b')), results('a'), user],
      'messages.2: the end of the user message comes before the result of b',
    ],
    [
      'results are two messages',
      [user, answer(call('a'), call('b')), results('a'), results('b')],
      'messages.3: results that follow each other are one message',
    ],
    [
      'text stands in front of a result',
      [user, answer(call('a')), { role: 'user', content: [text('x'), output('a')] }],
      'messages.2: text comes before the result of a',
    ],
    ['thinking comes late', [user, answer(text('So.'), thought), user], 'messages.1: blocks out of order'],
    ['thinking stands alone', [user, answer(thought), user], 'messages.1: nothing follows the thinking'],
    [
      'half a search',
      [user, answer({ type: 'server_tool_use', id: 's', name: 'web_search' }, text('So.')), user],
      'messages.1: a search without its result',
    ],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.ok(check(messages).includes(violation), check(messages).join('; '));
    });
  for (const [reason, messages, more] of [
    ['white space', [{ role: 'user', content: [text(' ')] }], {}],
    ['an id with a dot', [user, answer(call('a.b')), results('a.b')], {}],
    ['calls without tools', [user, answer(call('a')), results('a')], { tools: undefined }],
    ['five cache marks', [{ role: 'user', content: Array.from({ length: 5 }, () => text('x', mark)) }], {}],
    ['a mark on thinking', [user, answer({ ...thought, ...mark }, text('So.')), user], {}],
    ['a sampling parameter', [user], { temperature: 1 }],
    ['a budget without room', [user], { thinking: { type: 'enabled', budget_tokens: 9_000 } }],
    [
      'a budget behind an answer without thinking',
      [user, answer(call('a')), results('a')],
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
    ],
    [
      'reasoning of another protocol',
      [user, answer({ type: 'reasoning', encrypted_content: 'x' }, text('So.')), user],
      {},
    ],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.notDeepEqual(check(messages, more), []);
    });
});

describe('rules for requests to Gemini', () => {
  const check = (contents: readonly object[], more: object = {}): readonly string[] =>
    violations(geminiWire.check({ contents, ...more }));
  const user = { role: 'user', parts: [{ text: 'Go' }] };
  const answer = (...parts: readonly object[]) => ({ role: 'model', parts });
  const call = (id: string, more: object = {}) => ({ functionCall: { id, name: 'f', args: {} }, ...more });
  const signed = { thoughtSignature: 'c2ln' };
  const output = (id: string, name = 'f') => ({ functionResponse: { id, name, response: { output: '' } } });
  const results = (...parts: readonly object[]) => ({ role: 'user', parts });

  it('accepts thoughts first, the first call signed, both results in one turn, and a turn behind them', () => {
    const thoughtful = answer({ text: 'Hm.', thought: true }, { text: 'So.' }, call('a', signed), call('b'));
    assert.deepEqual(check([user, thoughtful, results(output('a'), output('b')), user]), []);
  });
  for (const [reason, contents, violation] of [
    [
      'it begins with an answer',
      [answer({ text: 'Hi' }), user],
      'contents.0: the first turn is not the user’s',
    ],
    ['it ends with an answer', [user, answer({ text: 'Hi' })], 'contents: the last turn is not the user’s'],
    [
      'two answers are neighbours',
      [user, answer({ text: 'a' }), answer({ text: 'b' }), user],
      'contents.2: two turns of the model are neighbours',
    ],
    [
      'a result is missing',
      [user, answer(call('a', signed), call('b')), results(output('a'))],
      'contents.2: the end of the turn comes before the result of b',
    ],
    [
      'a result names another function',
      [user, answer(call('a', signed)), results(output('a', 'g'))],
      'contents.2: the result for a names g',
    ],
    [
      'text stands beside a result',
      [user, answer(call('a', signed)), results(output('a'), { text: 'x' })],
      'contents.2: results stand among other parts',
    ],
    [
      'a call is not signed',
      [user, answer(call('a')), results(output('a'))],
      'contents.1: the first call is not signed',
    ],
    [
      'thoughts come late',
      [user, answer({ text: 'So.' }, { text: 'Hm.', thought: true }), user],
      'contents.1: parts out of order',
    ],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.ok(check(contents).includes(violation), check(contents).join('; '));
    });
  for (const [reason, contents, more] of [
    ['no turn', [], {}],
    ['an empty text', [{ role: 'user', parts: [{ text: '' }] }], {}],
    ['a turn without parts', [{ role: 'user', parts: [] }], {}],
    ['a search without its records', [user], { tools: [{ googleSearch: {} }] }],
    ['a part of another protocol', [user, answer({ type: 'thinking', thinking: 'x' }), user], {}],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.notDeepEqual(check(contents, more), []);
    });
});

describe('rules for messages to models of the editor', () => {
  type Message = Parameters<typeof editorViolations>[0][number];
  const user: Message = { role: 'user', parts: [{ kind: 'text', text: 'Go' }] };
  const said: Message = { role: 'assistant', parts: [{ kind: 'text', text: 'Low.' }] };
  const calls = (...ids: readonly string[]): Message => ({
    role: 'assistant',
    parts: ids.map((id) => ({ kind: 'call', id, name: 'f' })),
  });
  const results = (...ids: readonly string[]): Message => ({
    role: 'user',
    parts: ids.map((callId) => ({ kind: 'result', callId })),
  });

  it('accepts results in call order and user messages that are neighbours', () => {
    assert.deepEqual(editorViolations([user, user, calls('a', 'b'), results('a', 'b'), said, user]), []);
  });
  for (const [reason, messages, violation] of [
    ['it begins with an answer', [said, user], 'messages.0: the first message is no user message'],
    ['it ends with an answer', [user, said], 'messages: the last message is no user message'],
    ['two answers are neighbours', [user, said, said, user], 'messages.2: two answers are neighbours'],
    [
      'a result is missing',
      [user, calls('a', 'b'), results('a')],
      'messages.2: the end of the user message comes before the result of b',
    ],
    [
      'a result has no call',
      [user, results('a')],
      'messages.1: a result for a without a call in front of it',
    ],
    ['a message is empty', [{ role: 'user', parts: [] }], 'messages.0: an empty message'],
    [
      'a text is blank',
      [{ role: 'user', parts: [{ kind: 'text', text: ' ' }] }],
      'messages.0: a text without a visible character',
    ],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.ok(editorViolations(messages).includes(violation), editorViolations(messages).join('; '));
    });
});
