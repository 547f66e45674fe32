import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { createRedactor } from '../../../../src/agentkit/redaction/createRedactor.ts';
import { KnownSecrets } from '../../../../src/agentkit/redaction/knownSecrets.ts';
import type { Redactor } from '../../../../src/agentkit/redactor.ts';
import { printedForms } from '../../../support/canaries.ts';

const known = new KnownSecrets();
for (const value of ['hunter2!', 'next_p', 'ab ab ab', 'x"y\\z/1', 'päss-wörd'])
  known.add(Buffer.from(value, 'utf8'));
const redactor = createRedactor(known);

const part = fc.constantFrom(
  ...[
    'hunter2!',
    'next_page_token',
    'ab ',
    'x"y\\z/1',
    'päss-wörd',
    'password',
    'token',
    'Authorization',
    'Cookie',
  ],
  ...[
    '-----BEGIN A-----',
    '-----END A-----',
    'AKIAIOSFODNN7EXAMPLE',
    'https://u:p@h',
    'sk-a1b2c3d4e5f6g7h8',
    '[redacted]',
  ],
  ...[
    ':',
    '=',
    ': ',
    '"',
    "'",
    '\\',
    '\n',
    '\r\n',
    ' ',
    ',',
    ';',
    '{',
    '}',
    '[',
    ']',
    'a',
    'secret',
    '€',
    '😀',
  ],
);
const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));

function streamed(pieces: readonly string[], by: Redactor = redactor): string {
  const stream = by.stream();
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end();
}

function cutAt(whole: string, places: readonly number[]): readonly string[] {
  const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [...cuts, whole.length].map((cut, index) => whole.slice(cuts[index - 1] ?? 0, cut));
}

describe('redaction, whatever the text', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const once = redactor.redact(whole);
        assert.equal(redactor.redact(once), once);
      }),
      { numRuns: 3_000 },
    );
  });

  it('keeps the number of lines and every CR in front of an LF', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const ends = (value: string): readonly boolean[] =>
          value.split('\n').map((line) => line.endsWith('\r'));
        assert.deepEqual(ends(redactor.redact(whole)), ends(whole));
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves no known value', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const left = redactor.redact(whole).replaceAll('[redacted]', '\n');
        for (const value of ['hunter2!', 'x"y\\z/1', 'päss-wörd']) assert.ok(!left.includes(value));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a stream gives the same, however it is cut', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 6 }), (whole, places) => {
        assert.equal(streamed(cutAt(whole, places)), redactor.redact(whole));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a JSON value stays of its shape and is idempotent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = redactor.redactJson(value);
        assert.deepEqual(redactor.redactJson(once), once);
      }),
    );
  });
});

