import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { ManagedChannel } from '../../../src/application/ports/connection.ts';
import type { Transport } from '../../../src/application/ports/transport.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import { startFaultProxy } from '../../lab/faultProxy.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { skipBecause } from '../../skip.ts';
import { SshBench, faultOf, finish, never, runCommand, startServer, targetOf, within } from './sshBench.ts';

/** Resolves when what the channel has printed so far satisfies `isReached`. */
function printed(channel: ManagedChannel, isReached: (text: string) => boolean): Promise<string> {
  let text = '';
  return within(
    new Promise<string>((resolve) => {
      const listening = channel.onData(({ bytes }) => {
        text += Buffer.from(bytes).toString('latin1');
        if (!isReached(text)) return;
        listening.dispose();
        resolve(text);
      });
    }),
    'the expected output',
  );
}

describe('channels of a connection', () => {
  let server: Sshd;
  let bench: SshBench;
  let transport: Transport;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    bench = new SshBench();
    transport = await bench.open(targetOf(server));
  });
  afterEach(() => bench.dispose());

  for (const [command, exit] of [
    ['true', { kind: 'code', code: 0 }],
    ['exit 7', { kind: 'code', code: 7 }],
    ['exit 255', { kind: 'code', code: 255 }],
    ['kill -TERM $$', { kind: 'signal', signal: 'TERM' }],
    ['kill -KILL $$', { kind: 'signal', signal: 'KILL' }],
  ] as const)
    it(`CON-9: "${command}" ends with ${JSON.stringify(exit)}`, async () => {
      assert.deepEqual((await runCommand(transport, command)).exit, exit);
    });

  it('TRAP-12: a command whose connection is killed ends as unknown, never as 0', async () => {
    const channel = await transport.exec('printf started; sleep 60', never);
    await printed(channel, (text) => text === 'started');
    server.dropConnections();
    const exit = await within(channel.exit, 'the end');
    assert.equal(exit.kind, 'unknown');
    await within(channel.closed, 'the close');
    assert.equal((await transport.lost).code, 'server-closed');
  });

  it('exactly the command reaches the shell, whatever characters it has', async () => {
    const { stdout } = await runCommand(transport, `printf '%s|' "a b" 'c"d' $'\\n' "\u00e9\u6f22"; # tail`);
    assert.equal(stdout.toString('utf8'), 'a b|c"d|\n|\u00e9\u6f22|');
  });

  it('both streams arrive, each complete', async () => {
    const { stdout, stderr } = await runCommand(
      transport,
      'for i in 1 2 3; do echo out$i; echo err$i >&2; done',
    );
    assert.deepEqual([stdout.toString(), stderr.toString()], ['out1\nout2\nout3\n', 'err1\nerr2\nerr3\n']);
  });

  it('20 MB arrive unchanged through many pauses, and nothing arrives while paused', async function () {
    this.timeout(120_000);
    const channel = await transport.exec(
      'head -c 20000000 /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 2>/dev/null',
      never,
    );
    const hash = createHash('sha256');
    let total = 0;
    let isPaused = false;
    let sinceResume = 0;
    channel.onData(({ bytes }) => {
      assert.equal(isPaused, false, 'something arrived while paused');
      hash.update(bytes);
      total += bytes.length;
      sinceResume += bytes.length;
      if (sinceResume < 300_000) return;
      isPaused = true;
      channel.pause();
      setImmediate(() => {
        isPaused = false;
        sinceResume = 0;
        channel.resume();
      });
    });
    await within(channel.closed, 'the end of the output', 50_000);
    const zero = Buffer.alloc(16);
    const expected = createCipheriv('aes-128-ctr', zero, zero).update(Buffer.alloc(20_000_000));
    assert.deepEqual(
      [total, hash.digest('hex')],
      [20_000_000, createHash('sha256').update(expected).digest('hex')],
    );
  });

  it('a paused channel holds the server back at the window', async () => {
    const channel = await transport.exec('head -c 50000000 /dev/zero', never);
    let received = 0;
    channel.onData(({ bytes }) => {
      received += bytes.length;
      channel.pause();
    });
    // A second command on the same connection proves that time has passed for the first.
    for (let round = 0; round < 5; round++) await runCommand(transport, 'sleep 0.05');
    assert.ok(received < 100_000, `${received.toString()} bytes arrived after the pause`);
    channel.close();
    await within(channel.closed, 'the close');
  });

  it('a large input goes through with back-pressure and comes back as it was', async function () {
    this.timeout(120_000);
    const channel = await transport.exec('sha256sum; exit 3', never);
    const done = finish(channel);
    const chunk = Buffer.alloc(256 * 1024, 'in');
    const hash = createHash('sha256');
    for (let n = 0; n < 40; n++) {
      hash.update(chunk);
      await within(channel.write(chunk), 'the write');
    }
    channel.end();
    const { stdout, exit } = await done;
    assert.deepEqual([stdout.toString().slice(0, 64), exit], [hash.digest('hex'), { kind: 'code', code: 3 }]);
  });

  it('a write that the other side does not take is open until the channel is closed, then it is refused', async () => {
    const channel = await transport.exec('sleep 30', never);
    const write = faultOf(channel.write(Buffer.alloc(8_000_000)));
    channel.close();
    const fault = await within(write, 'the end of the write');
    assert.deepEqual([fault.code, fault.outcome], ['server-closed', 'unknown']);
    assert.equal((await faultOf(channel.write(Buffer.from('x')))).outcome, 'not-sent');
  });

  it('TRAP-19: a shell has the size it was given, rows first, and follows changes', async () => {
    const channel = await transport.shell(
      { rows: 33, cols: 111, environment: [{ name: 'LC_TEST', value: 'x' }] },
      never,
    );
    await channel.write(Buffer.from('stty size; echo "term=$TERM"\n'));
    const text = await printed(channel, (all) => all.includes('term=xterm'));
    assert.match(text, /33 111/);
    assert.match(text, /term=xterm-256color/);
    channel.resize({ rows: 0, cols: 50 });
    channel.resize({ rows: 44, cols: 99 });
    await channel.write(Buffer.from('stty size; echo do""ne\n'));
    assert.match(await printed(channel, (all) => all.includes('done')), /44 99/);
    await channel.write(Buffer.from('exit 5\n'));
    const { exit } = await finish(channel);
    assert.deepEqual(exit, { kind: 'code', code: 5 });
  });

  it('a channel that nobody reads still closes when it is told to', async () => {
    const channel = await transport.exec('head -c 10000000 /dev/zero; cat', never);
    channel.close();
    await within(channel.closed, 'the close');
  });

  it('an open that is no longer wanted gives its channel back', async () => {
    for (let n = 0; n < 20; n++) {
      const abort = new AbortController();
      const opening = faultOf(transport.exec('cat', abort.signal));
      abort.abort(new Error('enough'));
      const fault = await opening;
      assert.deepEqual([fault.code, fault.outcome], ['cancelled', 'unknown']);
      await runCommand(transport, 'true');
    }
  });

  it('commands leave a channel for a terminal and one for browsing; a further one is not sent', async () => {
    const channels = await Promise.all(Array.from({ length: 8 }, () => transport.exec('cat', never)));
    const fault = await faultOf(transport.exec({ command: 'touch /nowhere/x', queueMs: 0 }, never));
    assert.deepEqual(
      [fault.code, fault.facts, fault.outcome],
      ['channel-limit', { used: '8', limit: '10' }, 'not-sent'],
    );
    const terminal = await transport.as('terminal').shell({ rows: 24, cols: 80, environment: [] }, never);
    const files = await transport.as('sftp-browse').bytes('sftp', {}, never);
    const waiting = transport.exec('echo served', never);
    channels[0]?.close();
    assert.equal((await finish(await waiting)).stdout.toString(), 'served\n');
    terminal.close();
    files.destroy();
  });

  it('after close a channel is refused, and lost says that it was us', async () => {
    const channel = await transport.exec('sleep 60', never);
    transport.close();
    assert.equal((await transport.lost).code, 'cancelled');
    assert.equal((await channel.exit).kind, 'unknown');
    const fault = await faultOf(transport.exec('true', never));
    assert.deepEqual([fault.code, fault.outcome], ['cancelled', 'not-sent']);
  });
});

