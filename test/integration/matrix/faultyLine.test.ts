import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { isTermindError } from '../../../src/domain/fault.ts';
import { faultError, outcomeUnknown } from '../../../src/domain/ssh/connectionFault.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startFaultProxy, type Cut, type FaultProxy } from '../../lab/faultProxy.ts';
import { freePort } from '../../lab/freePort.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { ForwardBench, connectOutcome } from '../forwards/forwardBench.ts';
import { finish, never, targetOf, within } from '../ssh/sshBench.ts';

/** What a line does to the bytes of one connection, beginning where the connection stands now. */
type LineFault =
  /** Every byte is late. */
  | { readonly k: 'delay' }
  /** Nothing comes through until the line is mended: what TCP makes of lost packets. */
  | { readonly k: 'drop' }
  /** Everything is swallowed for ever. */
  | { readonly k: 'blackHole' }
  | { readonly k: 'reset' }
  /** Ends after so many more bytes in one direction. */
  | {
      readonly k: 'cut';
      readonly bytes: number;
      readonly direction: Cut['direction'];
      readonly by: Cut['by'];
    };

/** How something ends: well, or by a fault and its outcome. */
type End = 'good' | `${string}, ${'not-sent' | 'failed' | 'unknown'}`;

interface Row {
  readonly fault: LineFault;
  readonly connect: End;
  /** Of a command that was asked for after the fault began. */
  readonly exec: End;
  /** What the forward is down by; `good` when it carried everything. */
  readonly forward: End;
}

const delay = 40;
const silent = 'not-identified, not-sent';
const rows: readonly Row[] = [
  { fault: { k: 'delay' }, connect: 'good', exec: 'good', forward: 'good' },
  { fault: { k: 'drop' }, connect: 'good', exec: 'good', forward: 'good' },
  {
    fault: { k: 'blackHole' },
    connect: silent,
    exec: 'outcome-unknown, unknown',
    forward: 'not-responding, unknown',
  },
  {
    fault: { k: 'reset' },
    connect: silent,
    exec: 'outcome-unknown, unknown',
    forward: 'link-lost, unknown',
  },
  ...(
    [
      [0, 'toClient', 'close', silent],
      [12, 'toClient', 'reset', silent],
      [900, 'toClient', 'close', 'server-closed, failed'],
      [900, 'toClient', 'reset', 'link-lost, failed'],
      [1_700, 'toClient', 'close', 'server-closed, failed'],
      [30, 'toTarget', 'close', 'server-closed, failed'],
      [40, 'toTarget', 'reset', 'link-lost, failed'],
      [20_000, 'toClient', 'reset', 'good'],
    ] as const
  ).map(([bytes, direction, by, connect]): Row => ({
    fault: { k: 'cut', bytes, direction, by },
    connect,
    exec: 'outcome-unknown, unknown',
    forward: by === 'reset' ? 'link-lost, unknown' : 'server-closed, unknown',
  })),
];