describe('a known value in any form', function () {
  this.timeout(120_000);
  /** Longer than what is known at all, in its shortest form too, and without line feeds. */
  const value = fc
    .string({
      unit: fc.constantFrom(...Array.from('abcXYZ019 "\\/+?&=%:\'ä€😀')),
      minLength: 8,
      maxLength: 40,
    })
    .filter((text) => !/^\s|\s$/.test(text));
  const around = fc.constantFrom('', 'a', ' so ', '{"x":"', '"}', 'x=', '\n', 'lorem ipsum ');

  it('comes out of no stream, wherever it stands and wherever the stream is cut', () => {
    fc.assert(
      fc.property(
        value,
        fc.array(fc.tuple(fc.nat(), around), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (secret, places, cuts) => {
          const values = new KnownSecrets();
          values.add(Buffer.from(secret, 'utf8'));
          const own = createRedactor(values);
          const forms = printedForms(secret);
          const whole = places.map(([at, before]) => before + (forms[at % forms.length] ?? '')).join(' ');
          const shown = streamed(cutAt(whole, cuts), own);
          assert.equal(shown, own.redact(whole), 'a stream gives the same');
          assert.equal(own.redact(shown), shown, 'and it is idempotent');
          const left = shown.replaceAll('[redacted]', '\u0000');
          for (const form of forms)
            assert.ok(!left.includes(form), `${JSON.stringify(form)} in ${JSON.stringify(left)}`);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is hidden around the 64 KiB that are held of one line, and reads the same at every cut', () => {
    const secret = 'p/w "ä"+1 and more';
    const values = new KnownSecrets();
    values.add(Buffer.from(secret, 'utf8'));
    const own = createRedactor(values);
    const forms = printedForms(secret);
    /** Where parts of a long line end, and the ends of what is held. */
    const bounds = fc.constantFrom(49_152, 65_536, 98_304, 114_688, 131_072);
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        fc.tuple(bounds, fc.integer({ min: -60, max: 20 })),
        fc.array(fc.nat(), { maxLength: 4 }),
        (form, [bound, offset], cuts) => {
          const whole = `${'lorem ipsum '.repeat(12_000).slice(0, bound + offset)}${form}${'dolor sit '.repeat(9_000)}\nnext`;
          const shown = streamed(cutAt(whole, cuts), own);
          assert.ok(shown === streamed([whole], own), 'reads the same');
          assert.ok(!shown.includes(form), `${form} at ${String(bound + offset)}`);
          assert.ok(shown.endsWith('\nnext'));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('redaction of a stream', () => {
  it('gives a line away when it is complete', () => {
    const stream = redactor.stream();
    assert.equal(stream.push('a hunt'), '');
    assert.equal(stream.push('er2!\nb\nc'), 'a [redacted]\nb\n');
    assert.equal(stream.end(), 'c');
  });

  it('a look at an unfinished line holds back what may become a known value, and changes nothing', () => {
    const stream = redactor.stream();
    stream.push('first\npassword=a [y/N] hunter');
    assert.equal(stream.peek(), 'password=[redacted] [y/N] ');
    stream.push('2');
    assert.equal(stream.peek(), 'password=[redacted] [y/N] ');
    stream.push('q');
    assert.equal(stream.peek(), 'password=[redacted] [y/N] hunter2q');
    assert.equal(stream.push('\n'), 'password=[redacted] [y/N] hunter2q\n');
  });

  it('a look never uncovers the end of a value that overlaps with the start of another', () => {
    const two = new KnownSecrets();
    two.add(Buffer.from('secondabc'));
    two.add(Buffer.from('abcthird!'));
    const stream = createRedactor(two).stream();
    stream.push('x secondabc');
    assert.equal(stream.peek(), 'x [redacted]');
  });

  it('a look inside a PEM block shows a mark and leaves the block open', () => {
    const stream = redactor.stream();
    assert.equal(stream.push('-----BEGIN A-----\nMII'), '[redacted]\n');
    assert.equal(stream.peek(), '[redacted]');
    assert.equal(stream.push('abc\nMIIdef\n'), '[redacted]\n[redacted]\n');
  });

  describe('a line above the carry', () => {
    const value = 'hunter2!';
    const filler = (length: number): string => 'lorem ipsum '.repeat(Math.ceil(length / 12)).slice(0, length);

    it('goes out in parts', () => {
      const stream = redactor.stream();
      const shown = stream.push(filler(70_000));
      assert.ok(shown.length > 40_000 && filler(70_000).startsWith(shown));
      assert.equal(shown + stream.push('\nnext\n'), `${filler(70_000)}\nnext\n`);
    });

    it('hides a known value wherever a part ends', () => {
      for (const offset of [49_140, 49_152, 49_155, 65_530, 65_536, 98_300]) {
        const whole = `${filler(offset)}${value}${filler(90_000)}\nz`;
        assert.equal(streamed([whole]), `${filler(offset)}[redacted]${filler(90_000)}\nz`, `at ${offset}`);
      }
    });

    it('hides a value whose key went out with the part before', () => {
      for (const offset of [49_130, 49_143, 49_151]) {
        const whole = `${filler(offset)} password="abc def" ${filler(60_000)}\n`;
        assert.equal(streamed([whole]), redactor.redact(whole), `at ${offset}`);
      }
    });

    it('reads the same at every cut', () => {
      const whole = `${filler(49_150)} password=abc ${value}${filler(40_000)} token: x\r\n-----BEGIN A-----\n${filler(70_000)}\nb\n`;
      const expected = streamed([whole]);
      for (const cut of [1, 49_149, 49_155, 65_535, 65_536, 65_537, 89_200, whole.length - 3])
        assert.ok(streamed([whole.slice(0, cut), whole.slice(cut)]) === expected, `cut at ${cut}`);
      assert.equal(expected.split('\n').length, whole.split('\n').length);
      assert.ok(expected.endsWith('\n[redacted]\n[redacted]\n[redacted]\n'));
    });

    it('a value that fills a part is hidden to the end of its line', () => {
      const whole = `a password="${'v'.repeat(200_000)}" b\nnext\n`;
      assert.match(streamed([whole]), /^a password="\[redacted\]\nnext\n$/);
    });

    it('a character outside the basic plane is never cut in half', () => {
      const stream = redactor.stream();
      const shown = stream.push('😀'.repeat(40_000));
      assert.ok(shown.length > 0 && Buffer.from(shown, 'utf8').toString('utf8') === shown);
    });
  });
});
