import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { chooseAlgorithms } from '../../../src/domain/ssh/algorithmChoice.ts';
import { sha256Of } from '../../../src/domain/files/contentStamp.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { localPlace, newEngine } from './engine.ts';
import { SshLine } from './sshLine.ts';

const content = patterned(24 * 2 ** 20);

/** Hands on what it gets in pieces of any length, down to a byte. Ends with its server. */
async function startCutter(port: number): Promise<net.Server> {
  let seed = 1;
  const pieceLength = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed % 5 === 0 ? 1 + (seed % 23) : 1 + (seed % 70_000);
  };
  const pass = (from: net.Socket, to: net.Socket): void => {
    from.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length;) {
        const piece = bytes.subarray(at, at + pieceLength());
        if (!to.destroyed) to.write(piece);
        at += piece.length;
      }
      if (to.writableNeedDrain) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
  };
  const cutter = net.createServer({ noDelay: true }, (client) => {
    const server = net.connect({ host: '127.0.0.1', port, noDelay: true });
    pass(client, server);
    pass(server, client);
  });
  cutter.listen(0, '127.0.0.1');
  await once(cutter, 'listening');
  return cutter;
}

const lines: readonly { readonly config: readonly string[]; readonly compresses?: true }[] = [
  { config: ['Ciphers aes128-gcm@openssh.com', 'RekeyLimit 1M'] },
  { config: ['Ciphers aes256-gcm@openssh.com'] },
  { config: ['Ciphers aes256-gcm@openssh.com', 'RekeyLimit 2M'], compresses: true },
  { config: ['Ciphers chacha20-poly1305@openssh.com', 'RekeyLimit 4M'] },
  { config: ['Ciphers aes128-ctr', 'MACs hmac-sha2-256-etm@openssh.com', 'RekeyLimit 4M'] },
  { config: ['Ciphers aes256-ctr', 'MACs hmac-sha2-512'] },
];

describe('a large file over a line that cuts anywhere', function () {
  this.timeout(120_000);
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  });

  for (const { config, compresses = false } of lines)
    it(`arrives whole in both directions: ${config.join(', ')}${compresses ? ', compressed' : ''}`, async () => {
      const server = await startServer({ config });
      running.push(server);
      const cutter = await startCutter(server.port);
      running.push({ stop: async () => void cutter.close() });
      const address = cutter.address();
      assert.ok(typeof address === 'object' && address !== null);
      const algorithms = chooseAlgorithms({
        written: () => undefined,
        wantsCompression: compresses,
        legacy: [],
      });
      const host = new SshLine({ ...targetOf(server, { algorithms }), port: address.port });
      running.push({ stop: () => host.dispose() });
      const engine = newEngine(server.folder);
      const remote = path.join(server.account.home, `termind-${randomUUID()}`);
      running.push({ stop: async () => rmSync(remote, { force: true }) });
      writeFileSync(path.join(server.folder, 'up'), content);
      const there = host.place(remote);
      await engine.file({ from: localPlace(server.folder, 'up'), to: there, existing: 'overwrite' }, never);
      assert.equal(sha256Of(readFileSync(remote)), sha256Of(content));
      const down = localPlace(server.folder, 'down');
      await engine.file({ from: there, to: down, existing: 'overwrite' }, never);
      assert.equal(sha256Of(readFileSync(path.join(server.folder, 'down'))), sha256Of(content));
      assert.equal(host.connections, 1);
    });
});
