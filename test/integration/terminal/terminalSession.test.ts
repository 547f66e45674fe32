import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { TerminalSession, type TerminalState } from '../../../src/application/terminal/terminalSession.ts';
import { aliasHostId } from '../../../src/domain/host/hostId.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { sharedFolder, startLabHost } from '../assistant/labHost.ts';
import { LabWindow } from '../assistant/labWindow.ts';

/** What a terminal shows and how it stands, as an outsider sees it. */
class Screen {
  readonly session: TerminalSession;
  text = '';
  readonly #waiting = new Set<() => void>();

  constructor(session: TerminalSession) {
    this.session = session;
    session.onOutput((text) => {
      this.text += text;
      this.#look();
    });
    session.onDidChangeState(() => this.#look());
  }

  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    await this.#until(`${String(pattern)} on the terminal`, () => pattern.test(this.text));
    return pattern.exec(this.text) as RegExpExecArray;
  }

  async is<K extends TerminalState['k']>(k: K): Promise<Extract<TerminalState, { k: K }>> {
    await this.#until(`the state ${k}`, () => this.session.state.k === k);
    return this.session.state as Extract<TerminalState, { k: K }>;
  }

  #until(what: string, holds: () => boolean): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
    return withinDeadline(what, seen, 20_000);
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

describe('a terminal session on a real host', () => {
  let sshd: Sshd;
  let proxy: FaultProxy;
  let window: LabWindow;
  let banner: ReturnType<typeof sharedFolder>;
  const open: TerminalSession[] = [];

  before(async () => {
    banner = sharedFolder();
    const file = join(banner.path, 'banner');
    writeFileSync(file, 'Red \x1b[31malert\nfor all\n');
    sshd = await startLabHost({ config: [`Banner ${file}`] });
    proxy = await startFaultProxy({ port: sshd.port });
    const block = sshd.configText('direct');
    window = new LabWindow({
      sshConfig: `${block}\n${sshd.configText('bad').replace(/Port \d+/, `Port ${String(proxy.port)}`)}`,
      baseUrl: 'http://127.0.0.1:9/v1',
    });
  });
  afterEach(() => {
    for (const session of open.splice(0)) session.dispose();
    proxy.set({});
  });
  after(async () => {
    window.close();
    await proxy.stop();
    await sshd.stop();
    banner.remove();
  });

  async function start(alias = 'direct', size = { rows: 30, cols: 100 }): Promise<Screen> {
    const session = new TerminalSession({
      hostId: aliasHostId(alias),
      connections: window.services.connections,
      clock: systemClock,
    });
    open.push(session);
    const screen = new Screen(session);
    await session.start(size);
    return screen;
  }

  it('has the size it was opened with, and the one it was given last', async () => {
    const screen = await start();
    screen.session.input('stty size\r');
    await screen.shows(/[\n\r]30 100\r/);
    screen.session.resize({ rows: 10, cols: 40 });
    screen.session.resize({ rows: 20, cols: 60 });
    screen.session.input(
      "trap 'stty size' WINCH; while [ \"$(stty size)\" = '30 100' ]; do :; done; stty size\r",
    );
    await screen.shows(/[\n\r]20 60\r/);
  });

  for (const [line, exit] of [
    ['exit 0', { kind: 'code', code: 0 }],
    ['exit 3', { kind: 'code', code: 3 }],
    ['kill -9 $$', { kind: 'signal', signal: 'KILL' }],
  ] as const)
    it(`tells how the shell ended: ${line}`, async () => {
      const screen = await start();
      await screen.is('open');
      screen.session.input(`${line}\r`);
      assert.deepEqual(await screen.is('ended'), { k: 'ended', exit });
    });

  it('CON-7: shows characters whole, wherever a packet ends', async () => {
    const screen = await start();
    screen.session.input(
      "i=0; while [ $i -lt 400 ]; do printf 'grüße €漢😀'; i=$((i+1)); done; echo; echo done-$((1+1))\r",
    );
    await screen.shows(/done-2/);
    assert.ok(!screen.text.includes('\ufffd'));
    assert.equal(screen.text.split('grüße €漢😀').length - 1 >= 400, true);
  });

  it('CON-7: shows invalid bytes as such and goes on', async () => {
    const screen = await start();
    screen.session.input("printf 'a\\377b\\n'; echo on-$((1+1))\r");
    await screen.shows(/a\ufffdb[\s\S]*on-2/);
  });

  it('CON-5: keeps every byte of a flood, and an interrupt ends it', async () => {
    const screen = await start();
    screen.session.input('seq 1 200000; echo all-$((1+1))\r');
    await screen.shows(/all-2/);
    const numbers = screen.text.match(/^\d+\r$/gm) ?? [];
    assert.deepEqual([numbers.length, numbers[0], numbers.at(-1)], [200_000, '1\r', '200000\r']);
    screen.session.input('yes\r');
    await screen.shows(/\ny\r\ny\r\n/);
    screen.session.input('\x03');
    screen.session.input('echo back-$((1+1))\r');
    await screen.shows(/back-2/);
  });

  it('says that the link was lost, keeps the text, and takes it up again in place', async () => {
    const screen = await start('bad');
    screen.session.input('echo before-$((1+1))\r');
    await screen.shows(/before-2/);
    proxy.cutAll('reset');
    const lost = await screen.is('lost');
    assert.ok(['link-lost', 'server-closed'].includes(lost.fault.code), lost.fault.code);
    await screen.session.start(undefined);
    await screen.is('open');
    screen.session.input('echo after-$((1+1)) $(stty size)\r');
    await screen.shows(/after-2 30 100/);
    assert.match(screen.text, /before-2/);
  });

  it('fails with the one fault of the attempt, and can be tried again', async () => {
    window.services.connections.disconnect(aliasHostId('bad'));
    await proxy.refuse();
    const screen = await start('bad');
    assert.equal((await screen.is('failed')).fault.code, 'refused');
    await proxy.accept();
    await screen.session.start(undefined);
    await screen.is('open');
  });

  it('says what the server has to say once: at the top of the first terminal of a connection', async () => {
    window.services.connections.disconnect(aliasHostId('bad'));
    const first = await start('bad');
    first.session.input('echo first-$((1+1))\r');
    await first.shows(/first-2/);
    assert.ok(first.text.startsWith('Red \\x1b[31malert\r\nfor all\r\n'), JSON.stringify(first.text));
    const second = await start('bad');
    second.session.input('echo second-$((1+1))\r');
    await second.shows(/second-2/);
    assert.ok(!second.text.includes('alert'));
    proxy.cutAll('reset');
    await first.is('lost');
    await second.is('lost');
    await first.session.start(undefined);
    await first.is('open');
    first.session.input('echo again-$((1+1))\r');
    await first.shows(/again-2/);
    assert.equal(first.text.split('alert').length, 2);
    const third = await start('bad');
    third.session.input('echo third-$((1+1))\r');
    await third.shows(/third-2/);
    assert.ok(third.text.startsWith('Red \\x1b[31malert\r\n'), JSON.stringify(third.text));
  });

  /** As the editor hands it over: Enter for every line break. */
  const megabyte = Array.from(
    { length: 1024 * 16 },
    (_, n) => `${String(n).padStart(6, '0')} grüße € 漢字 😀 ${'x'.repeat(35)}\r`,
  ).join('');

  it('CON-12: a paste of 1 MB arrives whole, byte by byte, as fast as the server reads it', async () => {
    const bytes = Buffer.byteLength(megabyte);
    assert.ok(bytes > 1024 * 1024, String(bytes));
    const screen = await start();
    screen.session.input(
      `stty raw -echo; echo ready-$((1+1)); head -c ${String(bytes)} | sha256sum; stty sane; echo done-$((1+1))\r`,
    );
    await screen.shows(/ready-2/);
    const sent: number[] = [];
    const outcome = await screen.session.paste(
      { text: megabyte, isBracketed: false },
      { shell: screen.session.shell ?? {}, onSent: (so) => sent.push(so) },
      new AbortController().signal,
    );
    assert.equal(outcome, 'sent');
    await screen.shows(/done-2/);
    assert.ok(screen.text.includes(createHash('sha256').update(megabyte).digest('hex')));
    assert.ok(sent.every((so, index) => so - (sent[index - 1] ?? 0) <= 1024));
    assert.equal(sent.at(-1), bytes);
  });

  it('CON-12: a paste stays with its marks, and one that is cancelled ends with its mark', async () => {
    const screen = await start();
    screen.session.input('stty raw -echo; echo ready-$((1+1)); head -c 18 | od -An -c; stty sane; cat\r');
    await screen.shows(/ready-2/);
    const paste = async (text: string, signal = new AbortController().signal): Promise<string> =>
      screen.session.paste({ text, isBracketed: true }, { shell: screen.session.shell ?? {} }, signal);
    assert.equal(await paste('a\rb'), 'sent');
    screen.session.input('end');
    await screen.shows(/033 +\[ +2 +0 +0 +~ +a +\\r +b +033 +\[ +2 +0 +1 +~ +e/);
    const cancelled = new AbortController();
    cancelled.abort(new Error('enough'));
    assert.equal(await paste('never\r', cancelled.signal), 'cancelled');
  });

  it('CON-12: a server that reads nothing holds a paste back, and Ctrl+C ends it', async () => {
    const screen = await start('bad');
    screen.session.input('stty raw -echo; echo ready-$((1+1)); sleep 600\r');
    await screen.shows(/ready-2/);
    const stop = new AbortController();
    let sent = 0;
    let tell: () => void = () => {};
    const isUnderWay = new Promise<void>((resolve) => (tell = resolve));
    const onSent = (bytes: number): void => {
      sent = bytes;
      if (bytes > 1024 * 1024) tell();
    };
    const text = megabyte.repeat(8);
    const order = { shell: screen.session.shell ?? {}, onSent };
    const sending = screen.session.paste({ text, isBracketed: false }, order, stop.signal);
    await withinDeadline('the first megabyte', isUnderWay);
    stop.abort(new Error('Ctrl+C'));
    assert.equal(await withinDeadline('the end of the paste', sending), 'cancelled');
    assert.ok(sent < text.length);
  });

  it('a paste for a shell that is gone goes to no other one', async () => {
    const screen = await start();
    const { shell } = screen.session;
    screen.session.input('exit\r');
    await screen.is('ended');
    await screen.session.start(undefined);
    await screen.is('open');
    const order = { text: 'echo pas-$((1+1))\r', isBracketed: false };
    const signal = new AbortController().signal;
    assert.equal(await screen.session.paste(order, { shell: shell ?? {} }, signal), 'gone');
    screen.session.input('echo next-$((1+1))\r');
    await screen.shows(/next-2/);
    assert.ok(!screen.text.includes('pas-'));
  });

  it('leaves nothing behind when it is closed', async () => {
    const screen = await start();
    await screen.is('open');
    screen.session.input('sleep 600\r');
    await screen.shows(/sleep 600/);
    screen.session.dispose();
    assert.deepEqual(screen.session.state, { k: 'closed' });
    await sshd.waitForLog(/Close session/);
  });
});