describe('a line that goes bad under SSH', () => {
  let server: Sshd;
  let folder: string;
  let counter: string;
  let line: FaultProxy;
  let clock: FakeClock;
  let bench: ForwardBench;
  let target: Target;
  let isBlack = false;
  before(async () => {
    server = await startSshd();
  });
  after(() => server.stop());
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'termind-line-'));
    counter = path.join(folder, 'ran');
    line = await startFaultProxy({ port: server.port });
    isBlack = false;
    clock = new FakeClock();
    bench = new ForwardBench({ clock });
    target = targetOf(server, { addresses: [line.host], port: line.port });
  });
  afterEach(async () => {
    // A line that is still black swallows the goodbye, whose patience is a second.
    const isGone = bench.dispose();
    await clock.advance(1_000);
    await isGone;
    if (isBlack) line.cutAll('reset');
    await line.waitFor(({ open }) => open === 0);
    await line.stop();
    assert.equal(clock.pending, 0);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Lets the fault begin; `meet` makes it come true once something has run into it. */
  function begin(fault: LineFault): { readonly meet: () => Promise<void> } {
    const { toTarget, toClient, accepted } = line.counters;
    const isMet = (): Promise<void> =>
      line.waitFor((now) => now.accepted > accepted || now.toTarget.received > toTarget.received);
    switch (fault.k) {
      case 'delay':
        line.set({ delayMs: delay });
        return { meet: async () => {} };
      case 'drop':
        line.set({ silence: 'hold' });
        return {
          meet: async () => {
            await isMet();
            await clock.advance(20_000);
            line.set({});
          },
        };
      case 'blackHole':
        isBlack = true;
        line.set({ silence: 'swallow' });
        return {
          meet: async () => {
            await isMet();
            await clock.advance(46_000);
          },
        };
      case 'reset':
        line.set(
          accepted === 0
            ? { cut: { direction: 'toClient', afterBytes: 0, by: 'reset' } }
            : { silence: 'hold' },
        );
        return {
          meet: async () => {
            await isMet();
            line.cutAll('reset');
          },
        };
      case 'cut': {
        const { direction, bytes, by } = fault;
        const delivered = { toTarget, toClient }[direction].delivered;
        line.set({ cut: { direction, afterBytes: delivered + bytes, by, connections: 1 } });
        return { meet: async () => {} };
      }
    }
  }

  async function endOf(work: Promise<unknown>): Promise<End> {
    try {
      await work;
      return 'good';
    } catch (error) {
      if (!isTermindError(error)) throw error;
      return `${error.fault.code}, ${error.fault.outcome}`;
    }
  }

  const acquire = (): ReturnType<typeof bench.route.manager.acquire> =>
    bench.route.manager.acquire(bench.route.host(target), 'exec', never);

  for (const { fault, ...expected } of rows) {
    const name = JSON.stringify(fault);

    it(`connect, ${name}: ${expected.connect}`, async () => {
      const { meet } = begin(fault);
      const attempt = endOf(acquire());
      await meet();
      assert.equal(await within(attempt, 'the end of the attempt'), expected.connect);
      assert.equal(line.counters.accepted, 1);
    });

    it(`exec, ${name}: ${expected.exec}, run at most once`, async () => {
      const lease = await acquire();
      const { meet } = begin(fault);
      const work = endOf(
        // It ends when its input does, and so not before its output has come: a server may tell the status in front of it.
        lease.exec(`echo ran >> ${counter}; head -c 50000 /dev/zero; cat`, never).then(async (channel) => {
          let came = 0;
          channel.onData(({ bytes }) => {
            came += bytes.length;
            if (came >= 50_000) channel.end();
          });
          const { stdout, exit } = await finish(channel);
          if (exit.kind === 'unknown') throw faultError(outcomeUnknown(await lease.lost));
          assert.deepEqual([stdout.length, exit], [50_000, { kind: 'code', code: 0 }]);
        }),
      );
      await meet();
      assert.equal(await within(work, 'the end of the command'), expected.exec);
      line.set({});
      const again = await within(acquire(), 'the next connection');
      const { stdout } = await finish(await again.exec(`cat ${counter} 2>/dev/null; true`, never));
      assert.ok(
        stdout.toString() === 'ran\n' || (expected.exec !== 'good' && stdout.length === 0),
        stdout.toString(),
      );
    });

    it(`forward, ${name}: ${expected.forward}`, async () => {
      let clients = 0;
      const arrived: Buffer[] = [];
      const to = await bench.serve((socket) => {
        clients += 1;
        socket.on('data', (part: Buffer) => void arrived.push(part));
        socket.pipe(socket);
      });
      const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${to}`);
      const port = await bench.start(forward);
      const client = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
      client.on('error', () => {});
      client.write('before ');
      await within(once(client, 'data'), 'the first words');
      const { meet } = begin(fault);
      const answer: Buffer[] = [];
      client.on('data', (part: Buffer) => void answer.push(part));
      client.end(Buffer.alloc(40_000, 'x'));
      const over = once(client, 'close');
      await meet();
      await within(over, 'the end of the client');
      const sent = `before ${'x'.repeat(40_000)}`;
      const came = Buffer.concat(arrived).toString();
      assert.deepEqual([clients, sent.startsWith(came)], [1, true]);
      if (expected.forward === 'good') {
        assert.deepEqual([came, Buffer.concat(answer).length], [sent, 40_000]);
        assert.equal(bench.registry.state(forward.id).k, 'listening');
      } else {
        const state = await bench.until(forward.id, 'the loss', ({ k }) => k === 'down');
        assert.ok(state.k === 'down' && state.why.k === 'fault');
        assert.equal(`${state.why.fault.code}, ${state.why.fault.outcome}`, expected.forward);
      }
      await within(bench.registry.stop(forward.id), 'the stop');
      assert.equal(await connectOutcome({ host: '127.0.0.1', port }), 'ECONNREFUSED');
    });
  }
});
