import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { ChannelFacts } from '../../../src/domain/host/host.ts';
import { startEquipment, type Equipment, type EquipmentOptions } from '../../lab/equipment.ts';
import { SshBench, faultOf, finish, never, runCommand, targetAt, within } from './sshBench.ts';

describe('equipment that is not OpenSSH', () => {
  const started: { equipment: Equipment; bench: SshBench }[] = [];
  afterEach(async () => {
    for (const { equipment, bench } of started.splice(0)) {
      await bench.dispose();
      await equipment.stop();
    }
  });

  async function start(options: EquipmentOptions): Promise<{ equipment: Equipment; bench: SshBench }> {
    const one = { equipment: await startEquipment(options), bench: new SshBench() };
    started.push(one);
    return one;
  }

  it('that serves one command at a time gets one at a time after its first refusal, and that is remembered', async () => {
    let end: () => void = () => {};
    const { equipment, bench } = await start({
      takes: (_command, running) => running === 0,
      serve: (channel, command) => {
        end = () => {
          channel.write(command);
          channel.exit(0);
          channel.end();
        };
        if (command !== 'first') end();
      },
    });
    const learned: Omit<ChannelFacts, 'at'>[] = [];
    bench.channelMemory.onRemember = (facts) => learned.push(facts);
    const transport = await bench.open(targetAt(equipment));
    const first = await transport.exec('first', never);
    const later = ['second', 'third'].map(async (command) =>
      (await runCommand(transport, command)).stdout.toString(),
    );
    await within(
      (async () => {
        while (learned.length === 0) await new Promise((resolve) => setImmediate(resolve));
      })(),
      'the refusal',
    );
    end();
    assert.equal((await finish(first)).stdout.toString(), 'first');
    assert.deepEqual(await within(Promise.all(later), 'the others'), ['second', 'third']);
    assert.deepEqual(learned, [{ oneCommand: true }]);

    bench.channelMemory.known = { oneCommand: true, at: 0 };
    const asked = equipment.commands.length;
    const again = await bench.open(targetAt(equipment));
    await Promise.all([1, 2, 3].map((n) => runCommand(again, `later ${n.toString()}`)));
    assert.equal(equipment.commands.length, asked + 3, 'no command had to be refused');
  });

  it('that takes no command at all is a limited host, and the connection goes on', async () => {
    const { equipment, bench } = await start({ takes: () => false });
    const transport = await bench.open(targetAt(equipment));
    for (let n = 0; n < 20; n++) {
      const fault = await faultOf(transport.exec('show version', never));
      assert.deepEqual([fault.code, fault.outcome], ['limited-host', 'not-sent']);
    }
    assert.equal(equipment.commands.length, 20);
  });

  it('that refuses a second session without a word teaches the limit too', async () => {
    const { equipment, bench } = await start({
      opens: (open) => open === 0,
      serve: (channel) => void channel.on('end', () => channel.close()).resume(),
    });
    const transport = await bench.open(targetAt(equipment));
    const first = await transport.exec('first', never);
    const fault = await faultOf(transport.exec({ command: 'second', queueMs: 0 }, never));
    assert.deepEqual([fault.code, fault.facts], ['channel-limit', { used: '1', limit: '1' }]);
    const refusal = bench.trace.events.find(({ fact }) => fact.k === 'channelRefused')?.fact;
    assert.deepEqual(refusal, { k: 'channelRefused', reason: 2, text: '' });
    first.end();
    await within(finish(first), 'the end of the first');
  });

  it('TRAP-18: that is no OpenSSH by name is still asked for its Unix sockets', async () => {
    const { equipment, bench } = await start({ ident: 'Router_9', listens: true });
    const transport = await bench.open(targetAt(equipment));
    const listener = await transport.listen({ path: '/tmp/somewhere.sock' }, () => {}, never);
    assert.equal(listener.port, undefined);
    await listener.close();
    assert.deepEqual(equipment.requests, [
      'streamlocal-forward@openssh.com',
      'cancel-streamlocal-forward@openssh.com',
    ]);
  });

  it('whose command ends with a signal or with nothing is told as such', async () => {
    const { equipment, bench } = await start({
      serve: (channel, command) => {
        if (command === 'signal') channel.exit('SEGV', true, 'core dumped');
        channel.close();
      },
    });
    const transport = await bench.open(targetAt(equipment));
    assert.deepEqual((await runCommand(transport, 'signal')).exit, { kind: 'signal', signal: 'SEGV' });
    assert.deepEqual((await runCommand(transport, 'nothing')).exit, {
      kind: 'unknown',
      reason: 'the channel closed without a status',
    });
  });
});
