import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { describeElement, parseJumpChain } from '../../../../src/domain/ssh/jumpChain.ts';

describe('a ProxyJump value', () => {
  for (const [value, expected] of [
    ['gate', [{ alias: 'gate' }]],
    ['deploy@gate', [{ alias: 'gate', user: 'deploy' }]],
    ['gate:2222', [{ alias: 'gate', port: 2222 }]],
    ['gate:', [{ alias: 'gate' }]],
    ['a@corp@gate:22', [{ alias: 'gate', user: 'a@corp', port: 22 }]],
    ['[2001:db8::1]:2222', [{ alias: '2001:db8::1', port: 2222 }]],
    ['u@[2001:db8::1]', [{ alias: '2001:db8::1', user: 'u' }]],
    ['gate,op@bastion:2200', [{ alias: 'gate' }, { alias: 'bastion', user: 'op', port: 2200 }]],
    ['ssh://gate', [{ alias: 'gate' }]],
    ['ssh://u%40corp@gate:2222/', [{ alias: 'gate', user: 'u@corp', port: 2222 }]],
    ['ssh://u;fingerprint=x@gate', [{ alias: 'gate', user: 'u' }]],
    ['gate # the first one', [{ alias: 'gate' }]],
    ['none', []],
    ['NONE', []],
  ] as const)
    it(`${value} is read as ssh reads it`, () => {
      assert.deepEqual(parseJumpChain(value), expected);
    });

  for (const [value, reason] of [
    ['gate,', 'an element is missing'],
    ['@gate', 'the user is empty'],
    ['gate:0', 'no port'],
    ['gate:70000', 'no port'],
    ['2001:db8::1', 'an IPv6 address without brackets'],
    ['gate/x', 'a path'],
    ['ssh://gate/x', 'a path in the URI'],
    ['ssh://u%4@gate', 'a broken escape'],
    ['ssh://[2001:db8::1]', 'an address in a URI, which ssh does not take'],
    ['a b', 'white space in a name'],
  ] as const)
    it(`${value} is refused (${reason})`, () => {
      assert.equal(parseJumpChain(value), undefined);
    });

  it('an element is written again as it can be read', () => {
    for (const text of ['gate', 'u@gate:22', '[2001:db8::1]:22', 'u@[2001:db8::1]'])
      assert.deepEqual(parseJumpChain(text)?.map(describeElement), [text]);
  });
});
