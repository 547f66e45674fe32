import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { FileVersions } from '../../../../../src/application/files/documents/fileVersions.ts';
import { stampOf, type ContentStamp } from '../../../../../src/domain/files/contentStamp.ts';
import type { FileAttributes } from '../../../../../src/domain/files/fileAttributes.ts';

const at = (modified: number, size: number): FileAttributes => ({ size, times: { accessed: 0, modified } });
const stamp = (text: string, attributes: FileAttributes): ContentStamp =>
  stampOf(Buffer.from(text), attributes);

/** Reads a file as its editor does. */
function read(
  versions: FileVersions,
  text: string,
  { modified, isDirty = false }: { readonly modified: number; readonly isDirty?: boolean },
): number {
  const attributes = at(modified, text.length);
  versions.read('file', { attributes, stamp: stamp(text, attributes), isDirty });
  return versions.tell('file', attributes);
}

describe('the time that an editor is told about a file', () => {
  it("is the server's second for one that was not read, and 0 when the server tells none", () => {
    const versions = new FileVersions();
    assert.deepEqual(
      [versions.tell('file', at(1_700_000_000, 3)), versions.tell('file', {})],
      [1_700_000_000_000, 0],
    );
  });

  it('stays while the file is the same', () => {
    const versions = new FileVersions();
    assert.deepEqual(
      [read(versions, 'abc', { modified: 100 }), read(versions, 'abc', { modified: 100 })],
      [100_000, 100_000],
    );
  });

  it('grows when another content of the same size came within one second', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    assert.equal(read(versions, 'xyz', { modified: 100 }), 100_001);
  });

  it('grows when the size has changed within one second', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    assert.equal(versions.tell('file', at(100, 4)), 100_001);
  });

  it('grows also when the server put an older file there', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    assert.equal(versions.tell('file', at(50, 4)), 100_001);
  });

  it('grows once for a change, though it is told before what was changed is read', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    assert.equal(versions.tell('file', at(100, 4)), 100_001);
    assert.equal(read(versions, 'wxyz', { modified: 100 }), 100_001);
    assert.equal(versions.tellUnsaved('file'), 100_001);
  });

  it('grows with each save of ours, also within one second', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    versions.saved('file', stamp('abd', at(100, 3)));
    assert.equal(versions.tell('file', at(100, 3)), 100_001);
    versions.saved('file', stamp('abe', at(101, 3)));
    assert.equal(versions.tell('file', at(101, 3)), 101_000);
  });

  it('is that of what its document was made from while that has changes, whoever changes the file', () => {
    const versions = new FileVersions();
    assert.equal(versions.tellUnsaved('file'), 0, 'brought back by the editor, and not read');
    read(versions, 'abc', { modified: 100 });
    read(versions, 'other', { modified: 200, isDirty: true });
    assert.equal(versions.tellUnsaved('file'), 100_000);
    versions.becameClean('file');
    assert.equal(versions.tellUnsaved('file'), 200_000, 'an editor that has not taken it asks');
    versions.saved('file', stamp('ours', at(300, 4)));
    assert.equal(versions.tellUnsaved('file'), 300_000);
  });
});

describe('what a document was made from', () => {
  it('is what was read last while the document has no changes', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    read(versions, 'xyz', { modified: 101 });
    assert.deepEqual(versions.base('file'), stamp('xyz', at(101, 3)));
  });

  it('stays when somebody else reads the file while the document has changes, and moves on when it is reverted', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    read(versions, 'xyz', { modified: 101, isDirty: true });
    assert.deepEqual(versions.base('file'), stamp('abc', at(100, 3)));
    versions.becameClean('file');
    assert.deepEqual(versions.base('file'), stamp('xyz', at(101, 3)));
  });

  it('is not known when the document had changes before anything was read', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100, isDirty: true });
    assert.equal(versions.base('file'), undefined);
  });

  it('stays known when the file is gone, which is news once', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    assert.deepEqual(
      [versions.isGone('file'), versions.isGone('file'), versions.isGone('other')],
      [true, false, false],
    );
    assert.deepEqual(versions.base('file'), stamp('abc', at(100, 3)));
    assert.equal(versions.hasChanged('file', at(100, 3)), true, 'it is back');
  });

  it('is what the person was shown once they want it replaced', () => {
    const versions = new FileVersions();
    read(versions, 'abc', { modified: 100 });
    versions.accept('file', stamp('xyz', at(100, 3)));
    assert.deepEqual(versions.base('file'), stamp('xyz', at(100, 3)));
  });
});
