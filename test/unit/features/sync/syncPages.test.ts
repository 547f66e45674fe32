import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Comparison, StepOutcome } from '../../../../src/application/sync/folderSync.ts';
import type { Fault } from '../../../../src/domain/fault.ts';
import { fileFault } from '../../../../src/domain/files/fileFault.ts';
import { pageOffers } from '../../../../src/domain/page/pageActions.ts';
import { pageText } from '../../../../src/domain/page/pageText.ts';
import { planSync } from '../../../../src/domain/sync/planSync.ts';
import type { SyncEntry, SyncListing } from '../../../../src/domain/sync/syncEntry.ts';
import type { SyncRules } from '../../../../src/domain/sync/syncPlan.ts';
import { assertGolden } from '../../../golden.ts';
import { planDocument, resultDocument } from '../../../support/plainEditor.ts';

const then = 1_700_000_000;
const rules: SyncRules = { direction: 'toRight', deletes: true, compare: 'sizeAndTime', timeStep: 1 };
const left = { place: { k: 'local', folder: '/home/me/site', path: [] }, host: undefined } as const;
const right = { place: { k: 'local', folder: '/mnt/site', path: [] }, host: undefined } as const;
const words = {
  left,
  right,
  excludes: ['*.log'],
  describeFault: ({ code }: Fault) => `(${code})`,
  moment: (at: number) => new Date(at).toISOString(),
};

function listing(entries: readonly Partial<SyncEntry>[]): SyncListing {
  const whole = entries.map(
    (entry) => ({ path: [], kind: 'file', size: 1, modified: then, ...entry }) as const,
  );
  return { entries: whole, closed: [], rules: 'bytes', foldsCase: false };
}

function comparison(ours: readonly Partial<SyncEntry>[], theirs: readonly Partial<SyncEntry>[]): Comparison {
  const plan = planSync({ left: listing(ours), right: listing(theirs) }, rules);
  const unread = [{ path: '/mnt/site/closed', fault: fileFault('denied', { path: '/mnt/site/closed' }) }];
  return { left: left.place, right: right.place, rules, plan, unread, refused: ['a/b'], digest: 'ab12' };
}

const whole = comparison(
  [
    { path: ['d'], kind: 'directory' },
    { path: ['d', 'new\n\u202eeman'], size: 4_096 },
    { path: ['newer'], modified: then + 60 },
    { path: ['older'], modified: then - 60 },
    { path: ['kind'], kind: 'directory' },
    { path: ['same'] },
    { path: ['link'], kind: 'symlink' },
    { path: ['unknown'], size: undefined, modified: undefined },
    { path: ['\u{10fee9}'] },
  ],
  [
    { path: ['newer'] },
    { path: ['older'] },
    { path: ['kind'] },
    { path: ['same'] },
    { path: ['unknown'] },
    { path: ['old'], kind: 'directory' },
    { path: ['old', 'file'] },
  ],
);

describe('the page of a plan that makes two folders equal', () => {
  it('says everything', () =>
    assertGolden('sync/plan.txt', pageText(planDocument({ ...words, comparison: whole }))));

  it('offers to carry out exactly this plan', () => {
    const { actions } = pageOffers(planDocument({ ...words, comparison: whole }));
    assert.ok(actions.has('run ab12'));
  });

  it('offers nothing to carry out where there is nothing to do', () => {
    const { actions } = pageOffers(
      planDocument({ ...words, comparison: comparison([{ path: ['a'] }], [{ path: ['a'] }]) }),
    );
    assert.deepEqual([...actions], ['direction', 'rules', 'exclude', 'again']);
  });

  it('offers nothing to carry out where not everything is shown, and says so', () => {
    const many = Array.from({ length: 10_001 }, (_, n) => ({ path: [String(n)] }));
    const page = planDocument({ ...words, comparison: comparison(many, []) });
    assert.ok(![...pageOffers(page).actions].some((action) => action.startsWith('run')));
    assert.match(pageText(page), /There is more to do than a page can show/);
    const fewer = planDocument({ ...words, comparison: comparison(many.slice(1), []) });
    assert.ok(pageOffers(fewer).actions.has('run ab12'));
  });
});

describe('the page of what came of a plan', () => {
  it('hides what was done only beside something else', () => {
    const done: StepOutcome = { k: 'done', warnings: [], changedMeanwhile: false };
    const quiet = (outcomes: readonly StepOutcome[]): readonly unknown[] => {
      const changes = whole.plan.steps.filter(({ changes: side }) => side !== undefined);
      const steps = outcomes.flatMap((outcome, at) =>
        changes.slice(at, at + 1).map((step) => ({ step, outcome })),
      );
      const result = { steps, stoppedBy: undefined, bytes: 0, trash: undefined };
      const [block] =
        resultDocument({ left, right, result, describeFault: String }).sections[0]?.blocks ?? [];
      assert.ok(block?.k === 'table');
      return block.rows.map(({ isQuiet }) => isQuiet);
    };
    assert.deepEqual(quiet([done, done]), [undefined, undefined]);
    assert.deepEqual(quiet([done, { k: 'notRun' }]), [true, undefined]);
  });

  it('says how each change ended, and what to do', () => {
    const fault = fileFault('denied', { path: '/mnt/site/x' });
    const outcomes: readonly StepOutcome[] = [
      { k: 'done', warnings: [], changedMeanwhile: false },
      { k: 'done', warnings: [{ code: 'attributes-not-kept', path: 'x' }], changedMeanwhile: true },
      { k: 'conflict', fault },
      { k: 'failed', fault },
      { k: 'unknown', fault },
      { k: 'notRun' },
    ];
    const changes = whole.plan.steps.filter(({ changes: side }) => side !== undefined);
    const steps = changes.flatMap((step, index) => {
      const outcome = outcomes[index % outcomes.length];
      return outcome === undefined ? [] : [{ step, outcome }];
    });
    const result = {
      steps,
      stoppedBy: fileFault('cancelled'),
      bytes: 5_000,
      trash: '/home/me/.termind-trash/x',
    };
    const page = resultDocument({ left, right, result, describeFault: ({ code }) => `(${code})` });
    assertGolden('sync/result.txt', pageText(page));
  });
});
