import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { textOfBytes } from '../../../src/domain/files/nameText.ts';
import { ElevatedShell } from '../../../src/infrastructure/sftp/elevated/elevatedShell.ts';
import { StagedContent } from '../../../src/infrastructure/sftp/elevated/stagedContent.ts';
import { ShellFiles } from '../../../src/infrastructure/sftp/shell/shellFiles.ts';
import { canCreateAccounts, createAccount, type LabAccount } from '../../lab/account.ts';
import type { LabServer } from '../../lab/labServer.ts';
import { until } from '../../e2e/harness/until.ts';
import { skipBecause } from '../../skip.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { faultOf, never, startServer, targetOf, within } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';

describe('one shell for many commands', function () {
  this.timeout(60_000);
  let account: LabAccount;
  let server: LabServer;
  let bench: FilesBench;
  let clock: FakeClock;
  let shell: ElevatedShell;
  let folder: string;

  before(function () {
    if (!canCreateAccounts()) skipBecause(this, 'it needs a home of its own');
  });
  beforeEach(async () => {
    account = await createAccount();
    server = await startServer({ account });
    bench = await FilesBench.open(targetOf(server));
    clock = new FakeClock();
    folder = fs.mkdtempSync(path.join(account.home, 'shell-'));
    fs.chownSync(folder, account.uid, account.gid);
    const stream = await bench.transport.as('exec').bytes('exec', { command: 'exec sh' }, never);
    shell = new ElevatedShell(stream, clock);
  });
  afterEach(async () => {
    shell.close();
    await bench.dispose();
    await server.stop();
    account.dispose();
  });

  const run = (script: string, ...words: readonly string[]): ReturnType<ElevatedShell['run']> =>
    within(shell.run({ script, arguments: words, isChange: true }, never), 'the answer');

  it('tells output, errors and status of each, whatever they hold', async () => {
    const first = await run('printf "a\\0b\\n"; echo wrong >&2; exit 3');
    assert.deepEqual([first.stdout.toString('latin1'), first.stderr, first.code], ['a\0b\n', 'wrong\n', 3]);
    const second = await run('cat; printf "%s" "$1"', 'word');
    assert.deepEqual([second.stdout.toString(), second.stderr, second.code], ['word', '', 0]);
  });

  it('runs them one after the other', async () => {
    const answers = await Promise.all(['1', '2', '3'].map((word) => run('printf "%s" "$1"', word)));
    assert.deepEqual(
      answers.map(({ stdout }) => stdout.toString()),
      ['1', '2', '3'],
    );
  });

  for (const name of ["it's", '$(touch x)', '`x`', 'a\nb', '-rf', 'ü', '"; exit 1; "', '\\', '*'])
    it(`gives words without a further meaning: ${JSON.stringify(name)}`, async () => {
      const { stdout, code } = await run('printf "%s" "$1"', name);
      assert.deepEqual([stdout.toString(), code, fs.readdirSync(folder)], [name, 0, []]);
    });

  it('gives bytes that are no UTF-8 as they are', async () => {
    const name = Buffer.from('caf\xe9', 'latin1');
    const { stdout } = await run('printf "%s" "$1"', textOfBytes(name));
    assert.deepEqual(stdout, name);
  });

  it('goes on with the next command behind one that nobody waits for any more', async () => {
    const stop = new AbortController();
    const gate = path.join(folder, 'gate');
    const script = 'printf x >"$1"; while test -e "$1"; do sleep 0.01; done; printf late';
    const stopped = shell.run({ script, arguments: [gate], isChange: true }, stop.signal);
    await until({ what: 'the running command', probe: () => fs.existsSync(gate) });
    stop.abort();
    const fault = await faultOf(stopped);
    assert.deepEqual([fault.code, fault.outcome], ['cancelled', 'unknown']);
    const next = run('printf next');
    fs.rmSync(gate);
    assert.equal((await next).stdout.toString(), 'next');
  });

  it('does not know what a command has done when its channel is lost, and sends no other', async () => {
    const gate = path.join(folder, 'gate');
    const script = 'printf x >"$1"; while test -e "$1"; do sleep 0.01; done';
    const lost = faultOf(shell.run({ script, arguments: [gate], isChange: true }, never));
    await until({ what: 'the running command', probe: () => fs.existsSync(gate) });
    await server.stop();
    const fault = await within(lost, 'the fault');
    assert.deepEqual([fault.code, fault.outcome], ['outcome-unknown', 'unknown']);
    fs.rmSync(gate);
    const later = await faultOf(shell.run({ script: 'true', arguments: [], isChange: true }, never));
    assert.equal(later.outcome, 'not-sent');
    await within(shell.ended, 'the end');
  });

  it('ends when a command is silent for 30 seconds', async () => {
    const gate = path.join(folder, 'gate');
    const script = 'printf x >"$1"; while test -e "$1"; do sleep 0.01; done';
    const silent = faultOf(shell.run({ script, arguments: [gate], isChange: false }, never));
    await until({ what: 'the running command', probe: () => fs.existsSync(gate) });
    await clock.advance(30_000);
    assert.deepEqual([(await silent).code, (await shell.ended).code], ['stalled', 'stalled']);
    fs.rmSync(gate);
  });

  describe('content that is left for its commands', () => {
    let leftovers: Set<string>;
    let own: ShellFiles;
    let staged: StagedContent;
    beforeEach(() => {
      leftovers = new Set();
      own = new ShellFiles({
        ...{ channels: bench.transport.as('exec'), lost: bench.transport.lost },
        ...{ clock: systemClock, mayWrite: true },
      });
      staged = new StagedContent({ ordinary: bench.service.browse(bench.host), withoutSftp: own, leftovers });
    });
    afterEach(() => own.close());

    const temporary = (): readonly string[] =>
      fs.readdirSync(account.home).filter((name) => name.startsWith('.termind-sudo-'));

    it('is in a file that only its owner reads, as long as it is needed', async () => {
      const content = Buffer.from(randomUUID());
      const seen = await staged.hold(
        content,
        async (file) => {
          const name = Buffer.from(file).toString();
          return [fs.readFileSync(name), fs.statSync(name).mode & 0o777, path.dirname(name)] as const;
        },
        never,
      );
      assert.deepEqual(seen, [content, 0o600, fs.realpathSync(account.home)]);
      assert.deepEqual([temporary(), [...leftovers]], [[], []]);
    });

    it('is removed when the work fails or has removed it', async () => {
      for (const removes of [true, false])
        await assert.rejects(
          staged.hold(
            Buffer.from('x'),
            async (file) => {
              if (removes) fs.rmSync(Buffer.from(file));
              throw new Error('refused');
            },
            never,
          ),
          /refused/,
        );
      assert.deepEqual([temporary(), [...leftovers]], [[], []]);
    });

    it('is removed when the person stops waiting', async () => {
      const stop = new AbortController();
      const stopped = staged.hold(
        Buffer.from('x'),
        async () => {
          stop.abort();
          stop.signal.throwIfAborted();
        },
        stop.signal,
      );
      await assert.rejects(stopped);
      assert.deepEqual([temporary(), [...leftovers]], [[], []]);
    });

    it('is named as left over when the link is lost', async () => {
      const held = staged.hold(
        Buffer.from('x'),
        async () => {
          await server.stop();
          await within(own.ended, 'the end');
          throw new Error('lost');
        },
        never,
      );
      await assert.rejects(held, /lost/);
      const names = temporary();
      assert.deepEqual(
        [names.length, [...leftovers]],
        [1, names.map((name) => path.join(account.home, name))],
      );
      for (const name of names) fs.rmSync(path.join(account.home, name));
    });
  });
});
