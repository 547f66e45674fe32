import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { Transport } from '../../../src/application/ports/transport.ts';
import { pathOfText, textOfPath } from '../../../src/domain/files/remotePath.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { ConnectTrace } from '../../../src/domain/ssh/trace.ts';
import { FilesOpener } from '../../../src/infrastructure/sftp/filesOpener.ts';
import { SystemSshTransport } from '../../../src/infrastructure/ssh/system/systemSshTransport.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import { freePort } from '../../lab/freePort.ts';
import { ended, processesWithEnvironment } from '../../lab/processes.ts';
import type { Sshd, SshdOptions } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';
import {
  ScriptedPerson,
  faultOf,
  finish,
  never,
  quietLog,
  runCommand,
  startServer,
  targetOf,
  within,
} from './sshBench.ts';

/** A server, a configuration that names it `lab`, and the system's `ssh` behind our port. */
class Scene {
  readonly server: Sshd;
  readonly person = new ScriptedPerson();
  readonly folder = mkdtempSync(path.join(tmpdir(), 'termind-system-'));
  mayAsk = true;
  mayRunPrograms = true;
  environment: Readonly<Record<string, string>> = {};
  readonly #opened: Transport[] = [];

  constructor(server: Sshd) {
    this.server = server;
    this.configure({});
  }

