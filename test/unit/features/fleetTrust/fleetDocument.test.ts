import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { pageOffers } from '../../../../src/domain/page/pageActions.ts';
import { pageText } from '../../../../src/domain/page/pageText.ts';
import { assertGolden } from '../../../golden.ts';
import { fleetOf, fleetPages } from '../../../support/fleetScenes.ts';

describe('the page about the host keys of all hosts', () => {
  for (const [name, page] of Object.entries(fleetPages))
    it(`says as text: ${name}`, () => assertGolden(`fleetTrust/${name}.txt`, pageText(page)));

  it('offers the export, the lines of files and to forget an authority of the store, without keys only to trust one', () => {
    const { actions } = pageOffers(fleetPages.everything);
    const forget = `forget SHA256:${'a'.repeat(43)} *.example.net,[db]:2222`;
    for (const action of ['export', '["open","/home/op/.ssh/known_hosts",7]', forget])
      assert.ok(actions.has(action));
    assert.deepEqual([...pageOffers(fleetPages.nothing).actions], ['trustAuthority']);
  });

  it('shows at most 5,000 rows of a table, and says that the export has all', () => {
    const { notices, sections } = fleetOf(5_001);
    const [block] = sections[0]?.blocks ?? [];
    assert.deepEqual(
      [block?.k === 'table' ? block.rows.length : undefined, notices[0]?.text],
      [5_000, 'Tables show the first 5000 rows. The exported file holds every key.'],
    );
  });
});
