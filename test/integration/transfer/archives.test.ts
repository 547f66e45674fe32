import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { HostArchives } from '../../../src/application/transfer/archive/hostArchives.ts';
import type {
  FileResult,
  FolderOutcome,
  Place,
  RemotePlace,
  TransferEngine,
  TransferProgress,
} from '../../../src/application/transfer/engine/transfer.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import { run } from '../../lab/run.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { localPlace, newEngine } from './engine.ts';
import { SshLine } from './sshLine.ts';
import { digest, treeOf } from './transferBench.ts';

const modified = 1_700_000_000;
/** What the GNU program keeps an archive from holding: its names, their ends, and much of both. */
const names: readonly Buffer[] = [
  ...[
    '-rf',
    '--checkpoint-action=exec=false',
    'häuser und 数据',
    ' in front and behind ',
    '*',
    '$(false)',
    "it's",
  ],
  ...['two\nlines', 'back\\slash', 'tab\there', 'x'.repeat(255)],
].map((name) => Buffer.from(name));
const latin1 = Buffer.from('latin1 \xe9', 'latin1');

/** Other programs than the `tar` of this machine; `TERMIND_TARS` names them, with commas between, where they are not in the usual folders. */
const programs =
  process.env['TERMIND_TARS']?.split(',') ??
  ['busybox tar', 'bsdtar'].filter((line) => {
    const [name = ''] = line.split(' ');
    return ['/bin', '/usr/bin'].some((at) => existsSync(path.join(at, name)));
  });

