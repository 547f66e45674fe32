import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  chainStart,
  faultOfRow,
  hashOfRow,
  type ChainFault,
  type ChainRow,
} from '../../../../src/domain/operations/operationChain.ts';
import { sealed } from '../../../../src/infrastructure/store/operations/operationRows.ts';
import { connected } from '../../../contract/operations.ts';

/** A chain over facts that say anything. */
function chainOf(texts: readonly string[]): readonly ChainRow[] {
  const rows: ChainRow[] = [];
  for (const text of texts) rows.push(sealed(connected(1, 'h1', { text }), rows.at(-1) ?? chainStart));
  return rows;
}

/** The first fault of the rows when they are read from the beginning, as a verification does; the end that is known is part of it. */
function firstFault(rows: readonly ChainRow[], head: ChainRow | undefined): ChainFault | 'end' | undefined {
  let before: { readonly seq: number; readonly hash: string } = chainStart;
  for (const row of rows) {
    const fault = faultOfRow(before, row);
    if (fault !== undefined) return fault;
    before = row;
  }
  return before.seq === (head?.seq ?? 0) && before.hash === (head?.hash ?? chainStart.hash)
    ? undefined
    : 'end';
}

const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 12 });
const whole = texts.map(chainOf);
const withPlace = whole.chain((rows) =>
  fc.record({ rows: fc.constant(rows), at: fc.integer({ min: 0, max: rows.length - 1 }) }),
);

describe('the chain of operations', () => {
  it('finds nothing in what was written, whatever it says', () => {
    fc.assert(fc.property(whole, (rows) => firstFault(rows, rows.at(-1)) === undefined));
  });

  it('finds any single bit that changed in the text, the hash or the number of any row', () => {
    fc.assert(
      fc.property(withPlace, fc.nat(), fc.nat({ max: 2 }), ({ rows, at }, bit, column) => {
        const row = rows[at];
        assert.ok(row);
        const changed = [...rows];
        if (column === 0) changed[at] = { ...row, text: flipped(row.text, bit) };
        if (column === 1) changed[at] = { ...row, hash: flipped(row.hash, bit) };
        if (column === 2) changed[at] = { ...row, seq: row.seq ^ (1 << (bit % 30)) };
        return firstFault(changed, rows.at(-1)) !== undefined;
      }),
    );
  });

  it('names the row that changed', () => {
    fc.assert(
      fc.property(withPlace, fc.nat(), ({ rows, at }, bit) => {
        const row = rows[at];
        assert.ok(row);
        const changed = rows.with(at, { ...row, text: flipped(row.text, bit) });
        assert.deepEqual(firstFault(changed, rows.at(-1)), { k: 'changed', seq: row.seq });
      }),
    );
  });

  it('finds a row that was removed, wherever it was', () => {
    fc.assert(
      fc.property(withPlace, ({ rows, at }) => firstFault(rows.toSpliced(at, 1), rows.at(-1)) !== undefined),
    );
  });

  it('finds two rows that changed places, also with their numbers exchanged', () => {
    fc.assert(
      fc.property(withPlace, fc.boolean(), ({ rows, at }, isRenumbered) => {
        const [a, b] = [rows[at], rows[at + 1]];
        if (a === undefined || b === undefined) return true;
        const swapped = isRenumbered
          ? rows.with(at, { ...b, seq: a.seq }).with(at + 1, { ...a, seq: b.seq })
          : rows.with(at, b).with(at + 1, a);
        return firstFault(swapped, rows.at(-1)) !== undefined;
      }),
    );
  });

  it('finds a row that was put in between, also one that is sealed as if it belonged there', () => {
    fc.assert(
      fc.property(withPlace, fc.boolean(), ({ rows, at }, isSealed) => {
        const forged = sealed(connected(9, 'h1', { text: 'forged' }), rows[at - 1] ?? chainStart);
        const row = isSealed ? forged : { ...forged, hash: '0'.repeat(64) };
        return firstFault(rows.toSpliced(at, 0, row), rows.at(-1)) !== undefined;
      }),
    );
  });

  it('finds a text that was exchanged and sealed anew, by the row behind it or by the end', () => {
    fc.assert(
      fc.property(withPlace, ({ rows, at }) => {
        const row = sealed(connected(2, 'h1', { text: 'forged' }), rows[at - 1] ?? chainStart);
        return firstFault(rows.with(at, row), rows.at(-1)) !== undefined;
      }),
    );
  });

  it('gives two entries the same text only when they say the same: nothing runs into what stands beside it', () => {
    const facts = fc.dictionary(fc.string({ maxLength: 4 }), fc.string({ maxLength: 4 }), { maxKeys: 3 });
    fc.assert(
      fc.property(facts, facts, (a, b) => {
        const text = (of: Readonly<Record<string, string>>): string =>
          sealed(connected(1, 'h1', of), chainStart).text;
        const isSame = sortedText(a) === sortedText(b);
        return (text(a) === text(b)) === isSame;
      }),
    );
  });

  it('takes no row whose text has no number, another number or no JSON', () => {
    for (const text of ['{}', '{"seq":2,"previous":""}', 'null', '{"seq":1', '[1]'])
      assert.deepEqual(faultOfRow(chainStart, { seq: 1, text, hash: hashOfRow(text) }), {
        k: 'misnumbered',
        seq: 1,
      });
  });
});

function flipped(text: string, bit: number): string {
  const place = bit % text.length;
  const code = text.charCodeAt(place) ^ (1 << (bit % 7));
  return text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
}

function sortedText(facts: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
