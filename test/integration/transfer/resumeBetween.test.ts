import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { HostCommands } from '../../../src/application/ports/hostCommands.ts';
import type {
  ExistingPolicy,
  FileOutcome,
  RemotePlace,
} from '../../../src/application/transfer/engine/transfer.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { blockBytes } from '../../../src/domain/transfer/transferJournal.ts';
import { sftpType, type SftpScript } from '../../lab/scriptedSftp.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { localCommands, seesInstead } from './localCommands.ts';
import { digest, never, TransferBench } from './transferBench.ts';

const size = 6 * blockBytes + 12_345;
const content = patterned(size);

describe('a transfer between two hosts that was interrupted', () => {
  let bench: TransferBench;
  const hosts = [newHostId(), newHostId()] as const;
  /** Of both hosts. */
  let commands: HostCommands | undefined;
  beforeEach(() => {
    bench = new TransferBench();
    commands = localCommands;
    writeFileSync(at('source'), content);
  });
  afterEach(() => bench.dispose());

  const at = (name: string): string => path.join(bench.remote, name);
  const place = (name: string, host: 0 | 1, script: SftpScript = {}): RemotePlace => ({
    ...bench.there(name, script),
    host: hosts[host],
    ...(commands === undefined ? {} : { commands }),
  });
  const run = (existing: ExistingPolicy, script: SftpScript = {}): Promise<FileOutcome> =>
    bench.engine.file({ from: place('source', 0), to: place('target', 1, script), existing }, never);

  /** The second host goes when it has been asked to write so many pieces. The name of the part, when there is one. */
  async function interrupt(): Promise<string | undefined> {
    let seen = 0;
    const work = run('skip', {
      onRequest: (request) => {
        if (request.type === sftpType.write) seen += 1;
        if (seen <= 70) return request;
        bench.servers.at(-1)?.stop();
        return undefined;
      },
    });
    await assert.rejects(work, isTermindError);
    return readdirSync(bench.remote).find((name) => name.endsWith('.part'));
  }

  function change(name: string, offset: number): void {
    const { atime, mtime } = statSync(at(name));
    const file = openSync(at(name), 'r+');
    writeSync(file, Buffer.from('changed'), 0, 7, offset);
    closeSync(file);
    utimesSync(at(name), atime, mtime);
  }

  const arrived = (): readonly unknown[] => [
    readdirSync(bench.remote).sort(),
    digest(readFileSync(at('target'))) === digest(readFileSync(at('source'))),
    readdirSync(bench.journals),
  ];
  const whole = [['source', 'target'], true, []];

  it('goes on from the blocks that are the same on both', async () => {
    await interrupt();
    const outcome = await run('skip');
    assert.ok(outcome.resumedBytes >= blockBytes, String(outcome.resumedBytes));
    assert.deepEqual(outcome.warnings, []);
    assert.deepEqual(arrived(), whole);
  });

  for (const [what, which] of [
    ['the part', (part: string) => part],
    ['the source', () => 'source'],
  ] as const)
    it(`moves again a block that has changed in ${what}, whatever its times say`, async () => {
      const part = await interrupt();
      assert.ok(part !== undefined);
      change(which(part), 99);
      const outcome = await run('skip');
      assert.ok(outcome.resumedBytes >= blockBytes, String(outcome.resumedBytes));
      assert.ok(outcome.resumedBytes <= 5 * blockBytes);
      assert.deepEqual(arrived(), whole);
    });

  it('begins anew where the source has changed, or is refused where going on was asked for', async () => {
    await interrupt();
    appendFileSync(at('source'), 'more');
    await assert.rejects(
      run('resume'),
      (error) => isTermindError(error) && error.fault.code === 'changed-during-transfer',
    );
    const outcome = await run('overwrite');
    assert.deepEqual(
      [outcome.resumedBytes, outcome.warnings.map(({ code }) => code)],
      [0, ['source-changed']],
    );
    assert.deepEqual(arrived(), whole);
  });

  it('begins anew where a command is not answered', async () => {
    await interrupt();
    commands = { run: () => Promise.reject(new Error('refused')) };
    const outcome = await run('overwrite');
    assert.deepEqual(
      [outcome.resumedBytes, outcome.warnings.map(({ code }) => code)],
      [0, ['part-unusable']],
    );
    assert.deepEqual(arrived(), whole);
  });

  it('begins anew where commands see other folders than the files', async () => {
    const part = await interrupt();
    assert.ok(part !== undefined);
    change(part, 99);
    commands = seesInstead(at('none'));
    const outcome = await run('overwrite');
    assert.deepEqual(
      [outcome.resumedBytes, outcome.warnings.map(({ code }) => code)],
      [0, ['part-unusable']],
    );
    assert.deepEqual(arrived(), whole);
  });

  it('begins anew where no commands may be run', async () => {
    commands = undefined;
    await interrupt();
    const outcome = await run('overwrite');
    assert.equal(outcome.resumedBytes, 0);
    assert.equal(digest(readFileSync(at('target'))), digest(content));
    assert.equal(existsSync(bench.journals), false);
  });

  it('leaves nothing when it is given up', async () => {
    await interrupt();
    await bench.engine.discard({ kind: 'file', from: place('source', 0), to: place('target', 1) }, never);
    assert.deepEqual([readdirSync(bench.remote), readdirSync(bench.journals)], [['source'], []]);
  });
});
