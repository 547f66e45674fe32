import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { createRedactor } from '../../../../src/agentkit/redaction/createRedactor.ts';
import { KnownSecrets } from '../../../../src/agentkit/redaction/knownSecrets.ts';

const known = new KnownSecrets();
for (const value of ['hunter2!', 'ab ab ab', 'päss-wörd']) known.add(Buffer.from(value, 'utf8'));
const redactor = createRedactor(known);

/** What is shown behind each piece. */
function shown(...pieces: readonly string[]): readonly string[] {
  const live = redactor.live();
  return [...pieces.map((piece) => live.push(piece)), live.end()];
}

describe('redaction of a text that is being written', function () {
  this.timeout(120_000);
  for (const [pieces, expected, reason] of [
    [
      ['The fox', ' is low', '.'],
      ['The fo', 'x is lo', 'w.', ''],
      'all but what may be a beginning is shown',
    ],
    [['你好', '，世界'], ['你好', '，世界', ''], 'also without blanks'],
    [['It is hun', 'ter2!', '.'], ['It is ', '', '', '[redacted].'], 'a known value never begins to show'],
    [['It is hun', 'gry.'], ['It is ', 'hungry.', ''], 'what turns out to be none is shown then'],
    [
      ['so: ab ab', ' ab', ' x', ' y'],
      ['so: ', '', '[redacted]', ' x', ' y'],
      'a known value may have blanks',
    ],
    [['so: p', 'äss-wörd', ' x'], ['so:', '', ' [redacted]', ' x'], 'and other letters'],
    [
      ['Set passw', 'ord=ab', 'c and', ' go\n', 'on'],
      ['Set', '', ' password=[redacted]', ' and go\n', 'on', ''],
      'behind a key whole words are shown',
    ],
    [
      ['See https://u:', 'p@h/x', ' or', ' so'],
      ['See', '', ' https://[redacted]@h/x', ' or', ' so'],
      'an address is shown when it is complete',
    ],
    [
      ['-----BEGIN A KEY-----\nMII', 'abc\n', '-----END A KEY-----\nok'],
      ['[redacted]\n', '[redacted]\n', '[redacted]\nok', ''],
      'a block is shown line by line',
    ],
  ] as const)
    it(`${JSON.stringify(pieces)}: ${reason}`, () => assert.deepEqual(shown(...pieces), expected));

  it('a line whose beginning turns out to belong to a block is shown no further', () => {
    assert.deepEqual(shown('-----BEGIN A ', 'KEY-----\nMIIabc\n-----END A KEY-----\nok'), [
      '-----BEGIN A',
      '\n[redacted]\n[redacted]\nok',
      '',
    ]);
  });

  it('a value that becomes known in the middle of a line is hidden from there on', () => {
    const late = new KnownSecrets();
    const live = createRedactor(late).live();
    const first = live.push('It is sesa');
    late.add(Buffer.from('sesame4711'));
    assert.ok(!(first + live.push('me4711 and') + live.push(' more') + live.end()).includes('4711'));
  });

  it('a long suspicious line goes out in steps, and is whole at its end', () => {
    const words = Array.from({ length: 4_000 }, (_, index) => `token ${String(index)} `);
    const live = redactor.live();
    const pieces = words.map((piece) => live.push(piece));
    assert.ok(pieces.filter((piece) => piece !== '').length > 100);
    assert.equal(pieces.join('') + live.end(), words.join(''));
  });

  const word = fc.constantFrom(
    ...['hunter2!', 'ab ', 'päss-wörd', 'password', 'token', 'Authorization', 'AKIAIOSFODNN7EXAMPLE'],
    ...['https://u:p@h', ':', '=', '"', '\n', ' ', ',', 'a', 'secret', '€', '😀', '-----BEGIN A-----'],
  );

  it('never shows a known value, whatever the text and wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (words, places) => {
          const whole = words.join('');
          const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
          const pieces = [...cuts, whole.length].map((cut, index) => whole.slice(cuts[index - 1] ?? 0, cut));
          const all = shown(...pieces)
            .join('')
            .replaceAll('[redacted]', '\u0000');
          for (const value of ['hunter2!', 'ab ab ab', 'päss-wörd'])
            assert.ok(!all.includes(value), `${JSON.stringify(pieces)} shows ${JSON.stringify(all)}`);
          assert.equal(all.split('\n').length, whole.split('\n').length, 'no line is lost');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('shows nothing that redaction would hide of a text without blocks, and nothing twice', () => {
    const plain = fc.array(fc.constantFrom('load ', 'is ', 'low', '. ', '\n', 'disk', 'a'), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(plain, (words) => {
        assert.equal(shown(...words).join(''), words.join(''));
      }),
    );
  });
});
