import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, it } from 'mocha';
import { FakeClock } from '../../support/fakeClock.ts';
import { SshBench, targetAt, within } from './sshBench.ts';

/** Whatever a server says that a packet has in length, before anything is encrypted. Source: RFC 4253 section 6. */
describe('a server that sends a packet of a wrong length', () => {
  /** No timer of ours ever fires: what ends here ends by itself. */
  const still = (): SshBench => new SshBench({ clock: new FakeClock() });
  let bench = still();
  const open: { readonly server: net.Server; readonly sockets: Set<net.Socket> }[] = [];
  afterEach(async () => {
    await bench.dispose();
    for (const { server, sockets } of open.splice(0)) {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
    bench = still();
  });

  /** Sends its identification and these bytes, then nothing. */
  async function serve(bytes: Buffer): Promise<number> {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.resume();
      socket.write(Buffer.concat([Buffer.from('SSH-2.0-odd\r\n'), bytes]));
    });
    open.push({ server, sockets });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    return address.port;
  }

  const packet = (length: number, padding: number, rest = 64): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(length, 0);
    head[4] = padding;
    return Buffer.concat([head, Buffer.alloc(rest, 20)]);
  };
  for (const [what, bytes] of [
    ['4 GiB', packet(0xffff_ffff, 4)],
    ['2 GiB', packet(0x8000_0000, 4)],
    ['more than any packet may have', packet(256 * 1024 + 4, 4)],
    ['none', packet(0, 4)],
    ['less than its padding', packet(4, 200)],
    ['no whole number of blocks', packet(29, 4)],
    ['nothing but its padding', packet(12, 11)],
  ] as const)
    it(`is left at once: ${what}`, async () => {
      const port = await serve(bytes);
      const fault = await within(
        bench.fault(targetAt({ host: '127.0.0.1', port })),
        'the end of the attempt',
      );
      assert.deepEqual(
        [fault.code, fault.stage, fault.retry],
        ['link-lost', 'kex', 'backoff'],
        fault.facts['reason'],
      );
    });
});
