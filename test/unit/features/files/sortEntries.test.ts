import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ListedEntry } from '../../../../src/application/files/documents/listFolder.ts';
import type { EntryKind } from '../../../../src/domain/files/fileAttributes.ts';
import { remoteName, showPath } from '../../../../src/domain/files/remotePath.ts';
import { sortEntries, type FileOrder } from '../../../../src/features/files/sortEntries.ts';

function entry(
  name: string,
  kind: EntryKind,
  facts: { readonly size?: number; readonly modified?: number; readonly target?: EntryKind } = {},
): ListedEntry {
  const { size, modified, target } = facts;
  return {
    name: remoteName(Buffer.from(name, 'latin1')),
    kind,
    attributes: {
      ...(size === undefined ? {} : { size }),
      ...(modified === undefined ? {} : { times: { accessed: 0, modified } }),
    },
    ...(target === undefined ? {} : { target }),
  };
}

const entries = [
  entry('log10', 'file', { size: 1, modified: 30 }),
  entry('.env', 'file', { size: 5, modified: 20 }),
  entry('log9', 'file', { size: 9, modified: 10 }),
  entry('toFolder', 'symlink', { target: 'directory' }),
  entry('toFile', 'symlink', { target: 'file' }),
  entry('caf\xe9', 'file'),
  entry('etc', 'directory'),
];
const names = (order: FileOrder, hidesDotFiles: boolean): readonly string[] =>
  sortEntries(entries, { order, hidesDotFiles }).map(({ name }) => showPath(name));

describe('the order of a folder in the Files view', () => {
  it('is folders first, with links to folders, then names with their numbers as numbers', () => {
    assert.deepEqual(names('name', false), [
      'etc',
      'toFolder',
      '.env',
      'caf\\xE9',
      'log9',
      'log10',
      'toFile',
    ]);
  });

  it('is the largest file first, and unknown sizes last', () => {
    assert.deepEqual(names('size', true), ['etc', 'toFolder', 'log9', 'log10', 'caf\\xE9', 'toFile']);
  });

  it('is the newest file first', () => {
    assert.deepEqual(names('modified', false).slice(2, 5), ['log10', '.env', 'log9']);
  });
});
