import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { EntryKind } from '../../../../src/domain/files/fileAttributes.ts';
import { pathsToCompare, planSync, type ContentAnswers } from '../../../../src/domain/sync/planSync.ts';
import { keyOfPath, type SyncEntry, type SyncListing } from '../../../../src/domain/sync/syncEntry.ts';
import { sourceOf, targetOf, type SyncRules, type SyncStep } from '../../../../src/domain/sync/syncPlan.ts';

const then = 1_700_000_000;
/** What lies in a folder, by path: a file of so many bytes and its time, or another kind. */
type Content = Readonly<
  Record<
    string,
    readonly [size: number | undefined, modified?: number | undefined] | Exclude<EntryKind, 'file'>
  >
>;

function listing(content: Content, options: Partial<Omit<SyncListing, 'entries'>> = {}): SyncListing {
  const entries = Object.entries(content).map(([path, what]): SyncEntry => {
    const names = path.split('/');
    return typeof what === 'string'
      ? { path: names, kind: what, size: 4_096, modified: then }
      : { path: names, kind: 'file', size: what[0], modified: what.length === 1 ? then : what[1] };
  });
  return { entries, closed: [], rules: 'bytes', foldsCase: false, ...options };
}

const mirror: SyncRules = { direction: 'toRight', deletes: true, compare: 'sizeAndTime', timeStep: 1 };

function told(
  left: SyncListing,
  right: SyncListing,
  { answers, ...rules }: Partial<SyncRules> & { readonly answers?: ContentAnswers } = {},
): readonly string[] {
  return planSync({ left, right }, { ...mirror, ...rules }, answers).steps.map(textOf);
}

function textOf({ path, action, reason, changes, replacesNewer }: SyncStep): string {
  const where = changes === undefined ? '' : ` ${changes}`;
  return `${keyOfPath(path)}: ${action}${where} ${reason}${replacesNewer ? ' over newer' : ''}`;
}

