import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hopName } from '../../../../src/domain/ssh/hop.ts';
import { nameConnectError, type ConnectFailure } from '../../../../src/domain/ssh/nameConnectError.ts';
import { showUntrusted } from '../../../../src/domain/ssh/untrustedText.ts';

const name = (change: Partial<ConnectFailure>): readonly unknown[] => {
  const fault = nameConnectError({
    phase: 'connect',
    hop: 'deploy@db1',
    address: '192.0.2.1',
    port: 22,
    cause: { k: 'closed' },
    firstBytes: new Uint8Array(),
    ...change,
  });
  return [fault.code, fault.stage, fault.retry, fault.outcome];
};
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('naming what ended a connection', () => {
  for (const [code, expected] of [
    ['ENOTFOUND', 'name-not-found'],
    ['EAI_AGAIN', 'name-not-found'],
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['ECONNRESET', 'not-identified'],
    ['EPIPE', 'not-identified'],
    ['ETIMEDOUT', 'connect-timeout'],
  ] as const)
    it(`${code} while connecting is ${expected}`, () => {
      assert.deepEqual(name({ cause: { k: 'socket', code } }), [
        expected,
        'transport',
        'backoff',
        'not-sent',
      ]);
    });

  for (const [what, change, expected] of [
    [
      'no answer to the connect',
      { cause: { k: 'timeout' } },
      ['connect-timeout', 'transport', 'backoff', 'not-sent'],
    ],
    [
      'an error of our own before there is a stream',
      { cause: { k: 'protocol', message: 'x' } },
      ['internal', 'transport', 'user', 'not-sent'],
    ],
    [
      'silence before identification',
      { phase: 'identify', cause: { k: 'timeout' } },
      ['not-identified', 'transport', 'backoff', 'not-sent'],
    ],
    [
      'a reset before identification',
      { phase: 'identify', cause: { k: 'socket', code: 'ECONNRESET' } },
      ['not-identified', 'transport', 'backoff', 'not-sent'],
    ],
    [
      'an identification that breaks off',
      { phase: 'identify', cause: { k: 'closed' }, firstBytes: bytes('SSH-2.0-Op') },
      ['not-identified', 'transport', 'backoff', 'not-sent'],
    ],
    [
      'one that breaks off at once',
      { phase: 'identify', cause: { k: 'socket', code: 'ECONNRESET' }, firstBytes: bytes('SS') },
      ['not-identified', 'transport', 'backoff', 'not-sent'],
    ],
    [
      'an identification of SSH 1',
      { phase: 'identify', cause: { k: 'protocol', message: 'x' }, firstBytes: bytes('SSH-1.5-old\n') },
      ['not-ssh', 'transport', 'never', 'not-sent'],
    ],
    [
      'another protocol',
      { phase: 'identify', cause: { k: 'protocol', message: 'x' }, firstBytes: bytes('HTTP/1.1 400') },
      ['not-ssh', 'transport', 'never', 'not-sent'],
    ],
    [
      'another protocol, then silence',
      { phase: 'identify', cause: { k: 'timeout' }, firstBytes: bytes('220 mail') },
      ['not-ssh', 'transport', 'never', 'not-sent'],
    ],
    [
      'no common algorithm',
      {
        phase: 'kex',
        cause: {
          k: 'no-common-algorithm',
          facts: { category: 'cipher', ours: 'a', theirs: 'b', legacy: 'b' },
        },
      },
      ['no-common-algorithm', 'kex', 'user', 'not-sent'],
    ],
    ['a close during sign-in', { phase: 'auth' }, ['server-closed', 'auth', 'backoff', 'failed']],
    [
      'a goodbye during sign-in',
      { phase: 'auth', cause: { k: 'disconnect', reason: 'Too many authentication failures' } },
      ['server-closed', 'auth', 'backoff', 'failed'],
    ],
    [
      'silence during the key exchange',
      { phase: 'kex', cause: { k: 'timeout' } },
      ['not-responding', 'kex', 'backoff', 'failed'],
    ],
    [
      'a reset afterwards',
      { phase: 'ready', cause: { k: 'socket', code: 'ECONNRESET' } },
      ['link-lost', 'link', 'backoff', 'unknown'],
    ],
    [
      'silence afterwards',
      { phase: 'ready', cause: { k: 'timeout' } },
      ['not-responding', 'link', 'backoff', 'unknown'],
    ],
  ] as const satisfies readonly (readonly [string, Partial<ConnectFailure>, readonly unknown[]])[])
    it(`${what} is ${expected[0]}`, () => {
      assert.deepEqual(name(change), expected);
    });

  it('nothing before identification is worded as a credential problem', () => {
    for (const cause of [
      { k: 'closed' },
      { k: 'timeout' },
      { k: 'disconnect', reason: 'Not allowed' },
    ] as const)
      for (const phase of ['connect', 'identify'] as const)
        assert.doesNotMatch(String(name({ phase, cause })[0]), /^(?:auth|key)/);
  });

  it('what the peer said is shown escaped and bounded', () => {
    const fault = nameConnectError({
      phase: 'identify',
      hop: 'deploy@db1',
      address: '192.0.2.1',
      port: 22,
      cause: { k: 'closed' },
      firstBytes: bytes('\x1b]0;owned\x07 hello'),
    });
    assert.equal(fault.facts['text'], '\\x1b]0;owned\\x07 hello');
  });
});

describe('untrusted text', () => {
  for (const [text, shown] of [
    ['plain é 漢', 'plain é 漢'],
    ['a\u202egnp.exe', 'a\\u202egnp.exe'],
    ['a\x9b31m\x7f', 'a\\x9b31m\\x7f'],
    ['one\r\ntwo\n', 'one two'],
    ['x'.repeat(300), `${'x'.repeat(256)}…`],
  ] as const)
    it(`${JSON.stringify(text.slice(0, 20))} is shown as ${JSON.stringify(shown.slice(0, 30))}`, () => {
      assert.equal(showUntrusted(text), shown);
    });

  it('keeps the lines of a banner up to the bound', () => {
    assert.equal(showUntrusted('a\nb\nc', { maxCharacters: 100, maxLines: 2 }), 'a\nb…');
  });
});

describe('the name of a hop', () => {
  it('is the account alone on a direct route and says the way on a longer one', () => {
    const hop = { user: 'deploy', label: 'db1', index: 1, count: 1, via: [] };
    assert.equal(hopName(hop), 'deploy@db1');
    assert.equal(
      hopName({ ...hop, index: 3, count: 3, via: ['gate', 'bastion'] }),
      'deploy@db1 (hop 3 of 3, via gate, bastion)',
    );
  });
});
