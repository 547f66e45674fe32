import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isTermindError } from '../../../../src/domain/fault.ts';
import { destinationArguments, nameSystemSshError } from '../../../../src/domain/ssh/systemSsh.ts';

describe('what the system’s ssh is asked for', () => {
  for (const [destination, args] of [
    [{ name: 'db1' }, ['--', 'db1']],
    [
      { name: 'db1.example.com', user: 'op', port: 2222 },
      ['-p', '2222', '-l', 'op', '--', 'db1.example.com'],
    ],
    [{ name: '2001:db8::1' }, ['--', '2001:db8::1']],
  ] as const)
    it(JSON.stringify(destination), () => assert.deepEqual(destinationArguments(destination), args));

  for (const [destination, reason] of [
    [{ name: '-oProxyCommand=id' }, 'an option'],
    [{ name: '' }, 'nothing'],
    [{ name: 'db1', user: '-F/tmp/x' }, 'an option for a user'],
    [{ name: 'db1\nHost x' }, 'two lines'],
    [{ name: 'db1\0' }, 'NUL'],
  ] as const)
    it(`refuses ${JSON.stringify(destination)} (${reason})`, () => {
      assert.throws(
        () => destinationArguments(destination),
        (error: unknown) => {
          return isTermindError(error) && error.fault.code === 'config-error';
        },
      );
    });
});

describe('what the system’s ssh says', () => {
  const place = { hop: 'op@db1', address: 'db1.example.com', port: 22, isReady: false };
  for (const [words, code] of [
    ['op@db1: Permission denied (publickey).', 'auth-failed'],
    ['@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.', 'key-changed'],
    ['@ WARNING: REVOKED HOST KEY DETECTED! @\nHost key verification failed.', 'key-revoked'],
    ['No ED25519 host key is known for db1.\nHost key verification failed.', 'key-unknown'],
    ['ssh: Could not resolve hostname db1: Name or service not known', 'name-not-found'],
    ['ssh: connect to host db1 port 22: Connection refused', 'refused'],
    ['ssh: connect to host db1 port 22: No route to host', 'unreachable'],
    ['ssh: connect to host db1 port 22: Connection timed out', 'connect-timeout'],
    ['Unable to negotiate with 192.0.2.1: no matching host key type found.', 'no-common-algorithm'],
    ['kex_exchange_identification: Connection closed by remote host', 'not-identified'],
    ['Timeout, server 192.0.2.1 not responding.', 'not-responding'],
    ['something else', 'server-closed'],
    ['', 'server-closed'],
  ] as const)
    it(`"${words.split('\n').at(-1) ?? ''}" is ${code}`, () => {
      const fault = nameSystemSshError(words, place);
      assert.deepEqual([fault.code, fault.outcome, fault.hop], [code, 'not-sent', 'op@db1']);
    });

  it('is unknown in its outcome once the connection was there, and shown without control characters', () => {
    const fault = nameSystemSshError('one\nConnection to db1 \u001b[31mclosed.\n', {
      ...place,
      isReady: true,
    });
    assert.deepEqual(
      [fault.outcome, fault.facts['reason']],
      ['unknown', 'Connection to db1 \\x1b[31mclosed.'],
    );
  });
});
