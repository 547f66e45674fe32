import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId } from '../../../../src/agentkit/index.ts';
import { ExecRefusedError } from '../../../../src/application/exec/execRefused.ts';
import type { HostPlace } from '../../../../src/application/exec/hostPlace.ts';
import { HostProfileService } from '../../../../src/application/exec/hostProfileService.ts';
import { RemoteExecService, type ExecRequest } from '../../../../src/application/exec/remoteExecService.ts';
import type { HostFacts, HostRecord } from '../../../../src/domain/host/host.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { ScriptedHost, type ScriptedChannel } from './scriptedHost.ts';
import { TextOutput } from './textOutput.ts';

const never = new AbortController().signal;
const lab = newHostId();

/** Tells its scene when it is disposed. */
class CountedOutput extends TextOutput {
  readonly #scene: { disposedOutputs: number };

  constructor(scene: { disposedOutputs: number }) {
    super();
    this.#scene = scene;
  }

  override dispose(): void {
    this.#scene.disposedOutputs++;
  }
}

const labHost: ExecRequest['host'] = { id: lab, address: 'lab.example.com', port: 22, user: 'root' };

class Scene {
  readonly clock = new FakeClock();
  readonly host = new ScriptedHost();
  readonly learned: HostFacts[] = [];
  stored: HostFacts = {};
  record: HostRecord | undefined;
  listed: HostPlace | undefined = labHost;
  disposedOutputs = 0;
  readonly profiles = new HostProfileService({
    connections: this.host.connections,
    clock: this.clock,
    facts: {
      facts: async () => this.stored,
      get: async () => this.record,
      learn: async (_id, facts) => {
        this.learned.push(facts);
      },
    },
    placeOf: async () => this.listed,
  });
  readonly exec = new RemoteExecService({
    connections: this.host.connections,
    profiles: this.profiles,
    clock: this.clock,
    newOutput: () => new CountedOutput(this),
  });

  constructor(answer: 'posix' | 'other' | 'silent' = 'posix') {
    this.host.onExec = (channel) => this.#play(channel, answer);
  }

  /** What was sent apart from the question for the shell. */
  get sent(): readonly string[] {
    return this.host.channels.filter((channel) => !isQuestion(channel)).map((channel) => channel.command);
  }

  get running(): readonly ScriptedChannel[] {
    return this.host.channels.filter((channel) => !isQuestion(channel));
  }

  start(parts: Partial<ExecRequest> = {}, signal = never): ReturnType<RemoteExecService['start']> {
    return this.exec.start(
      {
        scope: 'conversation',
        callId: callId('call_1'),
        host: labHost,
        command: 'uptime',
        cwd: undefined,
        env: [],
        stdin: undefined,
        timeoutMs: undefined,
        channelWaitMs: 10_000,
        proven: true,
        trust: [],
        capture: undefined,
        ...parts,
      },
      signal,
    );
  }

  #play(channel: ScriptedChannel, answer: string): void {
    const mark = /termind-[0-9a-f]{32}/.exec(channel.command)?.[0] ?? '';
    if (!isQuestion(channel)) return;
    if (answer === 'posix') channel.finishes(0, `${mark}\nbash\n/bin/bash\nLinux\n/root\n42\n${mark}\n`);
    if (answer === 'other') channel.finishes(1, 'Invalid command\n');
  }
}

function isQuestion(channel: ScriptedChannel): boolean {
  return channel.command.includes('$((6*7))');
}

function recordOf(id: HostRecord['id']): HostRecord {
  return {
    id,
    label: 'lab',
    addresses: ['lab.example.com'],
    port: undefined,
    user: undefined,
    identity: { kind: 'default' },
    tier: undefined,
    group: undefined,
    tags: [],
    alias: undefined,
    revision: 1,
  };
}

async function refusal(start: Promise<unknown>): Promise<string> {
  try {
    await start;
  } catch (error) {
    if (error instanceof ExecRefusedError) return error.code;
    throw error;
  }
  return 'started';
}

