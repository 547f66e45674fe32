import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Connection } from 'ssh2';
import { sshString } from '../../../src/domain/keys/wire.ts';
import { startAskingServer, type AskingServer } from '../../lab/askingServer.ts';
import { sendMessage } from '../../lab/sendMessage.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { SshBench, startServer, targetAt, targetOf, within } from './sshBench.ts';

const bannerMessage = 53;
const banner = (words: string): Buffer => Buffer.concat([words, ''].map(sshString));

describe('R6: the banner of a server', () => {
  let server: AskingServer | undefined;
  let bench = new SshBench();
  afterEach(async () => {
    await bench.dispose();
    server?.stop();
    server = undefined;
    bench = new SshBench();
  });
  const kept = (): readonly string[] =>
    bench.trace.events.flatMap(({ fact }) => (fact.k === 'banner' ? [fact.text] : []));

  it('is in the trace, harmless and bounded', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'termind-banner-'));
    const file = path.join(folder, 'banner');
    writeFileSync(file, `\x1b[31mNo \u202eentry\nfor others\n${'x\n'.repeat(5_000)}`);
    const sshd = await startServer({ config: [`Banner ${file}`] });
    try {
      const transport = await bench.open(targetOf(sshd));
      const texts = kept();
      assert.equal(texts.length, 1);
      assert.ok(texts[0]?.startsWith('\\x1b[31mNo \\u202eentry\nfor others\nx\n'), texts[0]?.slice(0, 80));
      assert.equal(texts[0]?.split('\n').length, 200);
      assert.equal(transport.banner, texts[0]);
    } finally {
      await bench.dispose();
      await sshd.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('in several messages is one text, and none is the empty text', async () => {
    server = await startAskingServer((context, client) => {
      if (context.username === 'talk') for (const words of ['One\r\n', 'Two', 'Three\n']) say(client, words);
      context.accept();
    });
    const talking = await bench.open(targetAt(server, { user: 'talk' }));
    assert.equal(talking.banner, 'One\nTwo\nThree');
    const silent = await bench.open(targetAt(server));
    assert.equal(silent.banner, '');
  });

  it('without end, ends the attempt, and what is kept of it is bounded', async () => {
    server = await startAskingServer((_, client) => {
      const more = (): void => {
        for (let i = 0; i < 50; i++) say(client, 'Welcome! '.repeat(500));
        if (!closed) setImmediate(more);
      };
      let closed = false;
      client.on('close', () => (closed = true));
      more();
    });
    const fault = await within(bench.fault(targetAt(server)), 'the end of the attempt');
    assert.deepEqual(
      [fault.code, fault.stage, fault.facts['reason']],
      ['link-lost', 'auth', 'the server sends banners without end'],
    );
    const texts = kept();
    assert.ok(texts.length <= 64, texts.length.toString());
    assert.ok(texts.join('').length <= 65_536 + texts.length);
  });

  it('now and again instead of an answer does not put off the end of the round trip', async () => {
    const clock = new FakeClock();
    await bench.dispose();
    bench = new SshBench({ clock });
    let tell: (client: Connection) => void = () => {};
    const asked = new Promise<Connection>((resolve) => (tell = resolve));
    server = await startAskingServer((_, client) => tell(client));
    const fault = bench.fault(targetAt(server));
    const client = await within(asked, 'a request to sign in');
    for (let second = 0; second < 30; second += 10) {
      const before = kept().length;
      say(client, 'Just a moment');
      await within(
        (async () => {
          while (kept().length === before) await new Promise((resolve) => setImmediate(resolve));
        })(),
        'the banner',
      );
      await clock.advance(10_000);
    }
    assert.equal((await within(fault, 'the end of the attempt')).code, 'not-responding');
  });

  function say(client: Connection, words: string): void {
    sendMessage(client, bannerMessage, banner(words));
  }
});
