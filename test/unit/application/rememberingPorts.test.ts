import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRedactor, KnownSecrets } from '../../../src/agentkit/index.ts';
import type { SecretStorePort } from '../../../src/application/ports/prompts.ts';
import { rememberingPrompts, rememberingSecrets } from '../../../src/application/rememberingPorts.ts';

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
          confirm: async () => false,
          signing: async () => false,
        },
        known,
      );
      await prompts.secret(
        {
          kind: 'password',
          ...{ hop: '', title: '', heading: '', prompt: '', echo },
          ...{ canRemember: false, isRepeated: false, keysLeftOut: 0 },
        },
        never,
      );
      assert.equal(createRedactor(known).redact(canary), shown);
    }
  });
});
