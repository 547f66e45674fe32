import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, it } from 'mocha';
import { raceAddresses, RaceLost } from '../../../src/infrastructure/ssh/raceAddresses.ts';
import { systemClock } from '../../../src/agentkit/index.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { never, within } from './sshBench.ts';

describe('connecting to the addresses of a host', () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });
  const listen = async (): Promise<number> => {
    const server = net.createServer((socket) => socket.on('error', () => {}).end('hello'));
    closers.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    return address.port;
  };

  it('TRAP-6: the socket has TCP_NODELAY and nothing of what it received is lost', async () => {
    const options = { addresses: ['localhost'], port: await listen(), timeoutMs: 15_000, clock: systemClock };
    const { socket } = await raceAddresses(options, never);
    closers.push(() => socket.destroy());
    const noDelay = Object.getOwnPropertySymbols(socket).find(
      (symbol) => symbol.description === 'kSetNoDelay',
    );
    assert.ok(noDelay !== undefined && Reflect.get(socket, noDelay) === true);
    const [first] = (await within(once(socket.resume(), 'data'), 'the first bytes')) as [Buffer];
    assert.equal(first.toString(), 'hello');
  });

  it('an address that does not answer is passed over after 250 ms, and left alone afterwards', async () => {
    const port = await listen();
    const clock = new FakeClock();
    const racing = raceAddresses(
      { addresses: ['192.0.2.1', '127.0.0.1'], port, timeoutMs: 15_000, clock },
      never,
    );
    racing.catch(() => {});
    // Where the test network refuses at once, the next address follows at once as well.
    await clock.advance(250);
    const { socket, name } = await within(racing, 'the connection');
    closers.push(() => socket.destroy());
    assert.deepEqual([socket.remoteAddress, name], ['127.0.0.1', '127.0.0.1']);
    assert.equal(clock.pending, 0);
  });

  it('when nothing answers the first cause is told, with its address', async () => {
    const options = {
      addresses: ['127.0.0.1', 'no-such-name.invalid'],
      port: 1,
      timeoutMs: 15_000,
      clock: systemClock,
    };
    await assert.rejects(raceAddresses(options, never), (error) => {
      assert.ok(error instanceof RaceLost);
      assert.deepEqual([error.address, error.code], ['127.0.0.1', 'ECONNREFUSED']);
      return true;
    });
  });

  it('an abort closes every try', async () => {
    const abort = new AbortController();
    const clock = new FakeClock();
    const racing = raceAddresses(
      { addresses: ['192.0.2.1'], port: 22, timeoutMs: 15_000, clock },
      abort.signal,
    );
    abort.abort(new Error('no longer wanted'));
    await assert.rejects(
      racing,
      (error) => error instanceof RaceLost || /no longer wanted/.test(String(error)),
    );
    assert.equal(clock.pending, 0);
  });
});
