import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { parse } from 'unbash';
import { proveReadOnly, type CommandQuestion } from '../../../../src/domain/shell/proveReadOnly.ts';
import { accepted, asked } from './corpus.ts';
import { everyday } from './everyday.ts';
import { refusedForms } from './refusedForms.ts';

const onLinux = (command: string): CommandQuestion => ({
  command,
  cwd: undefined,
  hasEnvironment: false,
  hasInput: false,
  loginShell: 'bash',
  os: 'Linux',
});

describe('command proof', () => {
  for (const line of accepted)
    it(`proves: ${line}`, () => {
      assert.deepEqual(
        { line, verdict: proveReadOnly(onLinux(line)).proof },
        { line, verdict: 'readOnly' },
        JSON.stringify(proveReadOnly(onLinux(line))),
      );
    });

  for (const [line, reason] of asked)
    it(`asks: ${JSON.stringify(line.slice(0, 80))} (${reason})`, () => {
      const verdict = proveReadOnly(onLinux(line));
      assert.match(verdict.proof === 'none' ? verdict.reason : 'proven', /^[^\n]{3,300}\.$/);
    });

  for (const [program, lines] of Object.entries(refusedForms))
    it(`asks for every form of ${program} that may act`, () => {
      for (const line of lines) {
        const verdict = proveReadOnly(onLinux(line));
        assert.match(verdict.proof === 'none' ? verdict.reason : `proven: ${line}`, /^[^]{3,600}\.$/);
      }
    });

  it('proves at least nine of ten everyday lines that change nothing', () => {
    const lines = Object.values(everyday).flatMap((text) => text.trim().split('\n'));
    const missed = lines.filter((line) => proveReadOnly(onLinux(line)).proof === 'none');
    assert.ok(lines.length >= 500, `${lines.length} lines`);
    assert.ok(
      missed.length <= lines.length / 10,
      `${lines.length - missed.length} of ${lines.length} are proven; not: ${missed.join('\n')}`,
    );
  });

  it('says what is wrong in words for the card', () => {
    assert.deepEqual(proveReadOnly(onLinux('df -h && rm -r /srv')), {
      proof: 'none',
      reason: 'rm deletes files.',
    });
    assert.deepEqual(proveReadOnly(onLinux('sort -o x y')), {
      proof: 'none',
      reason: 'sort -o writes a file.',
    });
    assert.deepEqual(proveReadOnly(onLinux('cat $FILE')), {
      proof: 'none',
      reason: 'What $FILE becomes is not known before it runs.',
    });
    assert.deepEqual(proveReadOnly(onLinux('echo "$(date; rm x)"')), {
      proof: 'none',
      reason: 'rm deletes files.',
    });
    assert.deepEqual(proveReadOnly(onLinux('for i in a b; do systemctl restart $i; done')), {
      proof: 'none',
      reason: 'systemctl restart changes services.',
    });
  });

  it('carries its evidence: every program with its words', () => {
    assert.deepEqual(proveReadOnly(onLinux("cd /var && du -sh 'a b' | sort -h")), {
      proof: 'readOnly',
      commands: [
        { program: 'cd', arguments: ['/var'] },
        { program: 'du', arguments: ['-sh', 'a b'] },
        { program: 'sort', arguments: ['-h'] },
      ],
    });
  });

  for (const loginShell of [undefined, 'zsh', 'fish', 'ksh', 'tcsh', 'pwsh', 'nologin'])
    it(`asks under the login shell ${loginShell ?? 'that is not known'}`, () => {
      assert.equal(proveReadOnly({ ...onLinux('df -h'), loginShell }).proof, 'none');
    });

  for (const loginShell of ['sh', 'bash', 'dash'])
    it(`proves under the login shell ${loginShell}`, () => {
      assert.equal(proveReadOnly({ ...onLinux('df -h'), loginShell }).proof, 'readOnly');
    });

  it('asks for a Linux program where the system is another or not known', () => {
    assert.equal(proveReadOnly({ ...onLinux('df -h'), os: 'FreeBSD' }).proof, 'none');
    assert.equal(proveReadOnly({ ...onLinux('df -h'), os: undefined }).proof, 'none');
    assert.equal(proveReadOnly({ ...onLinux('pwd'), os: 'Darwin' }).proof, 'readOnly');
  });

  it('asks when the command is given variables or input', () => {
    assert.equal(proveReadOnly({ ...onLinux('df -h'), hasEnvironment: true }).proof, 'none');
    assert.equal(proveReadOnly({ ...onLinux('df -h'), hasInput: true }).proof, 'none');
  });

  it('judges relative paths by the folder of the call', () => {
    assert.equal(proveReadOnly({ ...onLinux('cat watchdog'), cwd: '/dev' }).proof, 'none');
    assert.equal(proveReadOnly({ ...onLinux('cat ../dev/watchdog'), cwd: '/srv' }).proof, 'none');
    assert.equal(proveReadOnly({ ...onLinux('cat app.log'), cwd: '/srv/log' }).proof, 'readOnly');
    assert.equal(proveReadOnly({ ...onLinux('cat ../app.log'), cwd: '/srv/log' }).proof, 'none');
    for (const command of [
      'cat dev/watchdog',
      'cat -- */*',
      'cat d*/watchdog',
      'cd . ; cat dev/watchdog',
      '(cd /tmp); cat dev/watchdog',
      'cd /nowhere || cat dev/watchdog',
      'cd /tmp | cat dev/watchdog',
      'cat ~+/dev/watchdog',
      'grep -r x .',
    ])
      assert.equal(proveReadOnly({ ...onLinux(command), cwd: '/' }).proof, 'none', command);
  });

  it('does not know where a folder with a parent step is', () => {
    assert.equal(proveReadOnly({ ...onLinux('cat watchdog'), cwd: '/var/run/../dev' }).proof, 'none');
    assert.equal(proveReadOnly({ ...onLinux('cat watchdog'), cwd: '~sys' }).proof, 'none');
    assert.equal(proveReadOnly({ ...onLinux('cat watchdog'), cwd: 'dev' }).proof, 'none');
  });

  it('knows that cd without a folder leads home, whatever its options', () => {
    for (const command of ['cd; cat dev/watchdog', 'cd -P; cat dev/watchdog', 'cd --; cat dev/watchdog'])
      assert.equal(proveReadOnly({ ...onLinux(command), cwd: '/srv' }).proof, 'none', command);
  });

  it('writes loops, branches and substitutions out into the commands they run', () => {
    assert.deepEqual(
      proveReadOnly(onLinux('for s in a b; do echo "$s: $(systemctl is-active $s)"; done; ls "$HOME"/{x,y}')),
      {
        proof: 'readOnly',
        commands: [
          { program: 'systemctl', arguments: ['is-active', 'a'] },
          { program: 'echo', arguments: ['a: $(systemctl is-active $s)'] },
          { program: 'systemctl', arguments: ['is-active', 'b'] },
          { program: 'echo', arguments: ['b: $(systemctl is-active $s)'] },
          { program: 'ls', arguments: ['~/x', '~/y'] },
        ],
      },
    );
  });

  it('reads braces and &> as bash does only where bash reads them', () => {
    for (const command of ['ls /srv/{a,b}', 'ls /srv &>/dev/null'])
      for (const [loginShell, proof] of [
        ['bash', 'readOnly'],
        ['dash', 'none'],
        ['sh', 'none'],
      ] as const)
        assert.equal(
          proveReadOnly({ ...onLinux(command), loginShell }).proof,
          proof,
          `${loginShell}: ${command}`,
        );
  });

  for (const tail of [
    ' > x',
    '; rm x',
    ' && rm x',
    ' | sh',
    ' $(rm x)',
    ' "$(rm x)"',
    '; for i in rm; do $i x; done',
    '; if ls; then rm x; fi',
    ' `rm x`',
    ' <<< x',
    ' &',
    '\nrm x',
    ' > x 2>&1',
  ])
    it(`never proves a proven command with ${JSON.stringify(tail)} behind it`, () => {
      for (const line of accepted) {
        if (line.includes('#')) continue;
        assert.equal(proveReadOnly(onLinux(line + tail)).proof, 'none', line + tail);
      }
    });

  it('never proves what the parser reports an error for', () => {
    const pieces = fc.constantFrom(
      'df',
      ' ',
      '-h',
      '|',
      '&&',
      ';',
      '(',
      ')',
      '{',
      '}',
      "'",
      '"',
      '`',
      '$(',
      '$',
      '<',
      '>',
      '<<',
      '\n',
      '#',
      'ls',
      '\\',
      '*',
      '[',
      ']',
      '!',
      '&',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const line = parts.join('');
        const hasErrors = (parse(line).errors ?? []).length > 0;
        if (hasErrors) assert.equal(proveReadOnly(onLinux(line)).proof, 'none', line);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (line) => {
        proveReadOnly(onLinux(line));
      }),
      { numRuns: 3_000 },
    );
  });
});
