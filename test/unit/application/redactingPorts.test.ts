import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRedactor, KnownSecrets } from '../../../src/agentkit/index.ts';
import type { LogPort, SecretStorePort } from '../../../src/application/ports/prompts.ts';
import {
  redactingLog,
  rememberingPrompts,
  rememberingSecrets,
} from '../../../src/application/redactingPorts.ts';

const canary = 'correct horse battery';
const never = new AbortController().signal;

function secretsWith(value: string | undefined): SecretStorePort {
  return { get: async () => value, set: async () => {}, delete: async () => {} };
}

describe('what the redactor knows', () => {
  it('is every secret that was read from the secret store', async () => {
    const known = new KnownSecrets();
    const redactor = createRedactor(known);
    assert.equal(await rememberingSecrets(secretsWith(canary), known).get('provider:x'), canary);
    assert.equal(redactor.redact(`got ${canary}!`), 'got [redacted]!');
  });

  it('is every secret that is stored, and the former one no longer', async () => {
    const known = new KnownSecrets();
    const redactor = createRedactor(known);
    const secrets = rememberingSecrets(secretsWith(undefined), known);
    await secrets.set('provider:x', canary);
    await secrets.set('provider:x', 'another passage of text');
    assert.equal(redactor.redact(canary), canary);
    assert.equal(redactor.redact('another passage of text'), '[redacted]');
  });

  it('is what somebody typed without an echo, and not what was echoed', async () => {
    for (const [echo, shown] of [
      [false, '[redacted]'],
      [true, canary],
    ] as const) {
      const known = new KnownSecrets();
      const prompts = rememberingPrompts(
        {
          hostKey: async () => 'cancel',
          changedKey: async () => {},
          secret: async () => ({ text: canary, remember: false }),
        },
        known,
      );
      await prompts.secret(
        { kind: 'password', hop: '', title: '', prompt: '', echo, canRemember: false },
        never,
      );
      assert.equal(createRedactor(known).redact(canary), shown);
    }
  });

  it('is in no line of the log and in no cause behind it', () => {
    const known = new KnownSecrets();
    known.add(Buffer.from(canary));
    const lines: string[] = [];
    const keep: LogPort['error'] = (component, message, cause) => {
      const causes: string[] = [];
      for (let current = cause; current instanceof Error; current = current.cause)
        causes.push(`${current.name}: ${current.message}`);
      lines.push([component, message, ...causes].join(' | '));
    };
    const log = redactingLog({ trace: keep, info: keep, warn: keep, error: keep }, createRedactor(known));
    log.trace('a', canary);
    log.info('b', canary);
    log.warn('c', canary);
    log.error('d', canary, new TypeError(canary, { cause: new Error(`inner ${canary}`) }));
    log.error('e', 'no cause');
    assert.deepEqual(lines, [
      'a | [redacted]',
      'b | [redacted]',
      'c | [redacted]',
      'd | [redacted] | TypeError: [redacted] | Error: inner [redacted]',
      'e | no cause',
    ]);
  });
});
