import assert from 'node:assert/strict';
import { duplexPair, type Duplex } from 'node:stream';
import fc from 'fast-check';
import { beforeEach, describe, it } from 'mocha';
import { ForwardClients, type Dial } from '../../../../src/application/forwards/forwardClients.ts';
import { localFault } from '../../../../src/domain/fault.ts';
import { forwardRefused } from '../../../../src/domain/ssh/openRefusal.ts';
import { faultError } from '../../../../src/domain/ssh/connectionFault.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { withinDeadline } from '../../../support/withinDeadline.ts';

/** A destination that sends back what it gets. */
function echo(): Duplex {
  const [near, far] = duplexPair();
  far.pipe(far);
  return near;
}

const request5 = [5, 1, 0, 5, 1, 0, 3, 2, 0x64, 0x62, 0, 80];
const request4 = [4, 1, 0, 80, 192, 0, 2, 7, 0];

describe('the clients of a SOCKS forward', () => {
  let clock: FakeClock;
  let clients: ForwardClients;
  let asked: unknown[];
  let dial: Dial;
  beforeEach(() => {
    clock = new FakeClock();
    asked = [];
    clients = new ForwardClients({ clock, destination: undefined, onChange: () => {} });
    dial = async (to) => {
      asked.push(to);
      return echo();
    };
  });

  /** A client that has connected, and the end of serving it. */
  function connect(): { readonly client: Duplex; readonly served: Promise<void> } {
    const [client, ours] = duplexPair();
    client.on('error', () => {});
    // Older releases of Node do not tell one half that the other is gone.
    ours.once('close', () => client.push(null));
    const served = clients.serve({ accept: () => ours, reject: () => ours.destroy() }, async () => dial);
    return { client, served };
  }

  async function exchange(sent: readonly (readonly number[])[]): Promise<number[]> {
    const { client, served } = connect();
    for (const bytes of sent) client.write(Uint8Array.from(bytes));
    client.end();
    const answer = Buffer.concat(await withinDeadline('the answer', client.toArray()));
    client.destroy();
    await withinDeadline('the end', served);
    assert.equal(clock.pending, 0);
    return [...answer];
  }

  for (const [version, request] of [
    [5, request5],
    [4, request4],
  ] as const)
    it(`of version ${version} may send all at once or byte by byte`, async () => {
      const whole = await exchange([[...request, 0x68, 0x69]]);
      const bytes = await exchange([...request, 0x68, 0x69].map((byte) => [byte]));
      assert.deepEqual(whole, bytes);
      assert.deepEqual(whole.slice(-2), [0x68, 0x69]);
      assert.deepEqual(asked[0], asked[1]);
    });

  for (const [what, error, code] of [
    [
      'a policy',
      faultError(forwardRefused({ hop: 'h', to: 'db:80' }, { reason: 'prohibited', text: '' })),
      2,
    ],
    [
      'a refusal',
      faultError(forwardRefused({ hop: 'h', to: 'db:80' }, { reason: 'connectFailed', text: '' })),
      5,
    ],
    ['a lost link', localFault('link-lost'), 3],
    ['anything else', new Error('no idea'), 1],
  ] as const)
    it(`learn of ${what} by its number`, async () => {
      dial = async () => {
        throw error;
      };
      const answer = await exchange([request5]);
      assert.deepEqual(answer.slice(0, 4), [5, 0, 5, code]);
      assert.equal(clients.counters.refusedClients, 1);
    });

  it('learn that the configuration does not permit their destination, which nobody is asked for', async () => {
    const permittedOpens = [{ host: 'db', port: 81 }];
    clients = new ForwardClients({ clock, destination: undefined, permittedOpens, onChange: () => {} });
    assert.deepEqual((await exchange([request5])).slice(0, 4), [5, 0, 5, 2]);
    assert.deepEqual([asked, clients.counters.lastRefusal?.facts['reason']], [[], 'notPermitted']);
    assert.equal((await exchange([request4]))[1], 0x5b);
  });

  it('that say nothing are not waited for longer than half a minute', async () => {
    const { client, served } = connect();
    client.resume();
    await clock.advance(29_999);
    assert.equal(clients.counters.clients, 1);
    await clock.advance(1);
    await withinDeadline('the end', served);
    assert.equal(clients.counters.clients, 0);
  });

  it('that leave in the middle of their request are forgotten', async () => {
    assert.deepEqual(await exchange([[5, 1, 0, 5, 1]]), [5, 0]);
    assert.equal(clients.counters.clients, 0);
    assert.deepEqual(asked, []);
  });

  it('that send anything whatsoever end, and take no other down', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 4 }), async (parts) => {
        await exchange(parts.map((part) => [...part]));
      }),
      { numRuns: 100 },
    );
    assert.deepEqual((await exchange([[...request4, 7]])).at(-1), 7);
    assert.equal(clients.counters.clients, 0);
  });

  it('are all ended when the forward is', async () => {
    const all = [connect(), connect(), connect()];
    for (const { client } of all) client.resume();
    clients.dispose();
    await withinDeadline('the ends', Promise.all(all.map(({ served }) => served)));
    assert.deepEqual([clients.counters.clients, clock.pending], [0, 0]);
  });
});
