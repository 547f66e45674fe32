import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  callId,
  runId,
  systemClock,
  ToolServices,
  type JsonObject,
  type Preflight,
  type ToolContext,
} from '../../../src/agentkit/index.ts';
import { placeKey } from '../../../src/application/exec/hostPlace.ts';
import { BrowsedFiles } from '../../../src/application/files/browsedFiles.ts';
import { externalTools } from '../../../src/application/tools/external/externalTools.ts';
import { ToolService } from '../../../src/application/tools/keys.ts';
import { termindTools } from '../../../src/application/tools/termindTools.ts';
import type { HostListing, Tier } from '../../../src/domain/host/host.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { LocalFiles } from '../../../src/infrastructure/files/localFiles.ts';
import { shapeRedactor } from '../../support/shapeRedactor.ts';
import { QueueBench, type QueueWindow } from './queueBench.ts';

const never = new AbortController().signal;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('transfer tools of other programs', () => {
  let bench: QueueBench;
  let window: QueueWindow;
  let browsed: BrowsedFiles;
  let host: HostListing;
  let roots: readonly string[];

  beforeEach(() => {
    bench = new QueueBench();
    window = bench.window();
    roots = [bench.files.local];
    browsed = new BrowsedFiles({
      open: (signal) => bench.files.there('').open(signal),
      clock: systemClock,
    });
    host = listing();
  });
  afterEach(async () => {
    browsed.dispose();
    await bench.dispose();
  });

  const listing = (tier?: Tier): HostListing => ({
    ...{ id: bench.files.host, label: 'web-1', source: 'vault', address: 'web-1.example.com', port: 22 },
    ...{ user: 'deploy', group: undefined, tags: [], tier, alias: undefined },
  });
  const local = (...names: string[]): string => path.join(bench.files.local, ...names);
  const remote = (...names: string[]): string => path.join(bench.files.remote, ...names);

  function context(facts: ReadonlyMap<string, unknown> = new Map()): ToolContext {
    return {
      runId: runId('r'),
      callId: callId('c'),
      toolName: 'sftp_upload',
      userIntent: '',
      services: new ToolServices()
        .with(ToolService.clock, systemClock)
        .with(ToolService.hosts, {
          list: async () => [host],
          get: async (id) => (id === host.id ? host : undefined),
          target: () => Promise.reject(new Error('not asked for')),
          onDidChange: () => ({ dispose: () => {} }),
        })
        .with(ToolService.raises, { isRaised: () => false })
        .with(ToolService.connections, { state: () => ({ k: 'ready', since: 0, rttMs: undefined }) }),
      redactor: shapeRedactor,
      secrets: { issue: () => '', consume: () => ({ kind: 'notFound' }) },
      announce: () => {},
      preflightFacts: facts,
      signal: never,
      whenUserInterjects: () => new Promise(() => {}),
      authorize: async () => ({ verdict: 'deny', reason: 'nobody asks', by: 'runtime' }),
      waiting: () => ({ dispose: () => {} }),
      report: () => {},
    };
  }

  async function prepare(name: string, args: JsonObject): Promise<() => Promise<JsonObject | string>> {
    const deps = {
      queue: window.queue,
      local: new LocalFiles(),
      files: { browse: () => browsed },
      roots: () => roots,
    };
    const tool = externalTools(deps).find(({ descriptor }) => descriptor.name === name);
    assert.ok(tool);
    const checked = tool.validate(args);
    if (!checked.ok) return async () => checked.problem;
    const reviewed: Preflight = (await tool.preflight?.(checked.value, context())) ?? {};
    shown = reviewed;
    const { refusal } = reviewed;
    if (refusal !== undefined) return async () => refusal;
    return async () => {
      const outcome = await tool.execute(checked.value, context(reviewed.facts));
      return outcome.kind === 'success' ? outcome.fields : outcome.kind === 'failure' ? outcome.sentence : '';
    };
  }
  let shown: Preflight;

  const call = async (name: string, args: JsonObject): Promise<JsonObject | string> =>
    (await prepare(name, args))();
  const up = (parts: JsonObject = {}): JsonObject => ({
    host_id: host.id,
    local_path: local('a'),
    remote_path: remote('a'),
    ...parts,
  });

  /** How the transfer has ended that the call started. */
  async function end(direction: 'upload' | 'download', started: JsonObject | string): Promise<JsonObject> {
    assert.ok(typeof started !== 'string', JSON.stringify(started));
    const id = started['transfer_id'] ?? '';
    const status = await call(`sftp_${direction}_status`, { transfer_id: id, wait_ms: 60_000 });
    assert.ok(typeof status !== 'string', JSON.stringify(status));
    return status;
  }

  it('are none of the assistant', () => {
    const own = termindTools().map(({ descriptor }) => descriptor.name);
    assert.deepEqual(
      own.filter((name) => /^sftp_(?:upload|download)/.test(name)),
      [],
    );
  });

  it('upload what was shown, and tell how it ended', async () => {
    writeFileSync(local('a'), 'content');
    const started = await call('sftp_upload', up());
    assert.ok(typeof started !== 'string', JSON.stringify(started));
    assert.deepEqual([started['status'], started['bytes_total']], ['queued', 7]);
    assert.equal(shown.content?.sha256, sha256('content'));
    assert.deepEqual(
      shown.subject?.details.map(({ label, value }) => `${label}: ${value}`),
      [
        'Address: web-1.example.com:22',
        'Size: 7 bytes',
        `SHA-256: ${sha256('content')}`,
        'A file that is there: stays',
      ],
    );
    const {
      started_at: begun,
      finished_at: finished,
      transfer_id: id,
      ...status
    } = await end('upload', started);
    assert.equal(id, started['transfer_id']);
    assert.ok(typeof begun === 'string' && typeof finished === 'string');
    assert.deepEqual(status, {
      status: 'completed',
      local_path: local('a'),
      remote_path: remote('a'),
      host: { host_id: host.id, label: 'web-1' },
      bytes_done: 7,
      bytes_total: 7,
      sha256: sha256('content'),
      error: null,
    });
    assert.equal(readFileSync(remote('a'), 'utf8'), 'content');
  });

  it('go to the host that was shown, also when their turn comes later', async () => {
    writeFileSync(local('a'), 'content');
    await end('upload', await call('sftp_upload', up()));
    await end('download', await call('sftp_download', up({ local_path: local('b') })));
    assert.deepEqual([...bench.shown], [placeKey(host)]);
  });

  it('send nothing of a file that changed after it was shown', async () => {
    writeFileSync(local('a'), 'shown');
    const execute = await prepare('sftp_upload', up());
    writeFileSync(local('a'), 'other');
    assert.notEqual(await shown.content?.digestNow(never), shown.content?.sha256);
    const status = await end('upload', await execute());
    assert.equal(status['status'], 'failed');
    assert.match(JSON.stringify(status['error']), /changed/);
    assert.equal(existsSync(remote('a')), false);
  });

  it('download a file whole', async () => {
    writeFileSync(remote('a'), 'of the host');
    const status = await end('download', await call('sftp_download', up()));
    assert.deepEqual([status['status'], status['bytes_done']], ['completed', 11]);
    assert.equal(readFileSync(local('a'), 'utf8'), 'of the host');
  });

  it('leave alone what is there, unless told to replace it', async () => {
    for (const file of [local('a'), remote('a')]) writeFileSync(file, path.dirname(file));
    assert.match(JSON.stringify(await call('sftp_upload', up())), /exists already/);
    assert.match(JSON.stringify(await call('sftp_download', up())), /exists already/);
    const status = await end('upload', await call('sftp_upload', up({ overwrite: true })));
    assert.equal(status['status'], 'completed');
    assert.equal(readFileSync(remote('a'), 'utf8'), bench.files.local);
  });

  for (const [what, path_, pattern] of [
    ['outside of the folders', () => remote('x'), /outside the folders/],
    ['behind a link that leads out', () => local('way', 'x'), /outside the folders/],
    ['that is a link', () => local('link'), /not a regular file/],
    ['that is a folder', () => local('folder'), /not a regular file/],
    ['that is not absolute', () => 'x', /absolute path/],
    ['with dots', () => `${local('folder')}/../a`, /absolute path/],
  ] as const)
    it(`refuse a file of this machine ${what}`, async () => {
      mkdirSync(local('folder'));
      writeFileSync(remote('x'), 'x');
      symlinkSync(bench.files.remote, local('way'));
      symlinkSync(remote('x'), local('link'));
      assert.match(JSON.stringify(await call('sftp_upload', up({ local_path: path_() }))), pattern);
      assert.deepEqual(await window.queue.entries(), []);
    });

  it('refuse everything where no folder is allowed', async () => {
    roots = [];
    writeFileSync(local('a'), 'a');
    assert.match(JSON.stringify(await call('sftp_upload', up())), /outside the folders/);
  });

  it('change no production host that nobody has raised', async () => {
    host = listing('prod');
    writeFileSync(local('a'), 'a');
    assert.match(JSON.stringify(await call('sftp_upload', up())), /production host/);
  });

  it('tell nothing of transfers that a person started, or that there are none of', async () => {
    writeFileSync(local('a'), 'a');
    const ends = { from: bench.here('a'), to: bench.there('a') };
    const id = await window.queue.add({ kind: 'file', ...ends, policy: 'skip', by: 'person' });
    for (const transfer_id of [id, newHostId()])
      assert.equal(await call('sftp_upload_status', { transfer_id }), 'There is no transfer with this id.');
  });
});
