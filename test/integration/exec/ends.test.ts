import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { notes } from '../../../src/application/exec/execRecord.ts';
import { startFaultProxy } from '../../lab/faultProxy.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { ended } from '../../lab/processes.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { startServer, targetOf, within } from '../ssh/sshBench.ts';
import { ExecBench, textOf } from './execBench.ts';

describe('how a command ends', () => {
  let server: Sshd;
  let bench: ExecBench;
  before(async () => {
    server = await startServer();
    bench = await ExecBench.open(targetOf(server));
  });
  after(async () => {
    await bench.dispose();
    await server.stop();
  });

  it('TRAP-12: a status without a close is waited for only so long, and the children go on', async () => {
    const held = await bench.run('sleep 300 & echo $!');
    const { status, exitCode, note } = held.command.record();
    assert.deepEqual([status, exitCode], ['exited', 0]);
    assert.match(note ?? '', /processes it started may still run/);
    const child = Number(textOf(held));
    process.kill(child, 0);
    process.kill(child, 'SIGKILL');
    await ended([child]);
  });

  for (const [line, expected] of [
    ['exit 3', { status: 'exited', exitCode: 3, signal: undefined }],
    ['kill -USR1 $$', { status: 'signalled', exitCode: undefined, signal: 'USR1' }],
    ['exit 255', { status: 'exited', exitCode: 255, signal: undefined }],
  ] as const)
    it(`CON-9: "${line}" is told as it was`, async () => {
      const { status, exitCode, signal } = (await bench.run(line)).command.record();
      assert.deepEqual({ status, exitCode, signal }, expected);
    });

  it('a folder that cannot be entered is an error, and nothing runs', async () => {
    const held = await bench.run('touch /tmp/termind-ran', { cwd: '/nowhere/at all' });
    const { exitCode, directoryRefused } = held.command.record();
    assert.deepEqual([exitCode, directoryRefused], [1, true]);
    assert.doesNotMatch(textOf(held), /termind-[0-9a-f]{32}/);
  });

  it('folder and variables reach the command, and the prelude is not seen', async () => {
    const value = `it's "$HOME" \`x\` \\ \n é`;
    const held = await bench.run('pwd; printf "%s\\n" "$NAME"; echo beside >&2', {
      cwd: '/tmp',
      env: [{ name: 'NAME', value }],
    });
    assert.deepEqual(textOf(held).split('\n').sort(), [...`/tmp\n${value}`.split('\n'), 'beside'].sort());
  });

  for (const by of ['close', 'reset'] as const)
    it(`a status in front of output that the line (${by}) takes along says that some is missing`, async () => {
      const line = await startFaultProxy({ port: server.port });
      const cut = await ExecBench.open(
        targetOf(server, { addresses: [line.host], port: line.port }),
        new FakeClock(),
      );
      try {
        // The child speaks once the server has taken, and told, the status of the shell.
        const child = 'while kill -0 $$ 2>/dev/null; do :; done; echo gone; sleep 60';
        const held = await cut.start(`(${child}) & exit 0`);
        const spoken = new Promise<void>((resolve) => {
          if (held.command.record().outputBytes > 0) resolve();
          held.command.onOutput(resolve);
        });
        await within(spoken, 'the child');
        line.cutAll(by);
        await within(held.command.ended, 'the end');
        const { status, exitCode, note } = held.command.record();
        assert.deepEqual([status, exitCode, note], ['exited', 0, notes.outputCut]);
      } finally {
        await cut.dispose();
        await line.stop();
      }
    });

  it('a stop affects its own channel only', async () => {
    const other = await bench.start('sleep 1; echo survived');
    const stopped = await bench.start('sleep 300');
    await within(stopped.command.cancel('TERM', new AbortController().signal), 'the cancel');
    assert.equal(stopped.command.record().status, 'cancelled');
    await within(other.command.ended, 'the other one');
    assert.deepEqual([other.command.record().exitCode, textOf(other)], [0, 'survived']);
  });
});
