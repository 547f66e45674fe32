import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { SocketReads } from '../../../src/infrastructure/ssh/socketReads.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';

const content = randomBytes(8 * 1024 * 1024);
const digestOf = (...chunks: readonly Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
};

describe('a socket that reads into one buffer', function () {
  this.timeout(60_000);
  let server: net.Server;
  let port: number;
  beforeEach(async () => {
    server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end(content);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  const connect = (): SocketReads => new SocketReads({ host: '127.0.0.1', port });

  it('gives chunks that may be kept, unless it was told otherwise', async () => {
    const { socket } = connect();
    const chunks: Buffer[] = [];
    const ended = once(socket, 'end');
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await withinDeadline('it has ended', ended);
    assert.equal(digestOf(...chunks), digestOf(content));
  });

  it('gives parts of one buffer to whoever is done with each at once', async () => {
    const reads = connect();
    reads.share(true);
    const buffers = new Set<ArrayBufferLike>();
    const hash = createHash('sha256');
    const ended = once(reads.socket, 'end');
    reads.socket.on('data', (chunk: Buffer) => {
      buffers.add(chunk.buffer);
      hash.update(chunk);
    });
    await withinDeadline('it has ended', ended);
    assert.equal(hash.digest('hex'), digestOf(content));
    // It grows from 16 to 64 KiB, and no further.
    assert.ok(buffers.size <= 3, String(buffers.size));
    assert.ok([...buffers].every(({ byteLength }) => byteLength <= 64 * 1024));
  });

  it('loses nothing when it is paused and resumed again and again', async () => {
    const reads = connect();
    reads.share(true);
    const { socket } = reads;
    const hash = createHash('sha256');
    const ended = once(socket, 'end');
    let pauses = 0;
    socket.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      pauses += 1;
      socket.pause();
      setImmediate(() => socket.resume());
    });
    await withinDeadline('it has ended', ended);
    assert.equal(hash.digest('hex'), digestOf(content));
    assert.ok(pauses > 10);
  });

  it('keeps what comes while nobody listens, and what was put back', async () => {
    const reads = connect();
    reads.share(true);
    const { socket } = reads;
    const hash = createHash('sha256');
    await withinDeadline('something can be read', once(socket, 'readable'));
    const first: unknown = socket.read(1_000);
    assert.ok(Buffer.isBuffer(first));
    socket.unshift(first);
    const ended = once(socket, 'end');
    socket.removeAllListeners('readable');
    socket.on('data', (chunk: Buffer) => hash.update(chunk));
    socket.resume();
    await withinDeadline('it has ended', ended);
    assert.equal(hash.digest('hex'), digestOf(content));
  });
});
