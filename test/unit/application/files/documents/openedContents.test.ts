import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { OpenedContents } from '../../../../../src/application/files/documents/openedContents.ts';
import { sha256Of, stampOf } from '../../../../../src/domain/files/contentStamp.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('what documents were made from', () => {
  let disk: Map<string, Uint8Array>;
  let contents: OpenedContents;
  beforeEach(() => {
    disk = new Map();
    contents = new OpenedContents({
      keep: async (file, content) => void disk.set(file, content),
      find: async (file, sha256) => {
        const content = disk.get(file);
        return content !== undefined && sha256Of(content) === sha256 ? content : undefined;
      },
      forget: async (file) => void disk.delete(file),
    });
  });

  const find = async (key: string, text: string): Promise<string | undefined> => {
    const content = await contents.find(key, stampOf(bytes(text)));
    return content === undefined ? undefined : Buffer.from(content).toString();
  };
  const seen = (key: string, text: string): void => contents.seen(key, stampOf(bytes(text)), bytes(text));

  it('reaches no disk before the document has changes', async () => {
    seen('a', 'one');
    assert.deepEqual([await find('a', 'one'), disk.size], ['one', 0]);
    contents.keep('a', stampOf(bytes('one')));
    assert.deepEqual([await find('a', 'one'), disk.size], ['one', 1]);
  });

  it('is found while the file is read with another content', async () => {
    seen('a', 'one');
    contents.keep('a', stampOf(bytes('one')));
    seen('a', 'two');
    assert.deepEqual([await find('a', 'one'), await find('a', 'two')], ['one', 'two']);
  });

  it('is not kept when it is another than what was seen', async () => {
    seen('a', 'two');
    contents.keep('a', stampOf(bytes('one')));
    assert.deepEqual([await find('a', 'one'), disk.size], [undefined, 0]);
  });

  it('leaves the disk with the changes, and the memory with the document', async () => {
    seen('a', 'one');
    contents.keep('a', stampOf(bytes('one')));
    contents.settled('a');
    assert.equal(await find('a', 'not seen'), undefined); // asks the disk, when its turn comes
    assert.deepEqual([await find('a', 'one'), disk.size], ['one', 0]);
    contents.closed('a');
    assert.equal(await find('a', 'one'), undefined);
  });

  it('is kept again once the document has changes again', async () => {
    seen('a', 'one');
    for (const round of [1, 2]) {
      contents.keep('a', stampOf(bytes('one')));
      seen('a', 'other');
      assert.equal(await find('a', 'one'), 'one', `round ${String(round)}`);
      contents.settled('a');
      seen('a', 'one');
    }
  });

  it('gives its room to what was seen later', async () => {
    const large = Buffer.alloc(10 * 1024 * 1024);
    contents.seen('a', stampOf(large), large);
    contents.seen('b', stampOf(large), large);
    assert.deepEqual(
      [await contents.find('a', stampOf(large)), (await contents.find('b', stampOf(large)))?.length],
      [undefined, large.length],
    );
  });

  it('that cannot be kept or looked for is not found', async () => {
    const fails = async (): Promise<never> => {
      throw new Error('the disk is full');
    };
    const failing = new OpenedContents({ keep: fails, find: fails, forget: fails });
    failing.seen('a', stampOf(bytes('one')), bytes('one'));
    failing.keep('a', stampOf(bytes('one')));
    failing.closed('a');
    assert.equal(await failing.find('a', stampOf(bytes('one'))), undefined);
  });
});
