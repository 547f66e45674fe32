import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId } from '../../../../src/agentkit/index.ts';
import { notes, type ExecRecord } from '../../../../src/application/exec/execRecord.ts';
import { RemoteCommand, type StartedCommand } from '../../../../src/application/exec/remoteCommand.ts';
import { proveReadOnly } from '../../../../src/domain/shell/proveReadOnly.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { ScriptedChannel, ScriptedHost } from './scriptedHost.ts';

const never = new AbortController().signal;
const mark = 'termind-00';

class Scene {
  readonly clock = new FakeClock();
  readonly host = new ScriptedHost();
  readonly output: string[] = [];
  /** Set to hold the channel back. */
  full: Promise<void> | undefined;
  hasEnded = false;
  readonly channel = new ScriptedChannel('sleep 60');
  readonly command: RemoteCommand;

  constructor(parts: Partial<StartedCommand> = {}) {
    this.host.channels.push(this.channel);
    const start: StartedCommand = {
      execId: 'e1',
      hostId: newHostId(),
      scope: 's',
      callId: callId('call_1'),
      command: 'sleep 60',
      proven: false,
      trust: [],
      lease: this.host.lease(),
      channel: this.channel,
      mark,
      stdin: undefined,
      timeoutMs: undefined,
      ...parts,
    };
    const sink = {
      push: (bytes: Uint8Array): Promise<void> | undefined => {
        this.output.push(Buffer.from(bytes).toString());
        return this.full;
      },
      end: (): void => void (this.hasEnded = true),
    };
    this.command = new RemoteCommand(start, sink, this.clock);
  }

  facts(): Partial<ExecRecord> {
    const { status, exitCode, signal, timedOut, note } = this.command.record();
    return { status, exitCode, signal, timedOut, note };
  }
}

const ended = { exitCode: undefined, signal: undefined, timedOut: false, note: undefined };

