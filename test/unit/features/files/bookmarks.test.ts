import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { pathOfText, remotePath, showPath } from '../../../../src/domain/files/remotePath.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { Bookmarks } from '../../../../src/features/files/bookmarks.ts';

function memory(kept: unknown): {
  get: () => unknown;
  update: (key: string, value: unknown) => Promise<void>;
} {
  let value = kept;
  return {
    get: () => value,
    update: async (_key, next) => void (value = JSON.parse(JSON.stringify(next))),
  };
}

describe('bookmarks of folders', () => {
  const host = newHostId();

  it('are kept by host in their order, once each, also under names that are no UTF-8', async () => {
    const bookmarks = new Bookmarks(memory(undefined));
    const odd = remotePath(Buffer.from('/caf\xe9', 'latin1'));
    for (const path of [pathOfText('/var/log'), odd, pathOfText('/var/log')])
      await bookmarks.add({ host, path });
    assert.deepEqual(
      bookmarks.of(host).map((path) => showPath(path)),
      ['/var/log', '/caf\\xE9'],
    );
    assert.deepEqual(Buffer.from(bookmarks.of(host)[1] ?? []), Buffer.from(odd));
    assert.deepEqual(bookmarks.of(newHostId()), []);
    await bookmarks.remove({ host, path: pathOfText('/var/log') });
    assert.deepEqual(
      bookmarks.of(host).map((path) => showPath(path)),
      ['/caf\\xE9'],
    );
  });

  for (const [what, kept] of [
    ['something else', 'text'],
    ['a path that is none', { [host]: ['', '/etc'] }],
  ] as const)
    it(`do without what was kept when it is ${what}`, () => {
      const paths = new Bookmarks(memory(kept)).of(host);
      assert.deepEqual(
        paths.map((path) => showPath(path)),
        what === 'something else' ? [] : ['/etc'],
      );
    });
});
