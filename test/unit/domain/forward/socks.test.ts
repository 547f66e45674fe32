import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  longestSocksMessage,
  readSocks,
  socksGranted,
  socksRefused,
  type SocksStep,
} from '../../../../src/domain/forward/socks.ts';

const text = (value: string): number[] => [...Buffer.from(value, 'latin1')];
const name = 'db.example.com';

const requests = [
  {
    what: 'version 5 with a name',
    isGreeted: true,
    bytes: [5, 1, 0, 3, name.length, ...text(name), 0x15, 0x38],
    host: name,
    port: 5432,
    version: 5,
  },
  {
    what: 'version 5 with an IPv4 address',
    isGreeted: true,
    bytes: [5, 1, 0, 1, 192, 0, 2, 7, 0, 80],
    host: '192.0.2.7',
    port: 80,
    version: 5,
  },
  {
    what: 'version 5 with an IPv6 address',
    isGreeted: true,
    bytes: [5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 1, 187],
    host: '2001:db8:0:0:0:0:0:7',
    port: 443,
    version: 5,
  },
  {
    what: 'version 4 with an address and a user',
    isGreeted: false,
    bytes: [4, 1, 0, 80, 192, 0, 2, 7, ...text('me'), 0],
    host: '192.0.2.7',
    port: 80,
    version: 4,
  },
  {
    what: 'version 4A with a name',
    isGreeted: false,
    bytes: [4, 1, 0, 80, 0, 0, 0, 1, 0, ...text(name), 0],
    host: name,
    port: 80,
    version: 4,
  },
] as const;

describe('a SOCKS client', () => {
  for (const { what, isGreeted, bytes, ...rest } of requests) {
    it(`of ${what} is understood, and what follows is left alone`, () => {
      const expected = { k: 'connect', ...rest, used: bytes.length };
      assert.deepEqual(readSocks(Uint8Array.from([...bytes, 1, 2, 3]), isGreeted), expected);
    });

    it(`of ${what} is waited for at every cut`, () => {
      for (let cut = 0; cut < bytes.length; cut++)
        assert.deepEqual(readSocks(Uint8Array.from(bytes.slice(0, cut)), isGreeted), { k: 'more' });
    });
  }

  it('of version 5 is greeted without a sign-in', () => {
    assert.deepEqual(readSocks(Uint8Array.of(5, 2, 2, 0, 5, 1), false), {
      k: 'greeted',
      reply: Uint8Array.of(5, 0),
      used: 4,
    });
  });

  for (const [what, bytes, isGreeted, why, reply] of [
    ['wants to sign in', [5, 1, 2], false, 'noMethod', [5, 0xff]],
    ['speaks HTTP', text('GET / HTTP/1.1'), false, 'notSocks', undefined],
    ['speaks TLS', [0x16, 3, 1], false, 'notSocks', undefined],
    ['changes its version', [4, 1, 0, 80, 192, 0, 2, 7, 0], true, 'notSocks', undefined],
    ['wants to listen', [5, 2, 0, 1, 0, 0, 0, 0, 0, 0], true, 'command', [...socksRefused(5, 'command')]],
    ['wants UDP', [5, 3, 0, 1], true, 'command', [...socksRefused(5, 'command')]],
    ['wants to listen, version 4', [4, 2], false, 'command', [...socksRefused(4, 'command')]],
    ['has an address of no kind', [5, 1, 0, 9], true, 'addressType', [...socksRefused(5, 'addressType')]],
    ['has an empty name', [5, 1, 0, 3, 0], true, 'addressType', [...socksRefused(5, 'addressType')]],
    ['has a name with a blank', [5, 1, 0, 3, 1, 0x20, 0, 80], true, 'failed', [...socksRefused(5, 'failed')]],
    ['names port 0', [5, 1, 0, 1, 192, 0, 2, 7, 0, 0], true, 'failed', [...socksRefused(5, 'failed')]],
    [
      'has an endless user',
      [4, 1, 0, 80, 192, 0, 2, 7, ...text('x'.repeat(256))],
      false,
      'failed',
      [...socksRefused(4, 'failed')],
    ],
  ] as const)
    it(`that ${what} is refused`, () => {
      assert.deepEqual(readSocks(Uint8Array.from(bytes), isGreeted), {
        k: 'refused',
        why,
        reply: reply === undefined ? undefined : Uint8Array.from(reply),
      });
    });

  it('is told in the words of its version', () => {
    assert.deepEqual(
      [
        [...socksGranted(4)].slice(0, 2),
        [...socksRefused(4, 'connectFailed')].slice(0, 2),
        [...socksGranted(5)].slice(0, 2),
        [...socksRefused(5, 'connectFailed')].slice(0, 2),
        [...socksRefused(5, 'notAllowed')].slice(0, 2),
        [...socksRefused(5, 'unreachable')].slice(0, 2),
      ],
      [
        [0, 0x5a],
        [0, 0x5b],
        [5, 0],
        [5, 5],
        [5, 2],
        [5, 3],
      ],
    );
  });

  it('that sends anything is answered or waited for, never longer than one message', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 600 }),
      fc
        .tuple(fc.constantFrom(4, 5), fc.constant(1), fc.uint8Array({ maxLength: 600 }))
        .map(([a, b, rest]) => Uint8Array.from([a, b, ...rest])),
    );
    fc.assert(
      fc.property(bytes, fc.boolean(), (sent, hasGreeted) => {
        const step: SocksStep = readSocks(sent, hasGreeted);
        if (step.k === 'more') assert.ok(sent.length < longestSocksMessage);
        if (step.k === 'connect') {
          assert.ok(step.used <= sent.length && step.port > 0);
          assert.match(step.host, /^[\x21-\x7e]{1,255}$/);
        }
      }),
    );
  });
});
