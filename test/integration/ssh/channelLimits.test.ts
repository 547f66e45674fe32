import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, describe, it } from 'mocha';
import type { ChannelFacts } from '../../../src/domain/host/host.ts';
import type { SshdOptions, Sshd } from '../../lab/sshd.ts';
import { SshBench, faultOf, finish, never, runCommand, startServer, targetOf, within } from './sshBench.ts';

describe('a server that limits channels', () => {
  const started: { server: Sshd; bench: SshBench }[] = [];
  afterEach(async () => {
    for (const { server, bench } of started.splice(0)) {
      await bench.dispose();
      await server.stop();
    }
  });

  async function start(options: SshdOptions): Promise<{ server: Sshd; bench: SshBench }> {
    const one = { server: await startServer(options), bench: new SshBench() };
    started.push(one);
    return one;
  }

  const refusalsOf = (bench: SshBench): unknown[] =>
    bench.trace.events.flatMap(({ fact }) => (fact.k === 'channelRefused' ? [fact] : []));

  it('MaxSessions 1: the second command is refused with numbers, and works when the first is gone', async () => {
    const { server, bench } = await start({ maxSessions: 1 });
    const transport = await bench.open(targetOf(server));
    const first = await transport.exec('cat', never);
    for (let n = 0; n < 3; n++) {
      const fault = await faultOf(transport.exec({ command: 'true', queueMs: 0 }, never));
      assert.deepEqual(
        [fault.code, fault.facts, fault.outcome],
        ['channel-limit', { used: '1', limit: '1' }, 'not-sent'],
      );
    }
    first.close();
    await within(first.closed, 'the close');
    assert.deepEqual((await runCommand(transport, 'true')).exit, { kind: 'code', code: 0 });
    assert.deepEqual(refusalsOf(bench), [{ k: 'channelRefused', reason: 2, text: 'open failed' }]);
  });

  it('a refusal teaches the limit once; what does not fit waits, in order, and every command runs', async () => {
    const { server, bench } = await start({ maxSessions: 3 });
    const transport = await bench.open(targetOf(server));
    const held = await Promise.all(Array.from({ length: 3 }, () => transport.exec('cat', never)));
    const order: number[] = [];
    const waiting = Array.from({ length: 6 }, async (_one, n) => {
      const channel = await transport.exec(`echo ${n.toString()}`, never);
      order.push(n);
      return (await finish(channel)).stdout.toString();
    });
    // The first one asked the server and was refused; behind it the limit is known and nobody asks again.
    for (const channel of held) channel.close();
    assert.deepEqual(await within(Promise.all(waiting), 'the end of all'), [
      '0\n',
      '1\n',
      '2\n',
      '3\n',
      '4\n',
      '5\n',
    ]);
    assert.equal(new Set(order).size, 6);
    assert.ok(refusalsOf(bench).length <= 5, 'one refusal for each that was on its way, none repeated');
  });

  it('what was learned is told to the memory, and the next connection asks for no more', async () => {
    const { server, bench } = await start({ maxSessions: 2 });
    const learned: Omit<ChannelFacts, 'at'>[] = [];
    bench.channelMemory.onRemember = (facts) => learned.push(facts);
    const first = await bench.open(targetOf(server));
    const held = [await first.exec('cat', never), await first.as('terminal').exec('cat', never)];
    const fault = await faultOf(first.as('sftp-browse').bytes('sftp', { queueMs: 0 }, never));
    assert.deepEqual([fault.code, fault.facts], ['channel-limit', { used: '2', limit: '2' }]);
    assert.deepEqual(learned, [{ limit: 2 }]);
    for (const channel of held) channel.close();

    bench.channelMemory.known = { limit: 2, at: 0 };
    const again = await bench.open(targetOf(server));
    await again.as('terminal').exec('cat', never);
    const files = await again.as('sftp-browse').bytes('sftp', {}, never);
    await faultOf(again.exec({ command: 'true', queueMs: 0 }, never));
    assert.equal(refusalsOf(bench).length, 1);
    files.destroy();
  });

  it('MaxSessions 0 opens no command but still carries forwards', async () => {
    const { server, bench } = await start({ maxSessions: 0 });
    const transport = await bench.open(targetOf(server));
    const fault = await faultOf(transport.exec('true', never));
    assert.equal(fault.code, 'channel-limit');
    const stream = await transport.direct({ host: server.host, port: server.port }, never);
    const [bytes] = (await within(once(stream, 'data'), 'the banner')) as [Buffer];
    assert.match(bytes.toString(), /^SSH-2\.0-/);
    stream.destroy();
  });

  it('a place that is waited for can be given up; nothing was sent', async () => {
    const { server, bench } = await start({ maxSessions: 1 });
    const transport = await bench.open(targetOf(server));
    const held = await transport.exec('cat', never);
    await faultOf(transport.exec({ command: 'true', queueMs: 0 }, never));
    const abort = new AbortController();
    const waiting = faultOf(transport.exec('touch /nowhere/x', abort.signal));
    abort.abort();
    const fault = await waiting;
    assert.deepEqual([fault.code, fault.outcome], ['cancelled', 'not-sent']);
    held.close();
  });

  it('whoever waits is told when the connection ends, and nothing was sent', async () => {
    const { server, bench } = await start({ maxSessions: 1 });
    const transport = await bench.open(targetOf(server));
    await transport.exec('cat', never);
    await faultOf(transport.exec({ command: 'true', queueMs: 0 }, never));
    const waiting = faultOf(transport.exec('true', never));
    transport.close();
    const fault = await waiting;
    assert.deepEqual([fault.code, fault.outcome], ['cancelled', 'not-sent']);
  });
});
