import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRedactor, createSecretRegistry, newRunId } from '../../../../src/agentkit/index.ts';
import { SecretBroker, type SecretUse } from '../../../../src/agentkit/secrets/secretBroker.ts';
import { assistantRow } from '../support/histories.ts';

const value = 'correct-horse-battery';
const runId = newRunId();
const use: SecretUse = { runId, tool: 'ssh_exec_run', hostId: 'h1', purpose: 'sudo' };

function scene() {
  const known = createSecretRegistry();
  const broker = new SecretBroker({ runId, known });
  const bytes = Buffer.from(value);
  const handle = broker.issue(bytes, use);
  return { known, broker, bytes, handle, redactor: createRedactor(known) };
}

const isWiped = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

describe('the secrets of a run', () => {
  it('are given once, to the use they were asked for', () => {
    const { broker, handle } = scene();
    const first = broker.consume(handle, use);
    assert.equal(first.kind === 'consumed' && first.secret.bytes.toString(), value);
    assert.deepEqual(broker.consume(handle, use), { kind: 'notFound' });
  });

  for (const [what, wrong] of [
    ['host', { hostId: 'h2' }],
    ['tool', { tool: 'ssh_exec_stdin' }],
    ['purpose', { purpose: 'command_input' }],
    ['run', { runId: newRunId() }],
  ] as const)
    it(`vector 22: a wrong ${what} does not consume`, () => {
      const { broker, handle, bytes } = scene();
      assert.deepEqual(broker.consume(handle, { ...use, ...wrong }), { kind: 'mismatch' });
      assert.equal(bytes.toString(), value);
      assert.equal(broker.consume(handle, use).kind, 'consumed');
    });

  it('vector 22: an unknown handle and a second use are not found', () => {
    const { broker, handle } = scene();
    assert.deepEqual(broker.consume('6f1c6c1e-0000-4000-8000-000000000000', use), { kind: 'notFound' });
    broker.consume(handle, use);
    assert.deepEqual(broker.consume(handle, { ...use, hostId: 'h2' }), { kind: 'notFound' });
  });

  it('vector 22: are hidden once they are used, also across chunks of a stream', () => {
    const { broker, handle, redactor } = scene();
    assert.equal(redactor.redact(`it is ${value}`), `it is ${value}`);
    broker.consume(handle, use);
    assert.equal(redactor.redact(`it is ${value}`), 'it is [redacted]');
    const stream = redactor.stream();
    const chunks = `login ok ${value} done\n`.match(/.{1,3}|\n/g) ?? [];
    assert.equal(
      chunks.map((chunk) => stream.push(chunk)).join('') + stream.end(),
      'login ok [redacted] done\n',
    );
  });

  it('are overwritten when the run has ended and the command is closed, whichever comes last', () => {
    for (const order of ['run first', 'command first']) {
      const { broker, handle, bytes, redactor } = scene();
      const consumed = broker.consume(handle, use);
      assert.ok(consumed.kind === 'consumed');
      const steps = [() => broker.dispose(), () => consumed.secret.dispose()];
      if (order === 'command first') steps.reverse();
      steps[0]?.();
      assert.equal(isWiped(bytes), false, order);
      assert.equal(redactor.redact(value), '[redacted]', order);
      steps[1]?.();
      assert.equal(isWiped(bytes), true, order);
      assert.equal(redactor.redact(value), value, order);
    }
  });

  it('are overwritten at Stop when nobody used them, and nothing is taken any more', () => {
    const { broker, handle, bytes } = scene();
    broker.close();
    assert.equal(isWiped(bytes), true);
    assert.deepEqual(broker.consume(handle, use), { kind: 'notFound' });
    const late = Buffer.from(value);
    assert.throws(() => broker.issue(late, use));
    assert.equal(isWiped(late), true);
  });

  it('are not taken without a redactor that could hide them', () => {
    const broker = new SecretBroker({ runId, known: undefined });
    const bytes = Buffer.from(value);
    assert.throws(() => broker.issue(bytes, use));
    assert.equal(isWiped(bytes), true);
  });

  it('leave no handle in an answer of the model', () => {
    const { broker, handle } = scene();
    const message = assistantRow('a', `use ${handle}, ${handle}`);
    assert.equal(broker.withoutHandles(message).text, 'use expired, expired');
  });
});
