import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { chooseAlgorithms } from '../../../src/domain/ssh/algorithmChoice.ts';
import { KexInitReader } from '../../../src/domain/ssh/kexInit.ts';
import type { AlgorithmLists } from '../../../src/domain/ssh/trace.ts';
import { cryptoFacts } from '../../../src/infrastructure/ssh/ssh2Library.ts';
import { kexMessage, startKexServer, wireString, type KexServer } from '../../lab/kexServer.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { SshBench, finish, never, targetAt, targetOf } from './sshBench.ts';

describe('the library and the wrapper around it', function () {
  this.timeout(180_000);
  let bench: SshBench;
  let server: Sshd | undefined;
  let scripted: KexServer | undefined;
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(async () => {
    await bench.dispose();
    await server?.stop();
    await scripted?.stop();
    server = undefined;
    scripted = undefined;
  });

  const megabyte = 1_000_000;
  for (const [name, bytes, options, wantsCompression] of [
    ['none', 128 * megabyte, {}, false],
    ['zlib', 128 * megabyte, {}, true],
    ['aes256-gcm@openssh.com', 16 * megabyte, { ciphers: 'aes256-gcm@openssh.com' }, false],
    ['chacha20-poly1305@openssh.com', 16 * megabyte, { ciphers: 'chacha20-poly1305@openssh.com' }, false],
    ['aes256-ctr', 16 * megabyte, { ciphers: 'aes256-ctr' }, false],
  ] as const)
    it(`TRAP-13: rekeying every megabyte (${name}), ${bytes / megabyte} MB are identical after one question`, async function () {
      if (name.startsWith('chacha') && !cryptoFacts().ciphers.includes('chacha20'))
        skipBecause(this, 'this run time has no chacha20');
      server = await startSshd({ rekeyLimit: '1M', logLevel: 'DEBUG1' });
      const written: Readonly<Record<string, string>> = options;
      const algorithms = chooseAlgorithms({
        written: (keyword) => written[keyword],
        wantsCompression,
        legacy: [],
      });
      const transport = await bench.open(targetOf(server, { algorithms }));
      // Numbers: what is lost, doubled or moved changes the digest.
      const command = `seq 1 100000000 | head -c ${bytes}`;
      const channel = await transport.exec(command, never);
      const hash = createHash('sha256');
      let length = 0;
      channel.onData(({ stream, bytes: chunk }) => {
        if (stream !== 'stdout') return;
        length += chunk.length;
        hash.update(chunk);
      });
      await withinDeadline('the end of the output', channel.closed, 150_000);
      const expected = await finish(await transport.exec(`${command} | sha256sum`, never));
      assert.deepEqual([length, hash.digest('hex')], [bytes, expected.stdout.toString().split(' ')[0]]);
      assert.equal(bench.person.hostKeys.length, 1);
      const exchanges = server.log().match(/SSH2_MSG_NEWKEYS received/g)?.length ?? 0;
      // Compressed, less than half of the bytes go over the line.
      assert.ok(exchanges > bytes / megabyte / 4, `${exchanges} exchanges`);
    });

  for (const wantsCompression of [false, true])
    it(`TRAP-13: rekeying every megabyte, 16 MB are identical in the other direction (${wantsCompression ? 'zlib' : 'none'})`, async () => {
      server = await startSshd({ rekeyLimit: '1M' });
      const algorithms = chooseAlgorithms({ written: () => undefined, wantsCompression, legacy: [] });
      const transport = await bench.open(targetOf(server, { algorithms }));
      const channel = await transport.exec('sha256sum', never);
      const done = finish(channel);
      const chunk = randomBytes(64_000);
      const hash = createHash('sha256');
      for (let at = 0; at < 250; at++) {
        chunk.writeUInt32BE(at);
        hash.update(chunk);
        await channel.write(Buffer.from(chunk));
      }
      channel.end();
      const { stdout } = await withinDeadline('the digest of the server', done, 120_000);
      assert.equal(stdout.toString().split(' ')[0], hash.digest('hex'));
      assert.equal(bench.person.hostKeys.length, 1);
    });

  /** The lists that an attempt sends to a server which then says nothing more. */
  async function offered(): Promise<AlgorithmLists> {
    const reader = new KexInitReader();
    let tell = (_lists: AlgorithmLists): void => {};
    const told = new Promise<AlgorithmLists>((resolve) => (tell = resolve));
    scripted = await startKexServer({
      onBytes: (chunk) => {
        const lists = reader.push(chunk);
        if (lists !== undefined) tell(lists);
      },
    });
    const stop = new AbortController();
    const attempt = bench.fault(targetAt({ host: '127.0.0.1', port: scripted.port }), stop.signal);
    const lists = await withinDeadline('the lists of the client', told);
    stop.abort(new Error('enough'));
    assert.equal((await attempt).code, 'cancelled');
    return lists;
  }

  it('TRAP-14: compression is neither offered nor taken unless it was asked for', async () => {
    assert.deepEqual((await offered()).compression, ['none']);
    await scripted?.stop();
    scripted = await startKexServer({ compression: ['zlib@openssh.com', 'zlib'] });
    const fault = await bench.fault(targetAt({ host: '127.0.0.1', port: scripted.port }));
    assert.deepEqual([fault.code, fault.facts['category']], ['no-common-algorithm', 'compression']);
  });

  it('TRAP-16: strict key exchange and a post-quantum one are offered, the latter first', async () => {
    const { kex } = await offered();
    assert.equal(kex[0], 'mlkem768x25519-sha256');
    assert.ok(kex.includes('kex-strict-c-v00@openssh.com'));
  });

  it('TRAP-16: a packet put in front of the exchange of a strict server ends the attempt', async () => {
    const share = Buffer.alloc(32, 9);
    scripted = await startKexServer({
      kex: ['curve25519-sha256', 'kex-strict-s-v00@openssh.com'],
      before: [Buffer.concat([Buffer.from([kexMessage.ignore]), wireString('moved')])],
      reply: () => [Buffer.concat([Buffer.from([kexMessage.ecdhReply]), wireString(share)])],
    });
    const fault = await bench.fault(targetAt({ host: '127.0.0.1', port: scripted.port }));
    assert.equal(fault.stage, 'kex');
    assert.match(fault.facts['reason'] ?? '', /strict KEX mode/);
    assert.equal(bench.person.hostKeys.length, 0);
  });
});