describe('a remote command', () => {
  it('ends with the status that the host told, and gives its channel and lease back', async () => {
    const scene = new Scene();
    const { channel, command, host } = scene;
    channel.finishes(3, 'some output\n');
    await command.ended;
    const { status, exitCode, outputBytes, stderrBytes } = command.record();
    assert.deepEqual(
      { status, exitCode, outputBytes, stderrBytes },
      { status: 'exited', exitCode: 3, outputBytes: 12, stderrBytes: 0 },
    );
    assert.deepEqual(scene.output, ['some output\n']);
    assert.equal(host.released, 1);
    assert.equal(scene.clock.pending, 0);
  });

  it('CON-9: never reads a missing status as success', async () => {
    const scene = new Scene();
    scene.channel.closes();
    await scene.clock.advance(500);
    assert.deepEqual(scene.facts(), { ...ended, status: 'exited', note: notes.noStatus });
  });

  it('is lost with its link, and says so', async () => {
    const scene = new Scene();
    scene.channel.print('partial');
    scene.channel.closes();
    await scene.clock.advance(499);
    scene.host.cut();
    await scene.command.ended;
    assert.deepEqual(scene.facts(), { ...ended, status: 'lost', note: notes.lost });
    assert.deepEqual(scene.output, ['partial']);
  });

  it('that is lost with a known process suggests a read-only command that finds out', async () => {
    const scene = new Scene();
    scene.channel.print(`${mark} 4711\n`, 'stderr');
    scene.host.cut();
    await scene.clock.advance(2_000);
    const { note = '' } = scene.command.record();
    const [, probe = ''] = /To find out whether it still runs: (.+)$/.exec(note) ?? [];
    assert.equal(probe, 'ps -p 4711 -o pid,etime,args');
    const place = { cwd: undefined, hasEnvironment: false, hasInput: false, loginShell: 'bash', os: 'Linux' };
    assert.equal(proveReadOnly({ command: probe, ...place }).proof, 'readOnly');
  });

  it('waits for the close at most 1.5 s behind the status, then closes and says that children may live', async () => {
    const scene = new Scene();
    scene.channel.exits({ kind: 'code', code: 0 });
    await scene.clock.advance(1_499);
    assert.equal(scene.command.isRunning, true);
    await scene.clock.advance(1);
    assert.deepEqual(scene.facts(), { ...ended, status: 'exited', exitCode: 0, note: notes.stayedOpen });
    assert.equal(scene.channel.isClosed, true);
  });

  it('keeps output that its own back-pressure held behind the status', async () => {
    const scene = new Scene();
    let release = (): void => {};
    scene.full = new Promise((resolve) => (release = resolve));
    scene.channel.print('first');
    scene.channel.exits({ kind: 'code', code: 0 });
    await scene.clock.advance(2_000);
    assert.equal(scene.command.isRunning, true);
    scene.full = undefined;
    release();
    await settle();
    scene.channel.print('last');
    scene.channel.closes();
    await scene.command.ended;
    assert.deepEqual(scene.output, ['first', 'last']);
    assert.deepEqual(scene.facts(), { ...ended, status: 'exited', exitCode: 0 });
  });

  it('pauses the channel while the collector is full and resumes it afterwards', async () => {
    const scene = new Scene();
    let release = (): void => {};
    scene.full = new Promise((resolve) => (release = resolve));
    scene.channel.print('x');
    assert.equal(scene.channel.isPaused, true);
    release();
    await settle();
    assert.equal(scene.channel.isPaused, false);
  });

  it('takes the report of the prelude out of the output and out of the counts', async () => {
    const scene = new Scene();
    scene.channel.print(`${mark} 77\nwarning\n`, 'stderr');
    scene.channel.finishes(0, 'out\n');
    await scene.command.ended;
    const { outputBytes, stderrBytes } = scene.command.record();
    assert.deepEqual({ outputBytes, stderrBytes }, { outputBytes: 12, stderrBytes: 8 });
    assert.deepEqual(scene.output, ['warning\n', 'out\n']);
  });

  it('says that the folder could not be entered', async () => {
    const scene = new Scene();
    scene.channel.print(`cd: /x: not found\n${mark} cd\n`, 'stderr');
    scene.channel.finishes(1);
    await scene.command.ended;
    assert.equal(scene.command.record().directoryRefused, true);
  });

  it('closes standard input at once', async () => {
    const scene = new Scene();
    await settle();
    assert.equal(scene.channel.hasEnded, true);
    assert.equal(scene.command.record().stdinOpen, false);
  });

  it('writes the given input and closes behind it, or keeps it open', async () => {
    const closing = new Scene({ stdin: { text: 'yes\n', keepOpen: false } });
    const open = new Scene({ stdin: { text: 'yes\n', keepOpen: true } });
    await settle();
    assert.deepEqual([closing.channel.written, closing.channel.hasEnded], [['yes\n'], true]);
    assert.deepEqual([open.channel.written, open.channel.hasEnded], [['yes\n'], false]);
    assert.equal(open.command.record().stdinOpen, true);
  });

  it('gets a secret with a line feed behind it, and holds it until it has ended', async () => {
    const scene = new Scene({ stdin: { text: '', keepOpen: true } });
    let isHeld = true;
    const secret = { bytes: Buffer.from('sesame'), dispose: () => (isHeld = false) };
    const outcome = await scene.command.write(
      { take: () => ({ kind: 'secret', secret }), closes: true },
      never,
    );
    assert.deepEqual(outcome, { kind: 'written', bytes: 7 });
    assert.deepEqual([scene.channel.written.join(''), scene.channel.hasEnded], ['sesame\n', true]);
    assert.equal(isHeld, true);
    scene.channel.finishes(0);
    await scene.command.ended;
    assert.equal(isHeld, false);
  });

  it('that has ended takes no input and asks for no secret', async () => {
    const scene = new Scene({ stdin: { text: '', keepOpen: true } });
    scene.channel.finishes(0);
    await scene.command.ended;
    const take = (): never => assert.fail('the secret would be used up for nothing');
    assert.deepEqual(await scene.command.write({ take, closes: false }, never), { kind: 'closed' });
  });

  describe('waiting', () => {
    const patient = { maxMs: 10_000, interrupted: new Promise<void>(() => {}) };

    it('ends when the command does', async () => {
      const scene = new Scene();
      const waited = scene.command.wait(patient, never);
      scene.channel.finishes(0);
      await waited;
      assert.equal(scene.command.isRunning, false);
    });

    it('ends after its time while the command goes on', async () => {
      const scene = new Scene();
      const waited = scene.command.wait(patient, never);
      await scene.clock.advance(10_000);
      await waited;
      assert.equal(scene.facts().status, 'running');
    });

    it('ends when the user interjects', async () => {
      const scene = new Scene();
      await scene.command.wait({ ...patient, interrupted: Promise.resolve() }, never);
      assert.equal(scene.facts().status, 'running');
    });

    it('is stopped by an abort, and the command goes on', async () => {
      const scene = new Scene();
      const stop = new AbortController();
      const waited = scene.command.wait(patient, stop.signal);
      stop.abort(new Error('stop'));
      await assert.rejects(waited, /stop/);
      assert.equal(scene.facts().status, 'running');
      assert.equal(scene.channel.isClosed, false);
    });
  });

  describe('cancelling', () => {
    it('sends the signal and reports what the host confirmed', async () => {
      const scene = new Scene();
      const report = scene.command.cancel('TERM', never);
      assert.deepEqual(scene.channel.signals, ['TERM']);
      scene.channel.exits({ kind: 'signal', signal: 'TERM' });
      scene.channel.closes();
      assert.deepEqual(await report, { method: 'signal', outcomeKnown: true });
      assert.deepEqual(scene.facts(), { ...ended, status: 'cancelled', signal: 'TERM' });
    });

    it('closes the channel after two seconds, and then knows nothing', async () => {
      const scene = new Scene();
      const report = scene.command.cancel('TERM', never);
      await scene.clock.advance(1_999);
      assert.equal(scene.channel.isClosed, false);
      await scene.clock.advance(1);
      assert.deepEqual(await report, { method: 'channel_close', outcomeKnown: false });
      assert.deepEqual(scene.facts(), { ...ended, status: 'cancelled', note: notes.survives });
    });

    it('does not wait for a signal that the server does not take', async () => {
      const scene = new Scene();
      scene.channel.takesSignals = false;
      assert.deepEqual(await scene.command.cancel('TERM', never), {
        method: 'channel_close',
        outcomeKnown: false,
      });
    });

    it('kills the recorded process group with KILL only, after the channel is closed', async () => {
      const scene = new Scene();
      scene.channel.print(`${mark} 77\n`, 'stderr');
      let wasClosed = false;
      scene.host.onExec = (channel) => {
        wasClosed = scene.channel.isClosed;
        channel.finishes(0);
      };
      const report = scene.command.cancel('KILL', never);
      await scene.clock.advance(2_000);
      assert.deepEqual(await report, { method: 'group_kill', outcomeKnown: true });
      assert.equal(scene.host.channel(1).command, 'kill -KILL -- -77');
      assert.equal(wasClosed, true);
      assert.deepEqual(scene.facts(), { ...ended, status: 'cancelled' });
    });

    it('does not claim a kill that the host refused', async () => {
      const scene = new Scene();
      scene.channel.print(`${mark} 77\n`, 'stderr');
      scene.host.onExec = (channel) => channel.finishes(1);
      const report = scene.command.cancel('KILL', never);
      await scene.clock.advance(2_000);
      assert.deepEqual(await report, { method: 'channel_close', outcomeKnown: false });
    });

    it('never kills a group without the number that the prelude reported', async () => {
      const scene = new Scene({ mark: undefined });
      const report = scene.command.cancel('KILL', never);
      await scene.clock.advance(2_000);
      assert.deepEqual(await report, { method: 'channel_close', outcomeKnown: false });
      assert.equal(scene.host.channels.length, 1);
    });

    it('reports an ended command as it ended', async () => {
      const scene = new Scene();
      scene.channel.finishes(0);
      await scene.command.ended;
      assert.deepEqual(await scene.command.cancel('TERM', never), { method: undefined, outcomeKnown: true });
      assert.equal(scene.facts().status, 'exited');
    });

    it('runs by itself at the time-out', async () => {
      const scene = new Scene({ timeoutMs: 5_000 });
      await scene.clock.advance(5_000);
      assert.deepEqual(scene.channel.signals, ['TERM']);
      scene.channel.exits({ kind: 'signal', signal: 'TERM' });
      scene.channel.closes();
      await scene.command.ended;
      assert.deepEqual(scene.facts(), { ...ended, status: 'cancelled', signal: 'TERM', timedOut: true });
    });

    it('goes on when the caller stops waiting for it', async () => {
      const scene = new Scene();
      const stop = new AbortController();
      const report = scene.command.cancel('TERM', stop.signal);
      stop.abort(new Error('stop'));
      await assert.rejects(report, /stop/);
      await scene.clock.advance(2_000);
      assert.equal(scene.facts().status, 'cancelled');
    });
  });

  it('closes its channel when the window closes, and its outcome is unknown', async () => {
    const scene = new Scene({ timeoutMs: 5_000 });
    scene.command.dispose();
    await scene.command.ended;
    assert.equal(scene.channel.isClosed, true);
    assert.deepEqual(scene.facts(), { ...ended, status: 'lost', note: notes.lost });
    assert.equal(scene.clock.pending, 0);
  });
});
