import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRedactor } from '../../../../src/agentkit/redaction/createRedactor.ts';
import { KnownSecrets } from '../../../../src/agentkit/redaction/knownSecrets.ts';

function redactorFor(...values: readonly string[]) {
  const known = new KnownSecrets();
  const held = values.map((value) => known.add(Buffer.from(value, 'utf8')));
  return { known, held, redactor: createRedactor(known) };
}

describe('redaction of known values', () => {
  const value = 'p/w "ä"+1';
  const base64 = Buffer.from(value, 'utf8').toString('base64');
  for (const [form, reason] of [
    [value, 'as it is'],
    [base64, 'base64'],
    [base64.replace(/=+$/, ''), 'without padding'],
    [Buffer.from(value, 'utf8').toString('base64url'), 'URL-safe'],
    [encodeURIComponent(value), 'URL-encoded'],
    [encodeURIComponent(value).toLowerCase(), 'with small figures'],
    [encodeURIComponent(value).replaceAll('%20', '+'), 'as a form field'],
    [JSON.stringify(value).slice(1, -1), 'JSON-escaped'],
    [JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'), 'with escaped slashes'],
    [JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1), 'in JSON that stands in JSON'],
  ] as const)
    it(`finds it ${reason}`, () => {
      assert.equal(redactorFor(value).redactor.redact(`x ${form}, y`), 'x [redacted], y');
    });

  it('finds it inside a longer text in base64, at each alignment', () => {
    const { redactor } = redactorFor('hunter2hunter2');
    for (const user of ['a', 'ab', 'abc']) {
      const encoded = Buffer.from(`${user}:hunter2hunter2\n`, 'utf8').toString('base64');
      assert.match(redactor.redact(encoded), /^.{0,6}\[redacted\].{0,4}$/);
    }
  });

  for (const [values, text, expected, reason] of [
    [['abcde'], 'abcde', 'abcde', 'a value of five bytes is not known'],
    [['äöü'], 'xäöüx', 'x[redacted]x', 'bytes count, not characters'],
    [['abcdef'], 'ABCDEF', 'ABCDEF', 'case matters'],
    [['abcdef'], 'abcdefabcdef', '[redacted]', 'one mark for what touches'],
    [['abcdef', 'defghi'], 'xabcdefghix', 'x[redacted]x', 'one mark for what overlaps'],
    [['aaaaaa'], 'aaaaaaaab', '[redacted]b', 'overlaps with itself'],
    [['redacted'], '[redacted]', '[redacted]', 'a mark is never marked'],
    [['x[redacted]y12345'], 'x[redacted]y12345', 'x[redacted][redacted]', 'nor part of a value'],
    [['password'], 'password: hunter', '[redacted]: [redacted]', 'a value that is a key hides no value'],
    [['first line\nsecond line'], 'a second line\nb', 'a [redacted]\nb', 'each line of a value is known'],
    [['next_p'], 'next_page_token=abc', '[redacted]age_token=[redacted]', 'what a mark uncovers is found'],
  ] as const)
    it(`${JSON.stringify(values)} in ${JSON.stringify(text)} (${reason})`, () => {
      const { redactor } = redactorFor(...values);
      assert.equal(redactor.redact(text), expected);
      assert.equal(redactor.redact(expected), expected);
    });

  it('a PEM key that is known is found without its armour, and other keys still are', () => {
    const own = '-----BEGIN A KEY-----\nMIIown0123\n-----END A KEY-----';
    const { redactor } = redactorFor(own);
    assert.equal(redactor.redact('x MIIown0123'), 'x [redacted]');
    assert.equal(
      redactor.redact('-----BEGIN A KEY-----\nother\n-----END A KEY-----'),
      '[redacted]\n[redacted]\n[redacted]',
    );
  });

  it('a value is forgotten when its holder is disposed, unless another holds it too', () => {
    const { held, redactor } = redactorFor('hunter2', 'hunter2');
    held[0]?.dispose();
    assert.equal(redactor.redact('hunter2'), '[redacted]');
    held[1]?.dispose();
    assert.equal(redactor.redact('hunter2'), 'hunter2');
  });

  it('forgetting overwrites the bytes and leaves the caller its own', () => {
    const known = new KnownSecrets();
    const own = Buffer.from('hunter2', 'utf8');
    const held = known.add(own);
    const forms = [...known.forms()];
    assert.ok(forms.length > 0);
    held.dispose();
    assert.ok(forms.every((form) => form.every((byte) => byte === 0)));
    assert.equal(own.toString('utf8'), 'hunter2');
    assert.deepEqual([...known.forms()], []);
  });
});