describe('the plan that makes two folders equal', () => {
  it('copies what is missing, replaces what differs, deletes what only the target has', () => {
    const left = listing({
      d: 'directory',
      'd/new': [1],
      same: [2],
      longer: [3],
      newer: [4, then + 9],
      older: [5, then - 9],
    });
    const right = listing({
      same: [2, then + 0.9],
      longer: [2],
      newer: [4],
      older: [5],
      old: 'directory',
      'old/x': [1],
    });
    assert.deepEqual(told(left, right), [
      'd: create right missing',
      'd/new: create right missing',
      'longer: update right size',
      'newer: update right time',
      'old: delete right onlyThere',
      'old/x: delete right onlyThere',
      'older: update right time over newer',
      'same: skip equal',
    ]);
    const { totals } = planSync({ left, right }, mirror);
    assert.deepEqual(totals, {
      create: 2,
      update: 3,
      delete: 2,
      skip: 1,
      conflict: 0,
      replacesNewer: 1,
      bytes: 13,
    });
  });

  it('deletes nothing unless that is chosen', () => {
    assert.deepEqual(told(listing({}), listing({ a: [1] }), { deletes: false }), ['a: skip onlyThere']);
  });

  it('goes the other way with the sides exchanged', () => {
    assert.deepEqual(told(listing({ a: [1] }), listing({ b: [1] }), { direction: 'toLeft' }), [
      'a: delete left onlyThere',
      'b: create left missing',
    ]);
  });

  it('guesses in no case which of two is right when both are to be made equal', () => {
    const left = listing({ a: [1], b: [1], c: [1, then + 9] });
    const right = listing({ a: [2], d: [1], c: [1] });
    assert.deepEqual(told(left, right, { direction: 'both' }), [
      'a: conflict size',
      'b: create right missing',
      'c: conflict time',
      'd: create left missing',
    ]);
  });

  for (const [apart, timeStep, action] of [
    [0.9, 1, 'skip equal'],
    [1, 1, 'update right time'],
    [1, 2, 'skip equal'],
    [2, 2, 'update right time'],
  ] as const)
    it(`times ${String(apart)} s apart, told in steps of ${String(timeStep)} s: ${action}`, () => {
      assert.deepEqual(told(listing({ a: [1, then + apart] }), listing({ a: [1] }), { timeStep }), [
        `a: ${action}`,
      ]);
    });

  it('what is not known is not taken for equal', () => {
    assert.deepEqual(told(listing({ a: [undefined], b: [1, undefined] }), listing({ a: [1], b: [1] })), [
      'a: update right unknown',
      'b: update right unknown',
    ]);
  });

  it('by content, times count for nothing and what could not be read is a conflict', () => {
    const left = listing({ a: [1, then + 9], b: [1], c: [1], d: [1] });
    const right = listing({ a: [1], b: [1], c: [1], d: [2] });
    assert.deepEqual(pathsToCompare({ left, right }).map(keyOfPath), ['a', 'b', 'c']);
    const answers: ContentAnswers = new Map([
      ['a', 'same'],
      ['b', 'different'],
    ]);
    assert.deepEqual(told(left, right, { compare: 'content', answers }), [
      'a: skip equal',
      'b: update right content',
      'c: conflict unread',
      'd: update right size',
    ]);
  });

  it('leaves alone what is of different kinds, and everything below it', () => {
    const left = listing({ a: 'directory', 'a/x': [1], b: 'symlink', c: [1], p: 'other' });
    const right = listing({ a: [1], b: [1], c: 'directory', 'c/y': [1], p: 'other' });
    assert.deepEqual(told(left, right), [
      'a: conflict kind',
      'a/x: skip above',
      'b: conflict kind',
      'c: conflict kind',
      'c/y: skip above',
      'p: skip special',
    ]);
  });

  it('keeps links, and the directories that hold them', () => {
    const right = listing({
      d: 'directory',
      'd/e': 'directory',
      'd/e/link': 'symlink',
      'd/f': [1],
      l: 'symlink',
    });
    assert.deepEqual(told(listing({ l: 'symlink', m: 'symlink' }), right), [
      'd: skip onlyThere',
      'd/e: skip onlyThere',
      'd/e/link: skip link',
      'd/f: delete right onlyThere',
      'l: skip link',
      'm: skip link',
    ]);
  });

  it('deletes nothing below a directory that could not be read, on either side', () => {
    const closed = [{ path: ['d'], why: 'unreadable' }] as const;
    const filled = { d: 'directory', 'd/x': [1] } as const;
    assert.deepEqual(told(listing({ d: 'directory' }, { closed }), listing(filled)), [
      'd: conflict unread',
      'd/x: skip above',
    ]);
    assert.deepEqual(told(listing(filled), listing({ d: 'directory' }, { closed })), [
      'd: conflict unread',
      'd/x: skip above',
    ]);
  });

  it('what a pattern excludes on one side is left alone on the other', () => {
    const closed = [{ path: ['d'], why: 'excluded' }] as const;
    assert.deepEqual(told(listing({}), listing({ d: 'directory', e: [1] }, { closed })), [
      'd: skip excluded',
      'e: delete right onlyThere',
    ]);
  });

  it('names that differ only in the form of Unicode are conflicts', () => {
    assert.deepEqual(told(listing({ '\u00e4': [1] }), listing({ 'a\u0308': [1] })), [
      'a\u0308: conflict form',
      '\u00e4: conflict form',
    ]);
  });

  it('names that differ only in case are conflicts where the target takes them for one', () => {
    const left = listing({ README: [1], a: [1], A: [1] });
    const right = listing({ Readme: [1], a: [1] }, { foldsCase: true });
    assert.deepEqual(told(left, right), [
      'A: conflict case',
      'README: conflict case',
      'Readme: conflict case',
      'a: skip equal',
    ]);
    assert.deepEqual(told(left, { ...right, foldsCase: false }), [
      'A: create right missing',
      'README: create right missing',
      'Readme: delete right onlyThere',
      'a: skip equal',
    ]);
  });

  for (const [name, rules] of [
    ['con', 'windows'],
    ['a:b', 'windows'],
    ['\u{10fee9}', 'text'],
  ] as const)
    it(`a name that the target cannot hold is a conflict: ${JSON.stringify(name)} for ${rules}`, () => {
      assert.deepEqual(told(listing({ [name]: [1] }), listing({}, { rules })), [`${name}: conflict name`]);
      assert.deepEqual(told(listing({ [name]: [1] }), listing({})), [`${name}: create right missing`]);
    });
});

const name = fc.constantFrom('a', 'A', 'b', '\u00e4', 'a\u0308', 'con', '\u{10fee9}', 'x*');
const entry = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }),
  kind: fc.constantFrom<EntryKind | undefined>('file', 'file', 'directory', 'symlink', 'other', undefined),
  size: fc.option(fc.nat(3), { nil: undefined }),
  modified: fc.option(fc.integer({ min: then, max: then + 3 }), { nil: undefined }),
});