describe('signals', () => {
  let server: Sshd;
  let bench: SshBench;
  let transport: Transport;
  before(async function () {
    if (!canCreateAccounts()) skipBecause(this, 'only root can make the account that it needs');
    server = await startServer(); // sshd sends no signals to sessions of root
    bench = new SshBench();
    transport = await bench.open(targetOf(server));
  });
  after(async () => {
    await bench.dispose();
    await server.stop();
  });

  for (const hasEnded of [false, true])
    it(`a signal ends the command${hasEnded ? ', also when its input is already at the end' : ''}`, async () => {
      const channel = await transport.exec('echo up; exec sleep 60', never);
      await printed(channel, (text) => text === 'up\n');
      if (hasEnded) channel.end();
      assert.equal(channel.signal('TERM'), true);
      assert.deepEqual(await within(channel.exit, 'the end'), { kind: 'signal', signal: 'TERM' });
      await channel.closed;
      assert.equal(channel.signal('TERM'), false);
    });
});

describe('a connection whose line goes black', () => {
  it('TRAP-7: CON-1: is suspect, then closed; calls end as unknown', async () => {
    const server = await startServer();
    const proxy = await startFaultProxy({ port: server.port });
    const clock = new FakeClock();
    const bench = new SshBench({ clock });
    try {
      const transport = await bench.open(targetOf({ ...copyOf(server), port: proxy.port }));
      const running = await transport.exec('sleep 60', never);
      const states: string[] = [];
      transport.onLiveness((liveness) => states.push(liveness.k));
      proxy.set({ silence: 'swallow' });
      const opening = faultOf(transport.exec('true', never));
      await clock.advance(16_000);
      assert.deepEqual(states, ['suspect']);
      await clock.advance(30_000);
      const fault = await within(transport.lost, 'the end of the connection');
      assert.deepEqual([fault.code, fault.retry], ['not-responding', 'backoff']);
      assert.deepEqual([(await opening).code, (await opening).outcome], ['outcome-unknown', 'unknown']);
      assert.equal((await running.exit).kind, 'unknown');
      assert.equal(clock.pending, 0);
    } finally {
      await bench.dispose();
      await proxy.stop();
      await server.stop();
    }
  });

  it('answers to probes give the round trip, and a line that comes back clears the suspicion', async () => {
    const server = await startServer();
    const proxy = await startFaultProxy({ port: server.port });
    const clock = new FakeClock();
    const bench = new SshBench({ clock });
    try {
      const transport = await bench.open(targetOf({ ...copyOf(server), port: proxy.port }));
      const next = (k: 'alive' | 'suspect'): Promise<void> =>
        within(
          new Promise((resolve) => {
            const listening = transport.onLiveness((liveness) => {
              if (liveness.k !== k) return;
              listening.dispose();
              resolve();
            });
          }),
          k,
        );
      const alive = next('alive');
      await clock.advance(10_000);
      await alive;
      proxy.set({ silence: 'hold' });
      const suspect = next('suspect');
      await clock.advance(16_000);
      await suspect;
      const again = next('alive');
      proxy.set({});
      await again;
      assert.deepEqual((await runCommand(transport, 'true')).exit, { kind: 'code', code: 0 });
    } finally {
      await bench.dispose();
      await proxy.stop();
      await server.stop();
    }
  });
});

describe('many connections', () => {
  it('200 connects and closes leave no sockets, timers or listeners behind', async function () {
    this.timeout(120_000);
    const server = await startServer();
    try {
      const count = (): number =>
        process.getActiveResourcesInfo().filter((name) => /TCP|Pipe|Timeout|Immediate/.test(name)).length;
      const one = async (): Promise<void> => {
        const bench = new SshBench();
        const transport = await bench.open(targetOf(server));
        await runCommand(transport, 'true');
        await bench.dispose();
      };
      await one();
      const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
      const before = count();
      for (let n = 0; n < 50; n++) await Promise.all([one(), one(), one(), one()]);
      await within(
        (async () => {
          while (count() > before) await new Promise((resolve) => setImmediate(resolve));
        })(),
        'the end of every socket and timer',
      );
      assert.equal(
        process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
        listeners,
      );
    } finally {
      await server.stop();
    }
  });
});

function copyOf(server: Sshd): Pick<Sshd, 'host' | 'port' | 'account' | 'key'> {
  return { host: server.host, port: server.port, account: server.account, key: server.key };
}