/** Source: ssh.md 8.7, 6. */
describe('many small files between this machine and a host that may have archives', function () {
  this.timeout(120_000);
  let server: Sshd;
  let proxy: FaultProxy;
  let line: SshLine;
  let folder: string;
  let home: string;
  let engine: TransferEngine;
  /** The scripts that were started. */
  let started: string[];
  let answer: (files: number) => boolean;
  /** What happens to a script before it is started. */
  let change: (script: string) => string;
  /** So often something was written to a script. */
  let onWrite: (writes: number) => void;

  before(async () => {
    server = await startServer({});
    proxy = await startFaultProxy({ port: server.port });
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  beforeEach(async () => {
    proxy.set({});
    line = new SshLine({ ...targetOf(server), port: proxy.port });
    folder = await fs.mkdtemp(path.join(server.folder, 'archives-'));
    home = path.join(server.account.home, `termind-archives-${randomUUID()}`);
    await fs.mkdir(home);
    await own(home);
    engine = newEngine(folder);
    started = [];
    answer = () => true;
    change = (script) => script;
    onWrite = () => {};
  });
  afterEach(async () => {
    await line.dispose();
    for (const one of [home, folder]) await fs.rm(one, { recursive: true, force: true });
  });

  const own = (at: string): Promise<void> => fs.chown(at, server.account.uid, server.account.gid);
  const here = (): Place => localPlace(folder, 'here');
  const there = (): RemotePlace => ({ ...line.place(path.join(home, 'there')), archives: archives() });
  const archives = (): HostArchives => ({
    mayUse: async (files) => answer(files),
    start: async (command, signal) => {
      started.push(command.script);
      const script = change(command.script);
      const program = await line.programs.start({ ...command, script }, signal);
      let writes = 0;
      return {
        output: program.output,
        exit: program.exit,
        end: () => program.end(),
        close: () => program.close(),
        write: async (bytes) => {
          await program.write(bytes);
          onWrite(++writes);
        },
      };
    },
  });

  /** Files in three directories, each another one, and whatever `more` says. */
  async function fill(at: string, count: number, more: readonly Buffer[] = []): Promise<void> {
    for (const name of ['', 'a', 'a/b']) await fs.mkdir(path.join(at, name), { recursive: true });
    for (let n = 0; n < count; n++) {
      const file = path.join(at, ['', 'a', 'a/b'][n % 3] ?? '', `file ${String(n)}`);
      await fs.writeFile(
        file,
        Buffer.concat([Buffer.from(`${String(n)} `), patterned(1 + ((n * 977) % 9_000))]),
      );
      await fs.chmod(file, n % 2 === 0 ? 0o640 : 0o755);
      await fs.utimes(file, modified + n, modified + n);
    }
    for (const name of more) {
      const file = Buffer.concat([Buffer.from(`${at}/`), name]);
      await fs.writeFile(file, name);
      await fs.utimes(file, modified, modified);
    }
    await run('chown', ['-R', `${String(server.account.uid)}:${String(server.account.gid)}`, at]);
  }

  const sides = {
    down: () => ({ source: path.join(home, 'there'), target: path.join(folder, 'here') }),
    up: () => ({ source: path.join(folder, 'here'), target: path.join(home, 'there') }),
  } as const;

  function move(
    direction: 'down' | 'up',
    options: {
      readonly signal?: AbortSignal;
      readonly onResult?: (result: FileResult) => void;
      readonly onProgress?: (progress: TransferProgress) => void;
    } = {},
  ): Promise<FolderOutcome> {
    const { signal = never, ...told } = options;
    const [from, to] = direction === 'down' ? [there(), here()] : [here(), there()];
    return engine.folder({ from, to, existing: 'resume', ...told }, signal);
  }

  /** What no transfer leaves. */
  async function leftOver(): Promise<readonly string[]> {
    const all = await Promise.all(
      [home, folder].map((at) => fs.readdir(at, { recursive: true, encoding: 'latin1' })),
    );
    const journals = await fs.readdir(path.join(folder, 'journals')).catch(() => []);
    return [...all.flat().filter((name) => name.includes('.part')), ...journals];
  }

  /** Files under their own names, while the host may still be busy with what is unfinished. */
  async function placed(at: string, prefix = ''): Promise<readonly (readonly [string, Buffer])[]> {
    const entries = await fs.readdir(path.join(at, prefix), { withFileTypes: true });
    const found = entries
      .filter(({ name }) => !name.includes('.part'))
      .map(async (entry): Promise<readonly (readonly [string, Buffer])[]> => {
        const name = path.join(prefix, entry.name);
        return entry.isDirectory() ? placed(at, name) : [[name, await fs.readFile(path.join(at, name))]];
      });
    return (await Promise.all(found)).flat();
  }

  async function modesAndTimes(at: string): Promise<Readonly<Record<string, string>>> {
    const told: Record<string, string> = {};
    for (const entry of await fs.readdir(at, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const { mode, mtimeMs } = await fs.stat(file);
      told[path.relative(at, file)] = `${(mode & 0o7777).toString(8)} ${String(Math.floor(mtimeMs / 1_000))}`;
    }
    return told;
  }

  for (const direction of ['down', 'up'] as const) {
    const source = (): string => sides[direction]().source;
    const target = (): string => sides[direction]().target;

    it(`${direction}: arrive as they are, whatever their names, by one archive`, async () => {
      await fill(source(), 250, names);
      const told: TransferProgress[] = [];
      const results: FileResult[] = [];
      const outcome = await move(direction, {
        onProgress: (progress) => told.push(progress),
        onResult: (result) => results.push(result),
      });
      assert.deepEqual(treeOf(target()), treeOf(source()));
      assert.deepEqual(await modesAndTimes(target()), await modesAndTimes(source()));
      const count = 250 + names.length;
      const { doneFiles, skippedFiles, failed, warnings, changedDuringTransfer } = outcome;
      assert.deepEqual(
        { doneFiles, skippedFiles, failed, warnings, changedDuringTransfer },
        { doneFiles: count, skippedFiles: 0, failed: 0, warnings: [], changedDuringTransfer: 0 },
      );
      assert.equal(results.length, count);
      const last = told.at(-1);
      assert.deepEqual(
        [last?.doneBytes, last?.totalBytes, last?.doneFiles, last?.totalFiles],
        [outcome.bytes, outcome.bytes, count, count],
      );
      assert.equal(started.length, 1);
      assert.deepEqual(await leftOver(), []);
    });

    for (const program of programs)
      it(`${direction}: arrive as they are by ${program}`, async () => {
        await fill(source(), 250, names);
        change = (script) => script.replace(/tar (?=-[cx])/, `${program} `);
        const opened: string[] = [];
        const outcome = await move(direction, {
          onResult: (result) => opened.push('fault' in result ? result.fault.code : result.outcome.k),
        });
        assert.deepEqual([outcome.doneFiles, new Set(opened)], [250 + names.length, new Set(['done'])]);
        assert.deepEqual(treeOf(target()), treeOf(source()));
        assert.deepEqual(await modesAndTimes(target()), await modesAndTimes(source()));
        assert.deepEqual(await leftOver(), []);
      });

    it(`${direction}: two thousand are read back equal by rsync`, async () => {
      await fill(source(), 2_000);
      const outcome = await move(direction);
      assert.deepEqual([outcome.doneFiles, outcome.failed, started.length], [2_000, 0, 2]);
      const { stdout, status } = await run('rsync', [
        ...['-n', '-rlpt', '--checksum', '--delete', '--itemize-changes', '--omit-dir-times'],
        ...[`${source()}/`, `${target()}/`],
      ]);
      assert.deepEqual([stdout, status], ['', 0]);
      assert.deepEqual(await leftOver(), []);
    });

    it(`${direction}: go one by one where nobody has agreed, and as archives from when somebody has`, async () => {
      await fill(source(), 1_200);
      let asked = 0;
      answer = () => ++asked > 1;
      const outcome = await move(direction);
      assert.deepEqual([outcome.doneFiles, outcome.failed, started.length, asked], [1_200, 0, 1, 2]);
      assert.deepEqual(treeOf(target()), treeOf(source()));
    });

    it(`${direction}: are not asked about when they are few, large or there already`, async () => {
      answer = () => assert.fail('nobody is to be asked');
      await fill(source(), 199);
      for (let n = 0; n < 5; n++)
        await fs.writeFile(path.join(source(), `large ${String(n)}`), patterned(70_000));
      await run('chown', ['-R', String(server.account.uid), source()]);
      assert.equal((await move(direction)).doneFiles, 204);
      for (let n = 0; n < 100; n++) await fs.writeFile(path.join(source(), `new ${String(n)}`), 'new');
      await run('chown', ['-R', String(server.account.uid), source()]);
      assert.deepEqual((await move(direction)).doneFiles, 100);
      assert.deepEqual(treeOf(target()), treeOf(source()));
    });

    for (const [what, broken] of [
      ['there is no tar', (script: string) => script.replaceAll('tar', 'no-such-tar')],
      [
        'the archive breaks off',
        (script: string) => script.replace(/tar (-[cx])/, 'head -c 30000 | false; : $1'),
      ],
      ['something else comes', () => 'echo "Welcome"; cat >/dev/null'],
      ['the command fails', () => 'exit 3'],
    ] as const)
      it(`${direction}: all go one by one when ${what}`, async () => {
        await fill(source(), 220);
        change = broken;
        const outcome = await move(direction);
        assert.deepEqual([outcome.doneFiles, outcome.failed, started.length], [220, 0, 1]);
        assert.deepEqual(treeOf(target()), treeOf(source()));
        assert.deepEqual(await leftOver(), []);
      });

    it(`${direction}: one that fails does not stop the others, and is named`, async () => {
      await fill(source(), 220);
      await fs.rename(path.join(source(), 'file 0'), path.join(source(), 'a', 'gone'));
      await fs.chmod(path.join(source(), 'a', 'gone'), 0o000);
      await fs.mkdir(target(), { recursive: true });
      await fs.mkdir(path.join(target(), 'file 3'));
      await run('chown', ['-R', String(server.account.uid), target()]);
      const outcome = await move(direction);
      // Who runs this may read every file of its own machine when it is root.
      const isReadable = direction === 'up' && process.getuid?.() === 0;
      const expected = ['file 3 is-directory', ...(isReadable ? [] : ['gone denied'])];
      assert.deepEqual(
        outcome.failures.map(({ path: at, fault }) => `${path.basename(at)} ${fault.code}`).sort(),
        expected,
      );
      assert.equal(outcome.doneFiles, 220 - expected.length);
    });

    it(`${direction}: nothing is left and nothing half when it is cancelled in the middle`, async () => {
      await fill(source(), 1_500);
      proxy.set({ bytesPerSecond: 2 * 2 ** 20 });
      const stop = new AbortController();
      const work = move(direction, {
        signal: stop.signal,
        onResult: () => stop.abort(new Error('enough')),
      });
      await assert.rejects(work, (error) => isTermindError(error) && error.fault.code === 'cancelled');
      const whole = treeOf(source());
      const arrived = Object.entries(treeOf(target())).filter(([name]) => !name.endsWith('/'));
      assert.ok(arrived.length > 0 && arrived.length < 1_500, String(arrived.length));
      for (const [name, sha256] of arrived) assert.equal(sha256, whole[name]);
      assert.deepEqual(await leftOver(), []);
    });

    it(`${direction}: what is whole stays when the line is cut, and the rest follows`, async () => {
      await fill(source(), 1_500);
      proxy.set({
        cut: {
          direction: direction === 'down' ? 'toClient' : 'toTarget',
          afterBytes: 3 * 2 ** 20,
          by: 'reset',
          connections: 1,
        },
      });
      await assert.rejects(move(direction), isTermindError);
      const whole = treeOf(source());
      for (const [name, content] of await placed(target())) assert.equal(digest(content), whole[name], name);
      assert.equal(started.length, 1);
      const outcome = await move(direction);
      assert.deepEqual([outcome.doneFiles + outcome.skippedFiles, outcome.failed], [1_500, 0]);
      assert.deepEqual(treeOf(target()), whole);
      assert.deepEqual(await leftOver(), []);
    });
  }

  it('down: names that are no text are asked for as they are', async () => {
    await fill(path.join(home, 'there'), 220, [latin1]);
    await move('down');
    assert.deepEqual(treeOf(path.join(folder, 'here')), treeOf(path.join(home, 'there')));
  });

  for (const [what, tar] of [
    ['an entry with dots', 'tar -c -f - --transform "s,.*,../&," "./file 0"'],
    ['an entry that is absolute', 'tar -c -f - -P --transform "s,^\\./,/," "./file 0"'],
    ['an entry that nobody asked for', 'echo other >.other; tar -c -f - ./.other'],
    ['an entry twice', 'tar -c -f - "./file 0" "./file 0"'],
    ['a link', 'rm "file 0"; ln -s /etc/passwd "file 0"; tar -c -f - "./file 0"'],
    ['a directory', 'tar -c -f - ./a'],
    ['a file that is longer', 'echo more >>"file 0"; tar -c -f - "./file 0"'],
    ['more and more behind its end', 'tar -c -f - "./file 0"; yes'],
    [
      'a file that has become large',
      'truncate -s 100G ../large; tar -c -f - --transform "s,.*,./file 0," ../large',
    ],
  ] as const)
    it(`down: an archive with ${what} harms nothing, and the files are moved one by one`, async () => {
      await fill(path.join(home, 'there'), 220);
      change = () => `cd ${path.join(home, 'there')} && ${tar}; cat >/dev/null`;
      await move('down');
      const arrived = treeOf(path.join(folder, 'here'));
      const expected = { ...treeOf(path.join(home, 'there')) };
      delete expected['.other'];
      delete expected['file 0'];
      for (const [name, sha256] of Object.entries(expected)) assert.equal(arrived[name], sha256, name);
      assert.deepEqual(
        Object.keys(arrived).filter((name) => expected[name] === undefined && name !== 'file 0'),
        [],
      );
      assert.equal((await fs.readdir(folder)).sort().join(' '), 'here');
    });

  it('down: a file that changes once the archive has it is not taken from there', async () => {
    await fill(path.join(home, 'there'), 220);
    change = () =>
      `cd ${path.join(home, 'there')}; tar -c -f ../kept "./file 0"; echo changed >"file 0"; cat ../kept; rm ../kept; cat >/dev/null`;
    const outcome = await move('down');
    assert.equal(await fs.readFile(path.join(folder, 'here', 'file 0'), 'utf8'), 'changed\n');
    assert.deepEqual([outcome.doneFiles, outcome.failed, outcome.changedDuringTransfer], [220, 0, 1]);
  });

  it('up: nothing is left when it is cancelled while the archive is sent', async () => {
    await fill(path.join(folder, 'here'), 600);
    const stop = new AbortController();
    onWrite = (writes) => {
      if (writes === 400) stop.abort(new Error('enough'));
    };
    await assert.rejects(move('up', { signal: stop.signal }), isTermindError);
    assert.deepEqual(Object.keys(treeOf(path.join(home, 'there'))).sort(), ['a/', 'a/b/']);
    assert.deepEqual(await leftOver(), []);
  });

  it('up: what a lost connection left is gone after the next transfer', async () => {
    await fill(path.join(folder, 'here'), 600);
    change = (script) => script.replace('rm -rf', ': ');
    onWrite = (writes) => {
      if (writes === 400) proxy.cutAll('reset');
    };
    await assert.rejects(move('up'), isTermindError);
    assert.notDeepEqual(await leftOver(), []);
    onWrite = () => {};
    assert.equal((await move('up')).failed, 0);
    assert.deepEqual(await leftOver(), []);
    assert.deepEqual(treeOf(path.join(home, 'there')), treeOf(path.join(folder, 'here')));
  });

  it('up: what a lost connection left is gone when the transfer is given up', async () => {
    await fill(path.join(folder, 'here'), 600);
    change = (script) => script.replace('rm -rf', ': ');
    onWrite = (writes) => {
      if (writes === 400) proxy.cutAll('reset');
    };
    await assert.rejects(move('up'), isTermindError);
    assert.notDeepEqual(await leftOver(), []);
    await engine.discard({ kind: 'folder', from: here(), to: there() }, never);
    assert.deepEqual(await leftOver(), []);
  });

  it('up: a file that changes while the archive is sent is not taken from there', async () => {
    await fill(path.join(folder, 'here'), 220);
    const file = path.join(folder, 'here', 'a', 'b', 'file 218'); // read last
    onWrite = (writes) => {
      if (writes === 1) appendFileSync(file, 'more');
    };
    const outcome = await move('up');
    assert.deepEqual([outcome.failed, outcome.doneFiles], [0, 220]);
    assert.deepEqual(treeOf(path.join(home, 'there')), treeOf(path.join(folder, 'here')));
  });

  it('up: all go one by one when the host stops in the middle, with more on its way than it takes', async () => {
    await fill(path.join(folder, 'here'), 1_000);
    change = (script) => script.replace('tar -x -p -o -f -', '{ head -c 1000 >/dev/null; false; }');
    const outcome = await move('up');
    assert.deepEqual([outcome.doneFiles, outcome.failed, started.length], [1_000, 0, 1]);
    assert.deepEqual(treeOf(path.join(home, 'there')), treeOf(path.join(folder, 'here')));
    assert.deepEqual(await leftOver(), []);
  });

  it('up: nothing is unpacked where commands see other folders than the files', async () => {
    await fill(path.join(folder, 'here'), 220);
    const elsewhere = path.join(home, 'elsewhere');
    await fs.mkdir(elsewhere);
    await own(elsewhere);
    change = (script) => script.replace('cd "$1"', `cd "${elsewhere}/$(basename "$1")"`);
    assert.deepEqual([(await move('up')).doneFiles, started.length], [220, 1]);
    assert.deepEqual(await fs.readdir(elsewhere), []);
    assert.deepEqual(await leftOver(), []);
  });

  it('up: what has a place since it was looked at stays', async () => {
    await fill(path.join(folder, 'here'), 220);
    const placed = path.join(home, 'there', 'file 0');
    change = (script) => `echo theirs >${placed.replaceAll(' ', '\\ ')}; ${script}`;
    const outcome = await move('up');
    assert.deepEqual([outcome.doneFiles, outcome.failed], [219, 1]);
    assert.equal(await fs.readFile(placed, 'utf8'), 'theirs\n');
  });

  it('up: files in directories that were there already keep to what these give them', async () => {
    await fill(path.join(folder, 'here'), 660);
    await fs.mkdir(path.join(home, 'there', 'a'), { recursive: true });
    await run('chown', ['-R', String(server.account.uid), home]);
    const outcome = await move('up');
    assert.deepEqual([outcome.doneFiles, outcome.failed, started.length], [660, 0, 1]);
    assert.deepEqual(treeOf(path.join(home, 'there')), treeOf(path.join(folder, 'here')));
  });
});
