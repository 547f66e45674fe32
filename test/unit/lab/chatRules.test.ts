import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { checkChatRequest } from '../../lab/chatRules.ts';

const system = { role: 'system', content: 'Be brief.' };
const user = { role: 'user', content: 'How busy is h1?' };

function call(...ids: string[]) {
  const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'uptime', arguments: '{}' } }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

function result(id: string) {
  return { role: 'tool', tool_call_id: id, content: 'up' };
}

function tool(name: string, parameters: object = { type: 'object', properties: {} }) {
  return { type: 'function', function: { name, parameters } };
}

function violations(messages: readonly object[], more: object = {}): readonly string[] {
  const request = { model: 'm', stream: true, stream_options: { include_usage: true }, messages, ...more };
  const checked = checkChatRequest(request);
  return checked.ok ? [] : checked.violations;
}

describe('rules for posted requests', () => {
  for (const [reason, messages] of [
    ['a first question', [system, user]],
    ['a question without a system message', [user]],
    ['results in call order', [system, user, call('a', 'b'), result('a'), result('b'), user]],
    ['text beside calls', [user, { ...call('a'), content: 'Looking.' }, result('a')]],
    ['several turns', [user, call('a'), result('a'), call('b'), result('b')]],
  ] as const)
    it(`accepts: ${reason}`, () => {
      assert.deepEqual(violations(messages), []);
    });

  for (const [reason, messages, violation] of [
    ['nothing answers a call', [user, call('a')], 'messages: nothing answers a'],
    [
      'a result is missing',
      [user, call('a', 'b'), result('a'), user],
      'messages.3: user comes before the result of b',
    ],
    [
      'results are swapped',
      [user, call('a', 'b'), result('b'), result('a')],
      'messages.2: a result for b where that of a is due',
    ],
    ['a result has no call', [user, result('a')], 'messages.1: a result for a without a call in front of it'],
    [
      'a result comes twice',
      [user, call('a'), result('a'), result('a')],
      'messages.3: a result for a without a call in front of it',
    ],
    [
      'a result comes late',
      [user, call('a'), user, result('a')],
      'messages.2: user comes before the result of a',
    ],
    [
      'an id is used twice',
      [user, call('a'), result('a'), call('a'), result('a')],
      'messages.3: the call id a was used before',
    ],
    [
      'an id is too long',
      [user, call('x'.repeat(41)), result('x'.repeat(41))],
      `messages.1: the call id "${'x'.repeat(41)}" is not 1 to 40 characters long`,
    ],
    ['the system message moves', [user, system], 'messages.1: system stands behind other messages'],
    ['a user message is empty', [{ role: 'user', content: '' }], 'messages.0: an empty user message'],
    [
      'an assistant message is empty',
      [user, { role: 'assistant', content: '' }, user],
      'messages.1: an assistant message without text and calls',
    ],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.equal(violations(messages)[0], violation);
    });

  it('refuses: arguments that are no JSON object', () => {
    for (const text of ['', '{', '[]', '"a"', 'null']) {
      const message = call('a');
      for (const one of message.tool_calls) one.function.arguments = text;
      assert.deepEqual(violations([user, message, result('a')]), [
        'messages.1: the arguments of a are no JSON object',
      ]);
    }
  });

  for (const [reason, more, violation] of [
    ['no streaming', { stream: false }, 'stream: the runtime always streams'],
    ['no usage', { stream_options: {} }, 'stream_options: usage was not asked for'],
    [
      'tools are not sorted',
      { tools: [tool('b'), tool('a')] },
      'tools.1: a behind b is not sorted or not unique',
    ],
    [
      'a tool comes twice',
      { tools: [tool('a'), tool('a')] },
      'tools.1: a behind a is not sorted or not unique',
    ],
    ['a name with a dot', { tools: [tool('a.b')] }, 'tools.0: a.b is no function name'],
    ['a tool takes no object', { tools: [tool('a', { type: 'string' })] }, 'tools.0: a takes no object'],
    [
      'a required member is not described',
      { tools: [tool('a', { type: 'object', properties: {}, required: ['x'] })] },
      'tools.0: a: required but not described: x',
    ],
    [
      'a member has an unknown type',
      { tools: [tool('a', { type: 'object', properties: { x: { type: 'text' } } })] },
      'tools.0: a.x: unknown type text',
    ],
    [
      'an item is no schema',
      { tools: [tool('a', { type: 'object', properties: { x: { type: 'array', items: 1 } } })] },
      'tools.0: a.x[]: no schema',
    ],
    ['an empty list of tools', { tools: [] }, 'tools: Too small: expected array to have >=1 items'],
  ] as const)
    it(`refuses: ${reason}`, () => {
      assert.deepEqual(violations([user], more), [violation]);
    });

  it('refuses what is no request at all', () => {
    assert.equal(checkChatRequest(undefined).ok, false);
    assert.deepEqual(
      violations([{ role: 'tool', content: 'up' }])[0],
      'messages.0.tool_call_id: Invalid input: expected string, received undefined',
    );
  });
});
