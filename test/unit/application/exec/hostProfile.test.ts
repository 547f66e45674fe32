import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import {
  profileQuestion,
  readProfile,
  unknownProfile,
  type HostProfile,
} from '../../../../src/application/exec/hostProfile.ts';

const mark = 'termind-feed';

function answer(...lines: readonly string[]): string {
  return [mark, ...lines, mark, ''].join('\n');
}

function readPosix(stdout: string, of: string): HostProfile {
  return readProfile({ stdout, stderr: '' }, of);
}

describe('the host profile', () => {
  it('is read from the full answer of a POSIX shell', () => {
    assert.deepEqual(readPosix(answer('bash', '/bin/bash', 'Linux', '/root', '42'), mark), {
      shellFamily: 'posix',
      loginShell: 'bash',
      os: 'Linux',
      home: '/root',
    });
  });

  it('names the shell that reads the command, not the one that the account claims', () => {
    assert.equal(readPosix(answer('-zsh', '/bin/bash', 'Darwin', '/u', '42'), mark).loginShell, 'zsh');
  });

  it('ignores what start-up files print around the answer', () => {
    const noisy = `Welcome!\n${answer('sh', '/bin/sh', 'Linux', '/root', '42')}bye\n`;
    assert.equal(readPosix(noisy, mark).shellFamily, 'posix');
  });

  for (const [stdout, reason] of [
    ['', 'no answer'],
    ['Unknown command', 'words that anybody may say'],
    ['Invalid credentials', 'no refusal of a command'],
    ['1) eins\n2) zwei\n', 'a numbered list that asks for nothing'],
    [answer('fish', '/usr/bin/fish', 'Linux', '/root', '$((6*7))'), 'no arithmetic'],
    [answer('bash', '/bin/bash', 'Linux', '/root'), 'a line is missing'],
    [[mark, 'bash', '/bin/bash', 'Linux', '/root', '42', ''].join('\n'), 'no end mark'],
    [answer('bash', '/bin/bash', 'Linux', '/root', '42').replaceAll(mark, 'other'), 'a foreign mark'],
  ] as const)
    it(`is unknown: ${reason}`, () => {
      assert.deepEqual(readPosix(stdout, mark), unknownProfile);
    });

  for (const [family, answer, device] of [
    [
      'powershell',
      "printf : The term 'printf' is not recognized as the name of a cmdlet, function",
      'Windows PowerShell',
    ],
    [
      'powershell',
      "printf: The term 'printf' is not recognized as a name of a cmdlet, function",
      'PowerShell 7',
    ],
    ['cmd', "'printf' is not recognized as an internal or external command,\r\noperable program", 'cmd.exe'],
    ['network-cli', "               ^\n% Invalid input detected at '^' marker.\n", 'IOS'],
    ['network-cli', '% Unknown command or computer name', 'an older IOS'],
    ['network-cli', '      ^\nsyntax error, expecting <command>.\n', 'JunOS'],
    ['network-cli', "Error: Unrecognized command found at '^' position.", 'VRP'],
    ['network-cli', 'bad command name printf (line 1 column 1)', 'RouterOS'],
    ['network-cli', 'Unknown action 0\n', 'FortiOS'],
    ['network-cli', 'Invalid input: printf', 'ProCurve'],
    ['menu', 'Welcome\n 1) Status\n 2) Reboot\nSelect an option:', 'a menu'],
    ['menu', '[1] Status\n[2] Shell\nYour choice: ', 'another menu'],
  ] as const)
    for (const stream of ['stdout', 'stderr'] as const)
      it(`is ${family} by the words of ${device} on ${stream}`, () => {
        const silent = { stdout: '', stderr: '' };
        assert.deepEqual(readProfile({ ...silent, [stream]: answer }, mark), { shellFamily: family });
      });

  it('is posix by its answer, whatever a start-up file says beside it', () => {
    const stderr = "'x' is not recognized as an internal or external command";
    const profile = readProfile({ stdout: answer('sh', '/bin/sh', 'Linux', '/root', '42'), stderr }, mark);
    assert.equal(profile.shellFamily, 'posix');
  });

  it('leaves out values that are no plain text', () => {
    const profile = readPosix(answer('b\u0007ash', 'x y', 'Lin\u001bux', 'not/absolute', '42'), mark);
    assert.deepEqual(profile, { shellFamily: 'posix' });
  });

  for (const [system, os] of [
    ['Linux ', 'Linux'],
    ['Linux /bin/busybox', 'Linux (busybox)'],
    ['Linux /usr/bin/toybox', 'Linux (toybox)'],
    ['Linux ../lib/x/ls', 'Linux'],
  ] as const)
    it(`${JSON.stringify(system)} is ${os}`, () => {
      assert.equal(readPosix(answer('sh', '/bin/sh', system, '/root', '42'), mark).os, os);
    });

  it('asks where ls leads', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'termind-busybox-'));
    try {
      writeFileSync(path.join(folder, 'busybox'), '#!/bin/sh\n', { mode: 0o755 });
      symlinkSync('busybox', path.join(folder, 'ls'));
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
      const stdout = execFileSync('/bin/sh', ['-c', profileQuestion(mark)], { encoding: 'utf8', env });
      assert.equal(readPosix(stdout, mark).os, 'Linux (busybox)');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const shell of ['/bin/sh', '/bin/bash'])
    it(`is answered by ${shell} here`, () => {
      const stdout = execFileSync(shell, ['-c', profileQuestion(mark)], {
        encoding: 'utf8',
        env: { ...process.env, SHELL: shell, HOME: '/root' },
      });
      assert.deepEqual(readPosix(stdout, mark), {
        shellFamily: 'posix',
        loginShell: shell.slice('/bin/'.length),
        os: 'Linux',
        home: '/root',
      });
    });
});
