import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AgentError } from '../../../../src/agentkit/agentError.ts';
import { childPath, scratchFolderPath, scratchPath } from '../../../../src/agentkit/scratch/scratchPath.ts';

describe('S5: scratch paths', () => {
  for (const [text, path, reason] of [
    ['a.txt', 'a.txt', 'a plain name'],
    ['a/b/c', 'a/b/c', 'folders'],
    ['./a//b/.', 'a/b', 'dots and doubled slashes collapse'],
    ['.hidden', '.hidden', 'a hidden file'],
    ['a/~b', 'a/~b', 'a tilde inside'],
    ['cafe\u0301', 'caf\u00e9', 'NFC'],
    ['console/com10/nul2', 'console/com10/nul2', 'names that only look like devices'],
    ['1/2/3/4/5/6/7/8', '1/2/3/4/5/6/7/8', 'eight components'],
    ['x'.repeat(255), 'x'.repeat(255), 'a component of 255 bytes'],
  ] as const)
    it(`${JSON.stringify(text).slice(0, 40)} is allowed (${reason})`, () => {
      assert.equal(scratchPath(text), path);
    });

  for (const [text, reason] of [
    ['', 'it is empty'],
    ['.', 'it is the root'],
    ['./', 'it is the root'],
    ['/', 'it is absolute; paths are relative to scratch'],
    ['/etc/passwd', 'it is absolute; paths are relative to scratch'],
    ['~/a', 'it starts with ~'],
    ['..', 'it contains ..'],
    ['a/../b', 'it contains ..'],
    ['a\\b', 'it contains "\\\\"'],
    ['C:x', 'it contains ":"'],
    ['a:stream', 'it contains ":"'],
    ['a\0b', 'it contains "\\u0000"'],
    ['a\nb', 'it contains "\\n"'],
    ['a\rb', 'it contains "\\r"'],
    ['a\u0085b', 'it contains "\u0085"'],
    ...Array.from('<>"|?*').map(
      (character) => [`a${character}`, `it contains ${JSON.stringify(character)}`] as const,
    ),
    ['x.', 'a component ends in a dot or a space'],
    ['x ', 'a component ends in a dot or a space'],
    ['.../x', 'a component ends in a dot or a space'],
    ['NUL', 'NUL is a device name'],
    ['NUL.txt', 'NUL.txt is a device name'],
    ['a/con', 'con is a device name'],
    ['aux.tar.gz', 'aux.tar.gz is a device name'],
    ['COM1', 'COM1 is a device name'],
    ['lpt9.log', 'lpt9.log is a device name'],
    ['COM².x', 'COM².x is a device name'],
    ['prn .txt', 'prn .txt is a device name'],
    ['\ud800', 'it is not valid Unicode'],
    ['1/2/3/4/5/6/7/8/9', 'it has more than 8 components'],
    ['€'.repeat(86), 'a component has more than 255 bytes'],
    [Array.from({ length: 5 }, () => 'x'.repeat(250)).join('/'), 'it has more than 1024 bytes'],
  ] as const)
    it(`${JSON.stringify(text).slice(0, 40)} is refused (${reason})`, () => {
      assert.throws(
        () => scratchPath(text),
        (error) => error instanceof AgentError && error.message === `The scratch path is refused: ${reason}.`,
      );
    });

  it('the root is a folder and no file', () => {
    assert.deepEqual([scratchFolderPath(''), scratchFolderPath('.'), scratchFolderPath('./')], ['', '', '']);
  });

  it('a name from the file system becomes a path only when a path can name it', () => {
    const folder = scratchPath('f');
    assert.deepEqual(
      ['a', 'a:b', 'NUL', 'x.', '..'].map((name) => childPath(folder, name)),
      ['f/a', undefined, undefined, undefined, undefined],
    );
  });
});