/** A tree: what would hold something and is no directory is one. */
const folder = fc
  .record({
    entries: fc.array(entry, { maxLength: 12 }),
    rules: fc.constantFrom('bytes', 'text', 'windows'),
    foldsCase: fc.boolean(),
    closed: fc.array(fc.constantFrom('unreadable', 'excluded'), { maxLength: 1 }),
  })
  .map(({ entries, rules, foldsCase, closed }): SyncListing => {
    const tree = new Map<string, SyncEntry>();
    for (const one of entries) {
      for (let depth = 1; depth < one.path.length; depth++) {
        const path = one.path.slice(0, depth);
        tree.set(keyOfPath(path), { path, kind: 'directory', size: 1, modified: then });
      }
      if (!tree.has(keyOfPath(one.path))) tree.set(keyOfPath(one.path), one);
    }
    const empty = [...tree.values()].find(
      ({ path, kind }) =>
        kind === 'directory' &&
        ![...tree.values()].some(
          (other) =>
            other.path.length > path.length && path.every((part, index) => other.path[index] === part),
        ),
    );
    return {
      entries: [...tree.values()],
      rules,
      foldsCase,
      closed: empty === undefined ? [] : closed.map((why) => ({ path: empty.path, why })),
    };
  });
const anyRules = fc.record({
  direction: fc.constantFrom('toRight', 'toLeft', 'both'),
  deletes: fc.boolean(),
  compare: fc.constant('sizeAndTime'),
  timeStep: fc.constantFrom(1, 2),
}) satisfies fc.Arbitrary<SyncRules>;

/** What both sides hold once every step of a plan was carried out. */
function carriedOut(
  steps: readonly SyncStep[],
  sides: { readonly left: SyncListing; readonly right: SyncListing },
): typeof sides {
  const trees = {
    left: new Map(sides.left.entries.map((one) => [keyOfPath(one.path), one])),
    right: new Map(sides.right.entries.map((one) => [keyOfPath(one.path), one])),
  };
  for (const step of steps) {
    if (step.changes === undefined) continue;
    const source = sourceOf(step);
    if (source === undefined) trees[step.changes].delete(keyOfPath(step.path));
    else trees[step.changes].set(keyOfPath(step.path), source);
  }
  return {
    left: { ...sides.left, entries: [...trees.left.values()] },
    right: { ...sides.right, entries: [...trees.right.values()] },
  };
}

describe('every plan', () => {
  const each = (check: (sides: { left: SyncListing; right: SyncListing }, rules: SyncRules) => void): void =>
    fc.assert(
      fc.property(folder, folder, anyRules, (left, right, rules) => check({ left, right }, rules)),
      { numRuns: 500 },
    );

  it('has one step for each path, in an order in which directories come first', () => {
    each((sides, rules) => {
      const { steps, totals } = planSync(sides, rules);
      const keys = steps.map(({ path }) => keyOfPath(path));
      const all = new Set([...sides.left.entries, ...sides.right.entries].map(({ path }) => keyOfPath(path)));
      assert.deepEqual(new Set(keys), all);
      assert.equal(keys.length, all.size);
      for (const [index, { path }] of steps.entries())
        if (path.length > 1) assert.ok(keys.indexOf(keyOfPath(path.slice(0, -1))) < index);
      assert.equal(
        totals.create + totals.update + totals.delete + totals.skip + totals.conflict,
        steps.length,
      );
    });
  });

  it('changes only the side of its direction, deletes only when it may, and never touches a link', () => {
    each((sides, rules) => {
      for (const step of planSync(sides, rules).steps) {
        if (step.changes === undefined) continue;
        if (rules.direction !== 'both')
          assert.equal(step.changes, rules.direction === 'toRight' ? 'right' : 'left');
        else assert.equal(step.action, 'create');
        assert.ok(step.action !== 'delete' || (rules.deletes && rules.direction !== 'both'));
        for (const one of [sourceOf(step), targetOf(step)])
          assert.ok(one === undefined || one.kind === 'file' || one.kind === 'directory');
        assert.equal(step.action === 'create', targetOf(step) === undefined);
      }
    });
  });

  it('empties what it deletes, and creates what it fills', () => {
    each((sides, rules) => {
      const { steps } = planSync(sides, rules);
      const after = carriedOut(steps, sides);
      for (const { entries } of [after.left, after.right]) {
        const directories = new Set(
          entries.filter(({ kind }) => kind === 'directory').map(({ path }) => keyOfPath(path)),
        );
        for (const { path } of entries)
          if (path.length > 1) assert.ok(directories.has(keyOfPath(path.slice(0, -1))), keyOfPath(path));
      }
    });
  });

  it('leaves nothing to do once it was carried out', () => {
    each((sides, rules) => {
      const after = carriedOut(planSync(sides, rules).steps, sides);
      const again = planSync(after, rules).steps.filter(({ changes }) => changes !== undefined);
      // What no side tells the size or time of is never known to be equal.
      assert.deepEqual(again.filter(({ reason }) => reason !== 'unknown').map(textOf), []);
    });
  });
});
