import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'mocha';
import {
  profileQuestion,
  readProfile,
  unknownProfile,
} from '../../../../src/application/exec/hostProfile.ts';

const mark = 'termind-feed';

function answer(...lines: readonly string[]): string {
  return [mark, ...lines, mark, ''].join('\n');
}

describe('the host profile', () => {
  it('is read from the full answer of a POSIX shell', () => {
    assert.deepEqual(readProfile(answer('bash', '/bin/bash', 'Linux', '/root', '42'), mark), {
      shellFamily: 'posix',
      loginShell: 'bash',
      os: 'Linux',
      home: '/root',
    });
  });

  it('names the shell that reads the command, not the one that the account claims', () => {
    assert.equal(readProfile(answer('-zsh', '/bin/bash', 'Darwin', '/u', '42'), mark).loginShell, 'zsh');
  });

  it('ignores what start-up files print around the answer', () => {
    const noisy = `Welcome!\n${answer('sh', '/bin/sh', 'Linux', '/root', '42')}bye\n`;
    assert.equal(readProfile(noisy, mark).shellFamily, 'posix');
  });

  for (const [stdout, reason] of [
    ['', 'no answer'],
    ["% Invalid input detected at '^' marker.", 'a network device'],
    [answer('fish', '/usr/bin/fish', 'Linux', '/root', '$((6*7))'), 'no arithmetic'],
    [answer('bash', '/bin/bash', 'Linux', '/root'), 'a line is missing'],
    [[mark, 'bash', '/bin/bash', 'Linux', '/root', '42', ''].join('\n'), 'no end mark'],
    [answer('bash', '/bin/bash', 'Linux', '/root', '42').replaceAll(mark, 'other'), 'a foreign mark'],
  ] as const)
    it(`is unknown: ${reason}`, () => {
      assert.deepEqual(readProfile(stdout, mark), unknownProfile);
    });

  it('leaves out values that are no plain text', () => {
    const profile = readProfile(answer('b\u0007ash', 'x y', 'Lin\u001bux', 'not/absolute', '42'), mark);
    assert.deepEqual(profile, { shellFamily: 'posix' });
  });

  for (const shell of ['/bin/sh', '/bin/bash'])
    it(`is answered by ${shell} here`, () => {
      const stdout = execFileSync(shell, ['-c', profileQuestion(mark)], {
        encoding: 'utf8',
        env: { ...process.env, SHELL: shell, HOME: '/root' },
      });
      assert.deepEqual(readProfile(stdout, mark), {
        shellFamily: 'posix',
        loginShell: shell.slice('/bin/'.length),
        os: 'Linux',
        home: '/root',
      });
    });
});
