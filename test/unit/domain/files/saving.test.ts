import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { isMixedContent } from '../../../../src/domain/files/mixedContent.ts';
import { bytesOfText } from '../../../../src/domain/files/nameText.ts';
import {
  advance,
  hasLeftOld,
  recoveryOf,
  serverHolds,
  withoutAnswer,
  type SaveState,
} from '../../../../src/domain/files/saveMachine.ts';
import { backupName, backupsOf } from '../../../../src/domain/files/saveNames.ts';
import { hasOtherOwner, whyInPlace } from '../../../../src/domain/files/saveWay.ts';

/** Source: ssh.md 8.5. */
const replacing = [
  'kept',
  'resolved',
  'checked',
  'temp',
  'synced',
  'dressed',
  'backed',
  'swapping',
  'swapped',
  'confirmed',
] as const;
const inPlace = [
  'kept',
  'resolved',
  'checked',
  'inPlaceBacked',
  'inPlaceWriting',
  'inPlaceWritten',
  'inPlaceSynced',
  'confirmed',
] as const;

describe('the states of a save', () => {
  for (const [name, states] of [
    ['replacing a file', replacing],
    ['replacing it without a backup', replacing.filter((state) => state !== 'backed')],
    ['replacing it in two steps', [...replacing.slice(0, 8), 'aside', ...replacing.slice(8)]],
    ['writing in place', inPlace],
    ['turning to writing in place', ['temp', 'synced', 'checked', 'inPlaceBacked']],
    ['comparing again', ['backed', 'checked']],
  ] as const satisfies readonly (readonly [string, readonly SaveState[]])[])
    it(`lead through ${name}`, () => {
      assert.equal(
        [...states.slice(1)].reduce<SaveState>((from, to) => advance(from, to), states[0]),
        states.at(-1),
      );
    });

  for (const [from, to] of [
    ['kept', 'temp'],
    ['checked', 'swapping'],
    ['temp', 'swapping'],
    ['synced', 'swapping'],
    ['checked', 'inPlaceWriting'],
    ['inPlaceWriting', 'confirmed'],
    ['inPlaceWritten', 'confirmed'],
    ['swapping', 'confirmed'],
    ['swapped', 'swapping'],
    ['confirmed', 'kept'],
    ['unknown', 'confirmed'],
  ] as const)
    it(`do not lead from ${from} to ${to}`, () => {
      assert.throws(() => advance(from, to), RangeError);
    });

  it('say what the server holds, what to do about a failure, and what is known without an answer', () => {
    const all = new Set<SaveState>([...replacing, 'aside', ...inPlace, 'unknown']);
    assert.deepEqual(
      Object.fromEntries(
        [...all].map((state) => [
          state,
          [serverHolds(state), recoveryOf(state), withoutAnswer(state)].join(', '),
        ]),
      ),
      {
        kept: 'old, tidy, kept',
        resolved: 'old, tidy, resolved',
        checked: 'old, tidy, checked',
        temp: 'oldAndPart, tidy, temp',
        synced: 'oldAndPart, tidy, synced',
        dressed: 'oldAndPart, tidy, dressed',
        backed: 'oldAndPart, tidy, backed',
        swapping: 'oldOrNew, examine, unknown',
        aside: 'oldAside, nameBack, unknown',
        swapped: 'new, examine, unknown',
        inPlaceBacked: 'old, tidy, inPlaceBacked',
        inPlaceWriting: 'oldInBackup, writeBack, unknown',
        inPlaceWritten: 'oldInBackup, writeBack, unknown',
        inPlaceSynced: 'oldInBackup, examine, unknown',
        confirmed: 'new, examine, unknown',
        unknown: 'unknown, examine, unknown',
      },
    );
    for (const state of all) assert.equal(hasLeftOld(state), withoutAnswer(state) !== 'unknown', state);
  });
});

