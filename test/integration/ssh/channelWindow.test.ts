import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Client } from 'ssh2';
import { withChannelWindow } from '../../../src/infrastructure/ssh/channelWindow.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { outputOf, rawClient, rawExec } from './rawClient.ts';
import { SshBench, never, targetOf } from './sshBench.ts';

describe('channels by their purpose', function () {
  this.timeout(60_000);

  it('have the large window and large packets where they move files or carry the way to another host', async () => {
    const server = await startSshd({ logLevel: 'DEBUG1' });
    const bench = new SshBench();
    try {
      const transport = await bench.open(targetOf(server));
      const limits = (): number[][] =>
        [...server.log().matchAll(/server_input_channel_open: ctype \S+ rchan \d+ win (\d+) max (\d+)/g)].map(
          ([, window, packet]) => [Number(window), Number(packet)],
        );
      const own = transport.as('sftp-browse');
      const files = transport.as('sftp-transfer');
      const forward = transport.as('forward');
      const to = { host: server.host, port: server.port };
      const opened = [
        await own.bytes('sftp', {}, never),
        await files.bytes('sftp', {}, never),
        await transport.direct(to, never),
        await forward.direct(to, never),
      ];
      await transport.exec('true', never);
      await server.waitForLog(/(?:server_input_channel_open: ctype [^]*){5}/);
      const interactive = [2 * 1024 * 1024, 32 * 1024];
      const transfer = [16 * 1024 * 1024, 128 * 1024];
      assert.deepEqual(limits(), [interactive, transfer, transfer, interactive, interactive]);
      for (const one of opened) one.destroy();
    } finally {
      await bench.dispose();
      await server.stop();
    }
  });
});

describe('the window of a channel (TRAP-20)', function () {
  this.timeout(60_000);
  let server: Sshd;
  let client: Client;
  beforeEach(async () => {
    server = await startSshd({ logLevel: 'DEBUG1' });
    client = await rawClient(server);
  });
  afterEach(async () => {
    client.end();
    await server.stop();
  });

  it('is what was asked for, on that channel alone', async () => {
    const large = withChannelWindow(client, 'transfer', () => rawExec(client, 'true'));
    await outputOf(await large);
    await server.waitForLog(/ctype session rchan \d+ win 16777216 /);
    await outputOf(await rawExec(client, 'true'));
    await server.waitForLog(/win 16777216 [^]*ctype session rchan \d+ win 2097152 /);
  });

  it('is the usual one again when a request throws', async () => {
    const fail = (): never => {
      throw new Error('not sent');
    };
    assert.throws(() => withChannelWindow(client, 'transfer', fail), /not sent/);
    await outputOf(await rawExec(client, 'true'));
    await server.waitForLog(/ctype session rchan \d+ win 2097152 /);
  });

  it('lets the server send all of it before anybody reads', async () => {
    const bytes = 12 * 1024 * 1024;
    const channel = await withChannelWindow(client, 'transfer', () =>
      rawExec(client, `head -c ${bytes} /dev/zero; echo done >&2`),
    );
    // Nobody reads the output yet; the program has ended only if it could write all of it.
    await new Promise((resolve) => channel.stderr.once('data', resolve));
    assert.equal((await outputOf(channel)).length, bytes);
  });

  for (const name of ['interactive', 'transfer'] as const)
    it(`is opened again and again: 64 MB are identical (${name})`, async () => {
      const command = 'head -c 64000000 /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 -nosalt';
      const channel = await withChannelWindow(client, name, () => rawExec(client, command));
      const got = await outputOf(channel);
      const expected = await outputOf(await rawExec(client, `${command} | sha256sum`));
      assert.equal(got.length, 64_000_000);
      assert.equal(createHash('sha256').update(got).digest('hex'), expected.toString().split(' ')[0]);
    });
});