describe('remote exec', () => {
  it('sends the command byte for byte on a line of its own behind the prelude', async () => {
    const scene = new Scene();
    await scene.start({
      command: 'a=1; echo "$a" # end',
      cwd: "/it's here",
      env: [{ name: 'B', value: '$x' }],
    });
    const [line] = scene.sent;
    const mark = /termind-[0-9a-f]{32}/.exec(line ?? '')?.[0] ?? '';
    assert.deepEqual(line?.split('\n'), [
      `cd -- '/it'\\''s here' || { printf '%s %s\\n' '${mark}' cd >&2; exit 1; }`,
      `printf '%s %s\\n' '${mark}' "$$" >&2`,
      "export B='$x'",
      'a=1; echo "$a" # end',
    ]);
  });

  it('asks for the shell once and remembers the answer', async () => {
    const scene = new Scene();
    await scene.start();
    await scene.start();
    assert.equal(scene.host.channels.filter(isQuestion).length, 1);
    assert.deepEqual(scene.learned, [
      { shellFamily: 'posix', loginShell: 'bash', os: 'Linux', home: '/root' },
    ]);
    assert.deepEqual(scene.profiles.known(labHost)?.loginShell, 'bash');
  });

  it('sends nothing but the command to a shell it does not know', async () => {
    const scene = new Scene('other');
    await scene.start();
    assert.deepEqual(scene.sent, ['uptime']);
    assert.equal(scene.profiles.known(labHost)?.shellFamily, 'unknown');
  });

  for (const [what, parts] of [
    ['a folder', { cwd: '/tmp' }],
    ['variables', { env: [{ name: 'A', value: '1' }] }],
  ] as const)
    it(`refuses ${what} for a shell it does not know`, async () => {
      const scene = new Scene('other');
      assert.equal(await refusal(scene.start(parts)), 'noPrelude');
      assert.deepEqual(scene.sent, []);
      assert.equal(scene.host.leases, scene.host.released);
    });

  it('remembers nothing about a host that does not answer in time, and asks again', async () => {
    const scene = new Scene('silent');
    const first = scene.start();
    await scene.clock.advance(15_000);
    await first;
    assert.equal(scene.profiles.known(labHost), undefined);
    const second = scene.start();
    await scene.clock.advance(15_000);
    await second;
    assert.deepEqual(scene.learned, []);
    assert.deepEqual(scene.sent, ['uptime', 'uptime']);
  });

  for (const family of ['menu', 'network-cli'] as const)
    it(`neither probes a host that is stored as ${family} nor sends it a command`, async () => {
      const scene = new Scene();
      scene.stored = { shellFamily: family };
      await assert.rejects(scene.start(), (error: unknown) => {
        return (
          isTermindError(error) && error.fault.code === 'limited-host' && error.fault.outcome === 'not-sent'
        );
      });
      assert.deepEqual(scene.host.channels, []);
      assert.equal(await scene.profiles.limited(labHost), family);
      assert.equal(scene.host.leases, scene.host.released);
    });

  for (const [shellFamily, sent] of [
    ['unknown', /^uptime$/],
    ['posix', /^printf [^]*\nuptime$/],
  ] as const)
    it(`a host whose owner says "${shellFamily}" is taken at that word and not probed`, async () => {
      const scene = new Scene();
      scene.record = { ...recordOf(labHost.id), shellFamily };
      await scene.start();
      assert.equal(scene.host.channels.length, 1);
      assert.match(scene.sent[0] ?? '', sent);
      assert.deepEqual(scene.learned, []);
    });

  it('runs at most 16 commands of a conversation, and counts those that are about to start', async () => {
    const scene = new Scene();
    const all = await Promise.all(Array.from({ length: 17 }, () => refusal(scene.start())));
    assert.equal(all.filter((result) => result === 'started').length, 16);
    assert.equal(all.filter((result) => result === 'tooManyRunning').length, 1);
    assert.equal(await refusal(scene.start({ scope: 'another conversation' })), 'started');
    const [running] = scene.running;
    running?.finishes(0);
    await scene.clock.advance(0);
    assert.equal(await refusal(scene.start()), 'started');
  });

  it('keeps 64 records of a conversation; the oldest finished one goes first', async () => {
    const scene = new Scene();
    const first = await scene.start();
    for (let count = 1; count < 65; count++) {
      const held = await scene.start();
      scene.running.at(-1)?.finishes(0);
      await held.command.ended;
    }
    const records = scene.exec.list('conversation');
    assert.equal(records.length, 64);
    assert.equal(records.at(-1)?.execId, first.command.record().execId);
    assert.equal(scene.disposedOutputs, 1);
  });

  it('finds a command of its conversation by id and by call, and none of another', async () => {
    const scene = new Scene();
    const held = await scene.start({ callId: callId('call_7') });
    const { execId } = held.command.record();
    assert.equal(scene.exec.get('conversation', execId), held);
    assert.equal(scene.exec.ofCall('conversation', 'call_7'), held);
    assert.equal(scene.exec.get('another', execId), undefined);
    assert.equal(scene.exec.ofCall('another', 'call_7'), undefined);
  });

  it('lets a command wait for a channel as long as its caller allows', async () => {
    const scene = new Scene();
    await scene.start({ channelWaitMs: 7_000 });
    assert.equal(scene.host.requests.at(-1)?.queueMs, 7_000);
  });

  it('says that nothing was sent when no channel became free in time', async () => {
    const scene = new Scene();
    await scene.profiles.learn(labHost, never);
    scene.host.maxChannels = 0;
    assert.equal(await refusal(scene.start({ command: 'df -h' })), 'tooManyOnHost');
    assert.equal(scene.host.sent('df -h'), 0);
    assert.equal(scene.host.leases - scene.host.released, 0);
  });

  it('gives up a connection that waits for an answer after five minutes', async () => {
    const scene = new Scene();
    const exec = new RemoteExecService({
      connections: {
        ...scene.host.connections,
        acquire: (_host, _purpose, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      },
      profiles: scene.profiles,
      clock: scene.clock,
      newOutput: () => assert.fail('no command, no output'),
    });
    const started = refusal(
      exec.start(
        {
          scope: 's',
          callId: callId('c'),
          host: labHost,
          command: 'uptime',
          cwd: undefined,
          env: [],
          stdin: undefined,
          timeoutMs: undefined,
          channelWaitMs: 0,
          proven: true,
          trust: [],
          capture: undefined,
        },
        never,
      ),
    );
    await scene.clock.advance(5 * 60_000);
    assert.equal(await started, 'connectionWait');
  });

  it('closes everything when it is disposed and starts nothing afterwards', async () => {
    const scene = new Scene();
    const held = await scene.start();
    scene.exec.dispose();
    await held.command.ended;
    assert.equal(scene.running[0]?.isClosed, true);
    assert.equal(scene.disposedOutputs, 1);
    assert.equal(await refusal(scene.start()), 'tooManyRunning');
  });

  it('sends nothing over a connection that goes somewhere else than was shown', async () => {
    const scene = new Scene();
    for (const host of [
      { ...labHost, port: 2222 },
      { ...labHost, user: 'deploy' },
    ]) {
      scene.listed = host;
      assert.equal(await refusal(scene.start({ host })), 'otherHost');
    }
    assert.deepEqual(scene.host.channels, []);
  });

  for (const [listed, reason] of [
    [{ ...labHost, address: 'other.example.com' }, 'another address'],
    [{ ...labHost, way: 'another jump host' }, 'another way'],
    [undefined, 'is gone'],
  ] as const)
    it(`sends nothing to a host that was edited before the connection was there: ${reason}`, async () => {
      const scene = new Scene();
      const started = refusal(scene.start());
      scene.listed = listed;
      assert.equal(await started, 'otherHost');
      assert.deepEqual(scene.host.channels, []);
      assert.equal(scene.profiles.known(labHost), undefined);
      assert.equal(scene.host.released, scene.host.leases);
    });

  it('asks a host that was edited for its shell again', async () => {
    const scene = new Scene();
    await scene.profiles.learn(labHost, never);
    assert.equal(scene.profiles.known(labHost)?.loginShell, 'bash');
    assert.equal(scene.profiles.known({ ...labHost, address: 'other.example.com' }), undefined);
  });
});
