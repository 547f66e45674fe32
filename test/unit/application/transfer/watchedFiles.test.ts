import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { FileResult, LocalPlace } from '../../../../src/application/transfer/engine/transfer.ts';
import { WatchedFiles } from '../../../../src/application/transfer/engine/watchedFiles.ts';
import { localFault } from '../../../../src/domain/fault.ts';

const root: LocalPlace = { k: 'local', folder: '/home/deploy', path: ['site'] };
const place = (...names: string[]): LocalPlace => ({ ...root, path: [...root.path, ...names] });
const silent = { sized(): void {}, moved(): void {}, had(): void {} };

function ended(from: LocalPlace, k: 'done' | 'skipped'): FileResult {
  const outcome = { to: from, bytes: 1, resumedBytes: 0, sha256: undefined, warnings: [] };
  return { from, to: from, outcome: { ...outcome, k, changedDuringTransfer: false } };
}

describe('the files of a folder', () => {
  it('wait, are under way with their bytes, and end, each where it is', () => {
    const places = [place('a'), place('css', 'b'), place('c'), place('d')];
    const [a, b, c] = places;
    assert.ok(a && b && c);
    const files = new WatchedFiles(root, places);
    const moved: number[] = [];
    const meter = files.started(b, 10, { ...silent, moved: (bytes) => moved.push(bytes) });
    meter.had(2);
    meter.moved(3);
    assert.deepEqual(moved, [3]);
    assert.deepEqual(files.running, [{ number: 1, path: 'css/b', doneBytes: 5, totalBytes: 10 }]);
    files.ended(ended(a, 'done'));
    files.ended(ended(b, 'skipped'));
    files.started(c, undefined, silent);
    files.ended({ from: c, to: c, fault: localFault('not-responding').fault });
    assert.deepEqual(files.counts, { waiting: 1, running: 0, done: 1, skipped: 1, failed: 1 });
    assert.deepEqual(files.running, []);
    assert.deepEqual(files.list('waiting', 5), [{ number: 3, path: 'd' }]);
  });

  it('are listed as many as are asked for, in their order', () => {
    const places = Array.from({ length: 5 }, (_, at) => place(String(at)));
    const files = new WatchedFiles(root, places);
    assert.deepEqual(
      files.list('waiting', 3).map(({ path }) => path),
      ['0', '1', '2'],
    );
    assert.deepEqual(files.list('done', 3), []);
  });

  it('are only those of the folder', () => {
    const files = new WatchedFiles(root, [place('a')]);
    assert.equal(files.started(place('a'), 1, silent), silent, 'another place that looks alike');
    files.ended(ended(place('z'), 'done'));
    assert.deepEqual(files.counts, { waiting: 1, running: 0, done: 0, skipped: 0, failed: 0 });
  });
});