  /** Of connections that are there, or that did not clean up. */
  get privateFolders(): readonly string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith('tsh-'));
  }

  get knownHosts(): string {
    return path.join(this.folder, 'known_hosts');
  }

  /** Options of ssh that win over those that trust the server and use its key. */
  configure(options: Readonly<Record<string, string>>): void {
    const { server } = this;
    const all = {
      HostName: server.host,
      Port: String(server.port),
      User: server.account.name,
      IdentityFile: server.key.privateFile,
      IdentitiesOnly: 'yes',
      IdentityAgent: 'none',
      UserKnownHostsFile: this.knownHosts,
      GlobalKnownHostsFile: '/dev/null',
      ...options,
    };
    const lines = Object.entries(all).map(([name, value]) => `  ${name} ${value}`);
    writeFileSync(path.join(this.folder, 'config'), `Host lab\n${lines.join('\n')}\n`);
    writeFileSync(this.knownHosts, server.knownHosts());
  }

  async open(name = 'lab', signal = never, change: Partial<Target> = {}): Promise<Transport> {
    const transport = new SystemSshTransport({
      clock: systemClock,
      log: quietLog,
      prompts: this.person,
      environment: { ...process.env, ...this.environment },
      program: () => undefined,
      configFile: () => path.join(this.folder, 'config'),
      mayRunPrograms: () => this.mayRunPrograms,
      temporaryFolder: this.folder,
      platform: process.platform,
    });
    const target = { ...targetOf(this.server), systemSsh: { name }, ...change };
    const opened = await transport.open(
      {
        target,
        hop: { user: target.user, label: target.label, index: 1, count: 1, via: [] },
        via: undefined,
        mayAsk: () => this.mayAsk,
        lastSucceeded: undefined,
        onProgress: () => {},
        trace: new ConnectTrace(() => 0),
      },
      signal,
    );
    this.#opened.push(opened);
    return opened;
  }

  async dispose(): Promise<void> {
    for (const transport of this.#opened) transport.close();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function until(holds: () => boolean, what: string): Promise<void> {
  const look = async (): Promise<void> => {
    while (!holds()) await delay(20);
  };
  return within(look(), what);
}

function closeOf(stream: Duplex): Promise<void> {
  return new Promise((resolve) => void stream.resume().once('close', () => resolve()));
}

describe('the system’s own ssh behind the same port', function () {
  this.timeout(60_000);
  const scenes: Scene[] = [];
  const listeners: net.Server[] = [];
  afterEach(async () => {
    for (const scene of scenes.splice(0)) await scene.dispose();
    for (const listener of listeners.splice(0)) listener.close();
  });

  async function start(options: SshdOptions = {}): Promise<Scene> {
    const scene = new Scene(await startServer(options));
    scenes.push(scene);
    return scene;
  }

  it('runs commands with both streams, input and status, all through one sign-in', async () => {
    const scene = await start();
    const transport = await scene.open();
    const channel = await transport.exec('cat; echo beside >&2; exit 3', never);
    const done = finish(channel);
    await channel.write(Buffer.from('the input'));
    channel.end();
    const { stdout, stderr, exit } = await within(done, 'the end');
    assert.deepEqual(
      [stdout.toString(), stderr.toString(), exit],
      ['the input', 'beside\n', { kind: 'code', code: 3 }],
    );
    for (let n = 0; n < 3; n++)
      assert.equal((await runCommand(transport, 'echo again')).stdout.toString(), 'again\n');
    assert.equal(scene.server.log().match(/Accepted publickey/g)?.length, 1);
  });

  it('does not take its own status 255 for that of the command', async () => {
    const transport = await (await start()).open();
    assert.equal((await runCommand(transport, 'exit 255')).exit.kind, 'unknown');
  });

  it('gives a terminal', async () => {
    const transport = await (await start()).open();
    const terminal = await transport.as('terminal').shell({ rows: 24, cols: 80, environment: [] }, never);
    const done = finish(terminal);
    await terminal.write(Buffer.from('tty; exit 4\n'));
    const { stdout, exit } = await within(done, 'the end');
    assert.match(stdout.toString(), /\/dev\/pts\/\d+/);
    assert.deepEqual(exit, { kind: 'code', code: 4 });
  });

  it('gives a terminal of the size that the pane has, first and whenever it changes', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'script of util-linux is needed');
    const scene = await start();
    const transport = await scene.open();
    const terminal = await transport.as('terminal').shell({ rows: 30, cols: 100, environment: [] }, never);
    let text = '';
    let look: () => void = () => {};
    terminal.onData(({ bytes }) => {
      text += Buffer.from(bytes).toString();
      look();
    });
    const shows = (pattern: RegExp): Promise<void> =>
      within(
        new Promise<void>((resolve) => {
          look = () => {
            if (pattern.test(text)) resolve();
          };
          look();
        }),
        String(pattern),
      );
    await terminal.write(Buffer.from('stty size; stty -a | tr " " "\\n" | grep -x -e echo -e icanon\n'));
    await shows(/[\r\n]30 100\r\nicanon\r\necho\r/);
    assert.ok(!text.startsWith('/dev/'), text);
    const loop = `until [ "$(stty size)" = '20 60' ]; do :; done; echo no''w\n`;
    await terminal.write(Buffer.from(loop));
    terminal.resize({ rows: 10, cols: 40 });
    terminal.resize({ rows: 20, cols: 60 });
    await shows(/[\r\n]now\r/);
    const exited = terminal.exit;
    await terminal.write(Buffer.from('exit 4\n'));
    assert.deepEqual(await within(exited, 'the end'), { kind: 'code', code: 4 });
    await within(terminal.closed, 'the close');
  });

  it('passes on what ssh said until it was signed in, such as the banner of the server', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'termind-banner-'));
    try {
      writeFileSync(path.join(folder, 'banner'), 'For others\n');
      const transport = await (await start({ config: [`Banner ${path.join(folder, 'banner')}`] })).open();
      assert.match(transport.banner, /^For others$/m);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('carries SFTP, and says when there is none', async () => {
    const scene = await start();
    const transport = await scene.open();
    const stream = await transport.as('sftp-browse').bytes('sftp', {}, never);
    stream.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
    const [answer] = (await within(once(stream, 'data'), 'the version')) as [Buffer];
    assert.deepEqual([answer[4], answer.readUInt32BE(5)], [2, 3]);
    stream.destroy();
    const missing = await transport.bytes('subsystem', { name: 'nonsense' }, never);
    await within(closeOf(missing), 'the refusal');
    assert.equal(missing.errored?.message, 'The server offers no nonsense service.');
  });

  for (const [sftp, way] of [
    ['internal', 'subsystem'],
    ['none', 'command'],
  ] as const)
    it(`carries files, also where the server has ${sftp === 'none' ? 'no subsystem' : 'one'} for them`, async () => {
      const scene = await start({ sftp });
      const transport = await scene.open();
      const channels = transport.as('sftp-browse');
      const request = {
        channels,
        lost: transport.lost,
        known: undefined,
        mayWriteByShell: false,
        onLearned: () => {},
      };
      const files = await within(new FilesOpener(systemClock).open(request, never), 'the files');
      const home = await files.realpath(pathOfText('.'), never);
      assert.deepEqual([files.capabilities.way, textOfPath(home)], [way, scene.server.account.home]);
      files.close();
    });

  it('forwards to a port of the server, and from one', async () => {
    const transport = await (await start()).open();
    const echo = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    listeners.push(echo);
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const { port } = echo.address() as AddressInfo;
    const stream = await transport.direct({ host: '127.0.0.1', port }, never);
    stream.end('there and back');
    assert.equal(Buffer.concat(await within(stream.toArray(), 'the echo')).toString(), 'there and back');

    const refused = await transport.direct({ host: '127.0.0.1', port: await freePort() }, never);
    await within(closeOf(refused), 'the refusal');
    assert.match(refused.errored?.message ?? '', /refused the forward for 127\.0\.0\.1/);

    const listener = await within(
      transport.listen(
        { address: '127.0.0.1', port: 0 },
        (client) => void client.accept().end('hello'),
        never,
      ),
      'the listener',
    );
    const socket = net.connect({ host: '127.0.0.1', port: listener.port ?? 0 });
    assert.equal(Buffer.concat(await within(socket.toArray(), 'the greeting')).toString(), 'hello');
    await within(listener.close(), 'the end of the listener');
    const late = net.connect({ host: '127.0.0.1', port: listener.port ?? 0 });
    try {
      const failed = await within(once(late, 'error'), 'the refusal of the port that was given back');
      assert.ok(failed[0] instanceof Error && 'code' in failed[0]);
      assert.equal(failed[0].code, 'ECONNREFUSED');
    } finally {
      late.destroy();
    }
  });

  it('asks for a password and an unknown host key in the queue of prompts', async function () {
    if (!canCreateAccounts()) skipBecause(this, 'only root can make the account that it needs');
    const scene = await start({ account: { hasPassword: true } });
    scene.configure({ IdentityFile: 'none', PreferredAuthentications: 'password' });
    writeFileSync(scene.knownHosts, '');
    scene.person.answerSecret = ({ prompt, echo }) => {
      if (echo) return 'yes';
      assert.match(prompt, /password:/);
      return scene.server.account.password;
    };
    const transport = await scene.open();
    assert.equal((await runCommand(transport, 'echo in')).stdout.toString(), 'in\n');
    const [hostKey, password] = scene.person.secrets;
    assert.match(`${hostKey?.heading ?? ''}${hostKey?.prompt ?? ''}`, /SHA256:[^]*\(yes\/no/);
    assert.equal(password?.kind, 'password');
  });

  it('a refused question ends the attempt with one fault', async () => {
    const scene = await start();
    writeFileSync(scene.knownHosts, '');
    scene.person.answerSecret = () => undefined;
    assert.equal((await faultOf(scene.open())).code, 'key-unknown');
    scene.mayAsk = false;
    assert.equal((await faultOf(scene.open())).code, 'answer-needed');
  });

  it('forwards the agent of the configuration only where nobody wanted less', async () => {
    const scene = await start({ config: ['AllowAgentForwarding yes'] });
    scene.configure({ ForwardAgent: 'yes' });
    scene.environment = { SSH_AUTH_SOCK: path.join(scene.folder, 'agent') };
    const whole = { agent: undefined, keys: undefined, confirm: false };
    const isForwarded = async (change: Partial<Target>): Promise<boolean> => {
      const transport = await scene.open('lab', never, change);
      return (await runCommand(transport, 'echo "$SSH_AUTH_SOCK"')).stdout.toString().trim() !== '';
    };
    assert.equal(await isForwarded({ agentForwarding: whole }), true);
    assert.equal(await isForwarded({ agentForwarding: undefined }), false);
    assert.equal(await isForwarded({ agentForwarding: whole, tier: 'prod' }), false);
    assert.equal(await isForwarded({ agentForwarding: { ...whole, keys: ['SHA256:one'] } }), false);
    assert.equal(await isForwarded({ agentForwarding: { ...whole, confirm: true } }), false);
  });

  it('a changed key is refused by ssh itself, without a question', async () => {
    const scene = await start();
    await scene.server.replaceHostKeys();
    assert.equal((await faultOf(scene.open())).code, 'key-changed');
    assert.deepEqual(scene.person.secrets, []);
  });

  for (const [options, code] of [
    [{ IdentityFile: 'none', PasswordAuthentication: 'no' }, 'auth-failed'],
    [{ HostName: 'host.invalid' }, 'name-not-found'],
    [{ Port: '1' }, 'refused'],
  ] as const)
    it(`names what ssh says: ${code}`, async () => {
      const scene = await start();
      scene.configure(options);
      const fault = await faultOf(scene.open());
      assert.deepEqual([fault.code, fault.outcome], [code, 'not-sent']);
      assert.deepEqual(scene.privateFolders, []);
    });

  it('a name that could be an option is refused, and nothing is started', async () => {
    const scene = await start();
    assert.equal((await faultOf(scene.open('-oProxyCommand=touch'))).code, 'config-error');
    scene.mayRunPrograms = false;
    assert.equal((await faultOf(scene.open())).code, 'config-consent');
  });

  it('an abort ends the attempt while a question is open', async () => {
    const scene = await start();
    writeFileSync(scene.knownHosts, '');
    const abort = new AbortController();
    scene.person.answerSecret = (_question, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
        abort.abort();
      });
    assert.equal((await faultOf(scene.open('lab', abort.signal))).code, 'cancelled');
  });

  it('gets nothing of the editor in its environment', async () => {
    const scene = await start();
    const file = path.join(scene.folder, 'environment');
    scene.environment = { VSCODE_IPC_HOOK: 'private', TERMIND_TEST_OWN: 'of the person' };
    scene.configure({ ProxyCommand: `sh -c 'env > ${file}; echo no'` });
    await faultOf(scene.open());
    const names = readFileSync(file, 'utf8');
    assert.match(names, /^TERMIND_TEST_OWN=/m);
    assert.doesNotMatch(names, /^VSCODE_/m);
  });

  it('an abort ends the program on the way as well', async () => {
    const scene = await start();
    const mark = `TERMIND_TEST_WAY=${scene.folder}`;
    scene.environment = { TERMIND_TEST_WAY: scene.folder };
    const started = path.join(scene.folder, 'started');
    scene.configure({ ProxyCommand: `sh -c 'echo > ${started}; sleep 300; true'` });
    const abort = new AbortController();
    const fault = faultOf(scene.open('lab', abort.signal));
    await until(() => existsSync(started), 'the program');
    const running = processesWithEnvironment(mark);
    assert.notEqual(running.length, 0);
    abort.abort();
    assert.equal((await fault).code, 'cancelled');
    await ended(running);
  });

  it('ends with its connection: channels close, a new one is refused, and nothing is left', async () => {
    const scene = await start();
    const transport = await scene.open();
    const channel = await transport.exec('sleep 300', never);
    const done = finish(channel);
    scene.server.dropConnections();
    const lost = await within(transport.lost, 'the end');
    assert.equal(lost.outcome, 'unknown');
    assert.equal((await within(done, 'the end of the channel')).exit.kind, 'unknown');
    assert.equal((await faultOf(transport.exec('true', never))).outcome, 'not-sent');
    await within(
      (async () => {
        while (scene.privateFolders.length > 0) await new Promise((resolve) => setImmediate(resolve));
      })(),
      'the end of the folder',
    );
  });

  it('a channel never signs in on its own when the control connection is gone', async () => {
    const scene = await start();
    const transport = await scene.open();
    const signIns = (): number => scene.server.log().match(/Accepted publickey/g)?.length ?? 0;
    const folder = path.join(scene.folder, scene.privateFolders[0] ?? '');
    assert.equal(existsSync(path.join(folder, 'c')), true);
    rmSync(path.join(folder, 'c'));
    const { exit } = await runCommand(transport, 'true');
    assert.equal(exit.kind, 'unknown');
    assert.equal(signIns(), 1);
  });
});
