import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { kindOf } from '../../../../src/domain/files/fileAttributes.ts';
import { modeOfOctal, octalMode, symbolicMode } from '../../../../src/domain/files/permissions.ts';

describe('modes of files', () => {
  for (const [mode, symbolic, octal, kind] of [
    [0o100644, '-rw-r--r--', '0644', 'file'],
    [0o040755, 'drwxr-xr-x', '0755', 'directory'],
    [0o041777, 'drwxrwxrwt', '1777', 'directory'],
    [0o120777, 'lrwxrwxrwx', '0777', 'symlink'],
    [0o104755, '-rwsr-xr-x', '4755', 'file'],
    [0o102644, '-rw-r-Sr--', '2644', 'file'],
    [0o010600, 'prw-------', '0600', 'other'],
    [0o140755, 'srwxr-xr-x', '0755', 'other'],
    [0o060660, 'brw-rw----', '0660', 'other'],
    [0o020666, 'crw-rw-rw-', '0666', 'other'],
    [0o000644, '?rw-r--r--', '0644', undefined],
  ] as const)
    it(`${mode.toString(8)} is ${symbolic}`, () => {
      assert.deepEqual([symbolicMode(mode), octalMode(mode), kindOf({ mode })], [symbolic, octal, kind]);
    });

  it('without a mode the kind is not known', () => assert.equal(kindOf({ size: 3 }), undefined));

  for (const [text, mode] of [
    ['0644', 0o644],
    ['7777', 0o7777],
    ['0', 0],
    ['10000', undefined],
    ['0o644', undefined],
    ['0888', undefined],
    ['', undefined],
    ['-644', undefined],
  ] as const)
    it(`the octal text ${JSON.stringify(text)} is ${mode === undefined ? 'refused' : 'read'}`, () =>
      assert.equal(modeOfOctal(text), mode));
});
