import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Sshd } from '../../lab/sshd.ts';
import { sharedFolder } from '../assistant/labHost.ts';
import { startServer, targetOf, within } from '../ssh/sshBench.ts';
import { ExecBench, textOf } from './execBench.ts';

const never = new AbortController().signal;

describe('writing to a running command', function () {
  this.timeout(120_000);
  let server: Sshd;
  let bench: ExecBench;
  let folder: ReturnType<typeof sharedFolder>;
  before(async () => {
    server = await startServer();
    bench = await ExecBench.open(targetOf(server));
    folder = sharedFolder();
  });
  after(async () => {
    await bench.dispose();
    await server.stop();
    folder.remove();
  });

  const kept = { stdin: { text: '', keepOpen: true } };
  const bytes = (content: Buffer) => () => ({ kind: 'bytes', bytes: content }) as const;

  it('more than every buffer on the way holds waits for the command, and arrives whole', async () => {
    const go = join(folder.path, 'go');
    const held = await bench.start(`while [ ! -e ${go} ]; do sleep 0.1; done; wc -c`, kept);
    const content = Buffer.alloc(4 * 1024 * 1024, 'x');
    const writing = held.command.write({ take: bytes(content), closes: true }, never);
    writeFileSync(go, '');
    assert.deepEqual(await within(writing, 'the write'), { kind: 'written', bytes: content.length });
    await within(held.command.ended, 'the end of the command');
    assert.equal(textOf(held).trim(), String(content.length));
  });

  it('two at once do not mix', async () => {
    const held = await bench.start('tr -s ab', kept);
    const first = Buffer.from(`${'a'.repeat(100_000)}\n`);
    const second = Buffer.from(`${'b'.repeat(100_000)}\n`);
    const outcomes = await within(
      Promise.all([
        held.command.write({ take: bytes(first), closes: false }, never),
        held.command.write({ take: bytes(second), closes: true }, never),
      ]),
      'both writes',
    );
    await within(held.command.ended, 'the end of tr');
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['written', 'written'],
    );
    assert.equal(textOf(held), 'a\nb');
  });

  it('to a command that has ended writes nothing', async () => {
    const held = await bench.run('true', kept);
    const outcome = await held.command.write({ take: bytes(Buffer.from('x')), closes: false }, never);
    assert.deepEqual(outcome, { kind: 'closed' });
  });

  it('ends what waits when the command ends without reading it', async () => {
    const go = join(folder.path, 'end');
    const held = await bench.start(`while [ ! -e ${go} ]; do sleep 0.1; done`, kept);
    const content = Buffer.alloc(4 * 1024 * 1024, 'x');
    const writing = held.command.write({ take: bytes(content), closes: true }, never);
    writeFileSync(go, '');
    assert.deepEqual(await within(writing, 'the write'), { kind: 'brokenOff' });
    await within(held.command.ended, 'the end of the command');
    assert.equal(held.command.record().exitCode, 0);
  });
});
