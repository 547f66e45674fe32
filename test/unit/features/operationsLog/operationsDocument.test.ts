import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Verification } from '../../../../src/application/operations/operationsLog.ts';
import type { LogFault } from '../../../../src/application/operations/verifyLog.ts';
import { pageOffers } from '../../../../src/domain/page/pageActions.ts';
import { pageMarkdown } from '../../../../src/domain/page/pageMarkdown.ts';
import { pageText } from '../../../../src/domain/page/pageText.ts';
import { assertGolden } from '../../../golden.ts';
import { operationPages } from '../../../support/operationScenes.ts';
import { verdictText } from '../../../support/plainEditor.ts';

describe('the page of the operations log', () => {
  for (const [name, page] of Object.entries(operationPages))
    it(`says as text: ${name}`, () => assertGolden(`operations/${name}.txt`, pageText(page)));

  it('says everything as Markdown', () =>
    assertGolden('operations/everything.md', pageMarkdown(operationPages.everything)));

  it('offers to verify and to export, and nothing that changes the log', () => {
    assert.deepEqual([...pageOffers(operationPages.everything).actions], ['verify', 'export']);
  });

  it('folds away what only read on this machine or stayed in it, and never an unknown outcome', () => {
    const [block] = operationPages.everything.sections[0]?.blocks ?? [];
    assert.ok(block?.k === 'table');
    const quiet = block.rows.filter(({ isQuiet }) => isQuiet === true);
    assert.deepEqual(
      quiet.map(({ cells }) => JSON.stringify(cells[2]).includes('scratch_write')),
      [true],
    );
  });
});

describe('the verdict about the operations log', () => {
  const head = { seq: 40, hash: 'a'.repeat(64) };
  const kept = { seq: 38, hash: 'b'.repeat(64), at: 5 };
  const verdict = (more: Partial<Verification>): string =>
    verdictText(
      {
        rows: 40,
        firstSeq: 1,
        head,
        outside: kept,
        isOutsideUnreadable: false,
        fault: undefined,
        ...more,
      },
      (at) => `day ${String(at)}`,
    );
  const faults: readonly (readonly [LogFault['k'], string])[] = [
    ['missing', 'Row 7 is missing.'],
    ['changed', 'The content of row 7 is not what its hash says.'],
    ['misnumbered', 'Row 7 does not hold its own number.'],
    ['unlinked', 'Row 7 does not follow on the row before it: one of them was exchanged.'],
    ['front', 'Rows up to 7 were removed, and no row says so.'],
    ['cut', 'Its end was cut: there is no row 7 any more.'],
    ['removed', 'Row 7, which was kept as the newest one, was removed.'],
    ['rewritten', 'Row 7 is another one than the one that was kept.'],
  ];
  for (const [k, words] of faults)
    it(`says of a log with the fault ${k} what is wrong, and with which row`, () =>
      assert.equal(
        verdict({ fault: { k, seq: 7 } }),
        `The operations log was changed. ${words} Row 38 was kept as the newest one on day 5.`,
      ));

  for (const [name, more, text] of [
    ['agrees', {}, 'It agrees with row 38, kept on day 5.'],
    [
      'has nothing outside to agree with',
      { outside: undefined },
      'Nothing was kept outside of it until now, so an earlier exchange would not show.',
    ],
    [
      'cannot be compared',
      { outside: undefined, isOutsideUnreadable: true },
      'The secret storage cannot be read, so nobody can say whether the end of the log was written anew.',
    ],
  ] as const)
    it(`says of a whole log that ${name} how far that goes`, () =>
      assert.equal(verdict(more), `The operations log is whole: 40 row(s), 1 to 40. ${text}`));

  it('says that there is nothing yet', () =>
    assert.equal(verdict({ rows: 0, firstSeq: undefined }), 'The operations log is empty.'));
});