describe('the way of a save', () => {
  const plain = { mode: 0o100644, owner: { uid: 7, gid: 8 } };
  const one = { links: 1, hasAccessList: false, hasLabel: true };
  for (const [what, attributes, identity, because] of [
    ['a plain file with one name', plain, one, undefined],
    ['a file with two names', plain, { ...one, links: 2 }, 'links'],
    ['a file whose names nobody counts', plain, { ...one, links: undefined }, 'unknownLinks'],
    ['a file with an access list', plain, { ...one, hasAccessList: true }, 'accessList'],
    ['a file whose kind is not told', {}, one, 'notPlain'],
    ['a device', { mode: 0o020644 }, one, 'notPlain'],
  ] as const)
    it(`of ${what} is ${because === undefined ? 'to replace it' : `in place (${because})`}`, () => {
      assert.equal(whyInPlace(attributes, identity), because);
    });

  for (const [part, isOther] of [
    [{ owner: { uid: 7, gid: 1 } }, false],
    [{ owner: { uid: 0, gid: 8 } }, true],
    [{}, true],
  ] as const)
    it(`a new file with ${JSON.stringify(part)} belongs to ${isOther ? 'somebody else' : 'the same user'}`, () => {
      assert.equal(hasOtherOwner(plain, part), isOther);
    });
});

describe('names of backups', () => {
  const at = Date.UTC(2026, 11, 1, 2, 3, 4, 567);

  it('tell the file, the time and something random', () => {
    assert.equal(
      backupName('nginx.conf', { at, random: '0123456789ab' }),
      '.nginx.conf.20261201T020304567Z.0123456789ab.old',
    );
  });

  it('are recognised among others, the newest first', () => {
    const name = (file: string, hours: number): string =>
      backupName(file, { at: at + hours * 3_600_000, random: '0123456789ab' });
    const own = [name('a.b', 2), name('a.b', 0), name('a.b', 1)];
    const others = [
      'a.b',
      '.a.b.0123456789ab.old',
      '.a.b.0123456789ab.part',
      name('a', 3),
      name('b', 3),
      name('x.a.b', 3),
    ];
    assert.deepEqual(
      backupsOf('a.b', [...own, ...others]),
      [2, 1, 0].map((hours) => ({ entry: name('a.b', hours), at: at + hours * 3_600_000 })),
    );
  });

  for (const length of [180, 181, 200, 215, 216, 240, 255])
    it(`are those of one of two files with ${String(length)} bytes that begin alike`, () => {
      const stem = 'n'.repeat(length - 1);
      const name = (file: string): string => backupName(file, { at, random: '0123456789ab' });
      const entries = [name(`${stem}a`), name(`${stem}b`), name(stem)];
      assert.deepEqual(backupsOf(`${stem}a`, entries), [{ entry: name(`${stem}a`), at }]);
    });

  it('are names of every file', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (file) => {
        fc.pre(!/[\0/]/.test(file) && Buffer.byteLength(file) <= 255);
        const name = backupName(file, { at, random: '0123456789ab' });
        assert.ok(bytesOfText(name).length <= 255);
        assert.deepEqual(backupsOf(file, [name]), [{ entry: name, at }]);
      }),
    );
  });
});

describe('content that is half written', () => {
  it('is one of the two contents at every place, wherever it was stopped', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, bytes, fc.tuple(fc.nat(), fc.nat()), (old, next, [head, tail]) => {
        // What is behind the old end is written first, then what is in front of it.
        const found = Buffer.alloc(Math.max(old.length, next.length));
        found.set(old);
        const behind = next.subarray(old.length);
        const written = tail % (behind.length + 1);
        found.set(behind.subarray(0, written), old.length);
        if (written === behind.length)
          found.set(next.subarray(0, head % (Math.min(old.length, next.length) + 1)));
        const length = Math.max(old.length, Math.min(found.length, old.length + written));
        assert.ok(isMixedContent(found.subarray(0, length), old, next));
      }),
    );
  });

  const [old, next] = [Buffer.from('aaaa'), Buffer.from('bbbbbb')];
  for (const [what, found] of [
    ['another byte', 'aaxa'],
    ['more than both', 'bbbbbbb'],
    ['less than both', 'aaa'],
  ] as const)
    it(`is not what has ${what}`, () => {
      assert.equal(isMixedContent(Buffer.from(found), old, next), false);
    });
});
