import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { bytesOfText, textOfBytes } from '../../../../src/domain/files/nameText.ts';
import { localName, type NameRules } from '../../../../src/domain/transfer/localName.ts';
import { isPartName, oldName, otherName, partName } from '../../../../src/domain/transfer/partName.ts';

describe('names on this machine', () => {
  const latin1 = textOfBytes(Buffer.from([0x66, 0xe9]));
  for (const [name, bytes, text, windows] of [
    ['file.txt', true, true, true],
    ['häuser und 数据', true, true, true],
    ['.hidden', true, true, true],
    ['-rf', true, true, true],
    ['two\nlines', true, true, false],
    ['a:b', true, true, false],
    ['a\\b', true, true, false],
    ['what?', true, true, false],
    ['ends with a dot.', true, true, false],
    ['ends with a blank ', true, true, false],
    ['CON', true, true, false],
    ['nul.txt', true, true, false],
    ['COM¹', true, true, false],
    ['console', true, true, true],
    [latin1, true, false, false],
    ['x'.repeat(255), true, true, true],
    ['x'.repeat(256), false, false, false],
    ['', false, false, false],
    ['.', false, false, false],
    ['..', false, false, false],
    ['../x', false, false, false],
    ['/etc/passwd', false, false, false],
    ['a\0b', false, false, false],
  ] as const)
    it(`${JSON.stringify(name).slice(0, 30)} can be held by: ${JSON.stringify({ bytes, text, windows })}`, () => {
      const can = (rules: NameRules): boolean => localName(name, rules) !== undefined;
      assert.deepEqual([can('bytes'), can('text'), can('windows')], [bytes, text, windows]);
    });

  it('a name that is given is the bytes that it spells', () => {
    assert.deepEqual(localName(latin1, 'bytes'), Buffer.from([0x66, 0xe9]));
  });
});

describe('names beside a target', () => {
  const random = '0123456789ab';
  const anyName = fc
    .uint8Array({ minLength: 1, maxLength: 255 })
    .map((bytes) => textOfBytes(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x61 : byte))));

  it('are said as the contract says', () => {
    assert.equal(partName('a.txt', random), '.a.txt.0123456789ab.part');
    assert.equal(oldName('a.txt', random), '.a.txt.0123456789ab.old');
    assert.equal(otherName('a.tar.gz', 2), 'a.tar (2).gz');
    assert.equal(otherName('.bashrc', 3), '.bashrc (3)');
  });

  it('fit, keep whole characters and are known again, whatever the name is', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        for (const beside of [partName(name, random), oldName(name, random)]) {
          assert.ok(bytesOfText(beside).length <= 255);
          assert.ok(isPartName(beside));
        }
        assert.ok(bytesOfText(otherName(name, 2)).length <= 255 || bytesOfText(name).length > 240);
      }),
    );
  });

  it('are two for two long names that begin alike', () => {
    const [one, two] = [partName(`${'n'.repeat(254)}1`, random), partName(`${'n'.repeat(254)}2`, random)];
    assert.notEqual(one, two);
  });

  for (const name of [
    'a.part',
    '.a.part',
    '.a.0123456789ab.part.txt',
    '.a.0123456789AB.part',
    'x.0123456789ab.part',
  ])
    it(`${name} is a file like any other`, () => assert.equal(isPartName(name), false));
});
