import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import fc from 'fast-check';
import { withPosixPrelude } from '../../../src/application/exec/prelude.ts';
import { execRunInput } from '../../../src/application/tools/execInput.ts';
import { sshExecRun } from '../../../src/application/tools/sshExecRun.ts';
import { withSudoPrompt } from '../../../src/domain/shell/sudoCommand.ts';
import { skipBecause } from '../../skip.ts';

/** Runs when a shell reads any part of an argument as its own language. */
const attack = 'touch "$CANARY"';
const piece = fc.constantFrom(
  ...["'", '"', '\\', '`', '$', '$(', ')', '${', '}', ';', '&', '&&', '|', '||', '\n', '\r', '\t', ' '],
  ...['>', '<', '<<x', '#', '!', '~', '*', '?', '[', ']', '-', '--', '-n', '=', '%', '^', 'a', 'é', '\0'],
  ...[
    attack,
    `$(${attack})`,
    `\`${attack}\``,
    `;${attack};`,
    `'${attack}'`,
    `\n${attack}\n`,
    `"; ${attack}; "`,
  ],
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('A', '_x9', 'LONG_NAME') },
  text,
  fc.tuple(fc.constantFrom('A', 'B'), text).map(([start, rest]) => start + rest),
);
const folder = fc.array(text, { minLength: 1, maxLength: 3 }).map((parts) => `/nowhere/${parts.join('/')}`);

const tool = sshExecRun();
const mark = `termind-${'0'.repeat(32)}`;

for (const shell of ['/bin/sh', '/bin/bash', '/bin/dash'])
  describe(`S7: no argument of a tool is read by a shell: ${shell}`, function () {
    this.timeout(300_000);
    let root: string;
    let bin: string;
    before(function () {
      if (!existsSync(shell)) skipBecause(this, `there is no ${shell}`);
      root = mkdtempSync(path.join(tmpdir(), 'termind-arguments-'));
      bin = path.join(root, 'bin');
      mkdirSync(bin);
      // What an attack would reach, and nothing else.
      symlinkSync('/usr/bin/touch', path.join(bin, 'touch'));
    });
    after(() => rmSync(root, { recursive: true, force: true }));

    /** What the line printed, and whether something in it ran that was no part of the command. */
    function run(
      line: string,
      input = '',
    ): { readonly printed: readonly string[]; readonly isTouched: boolean } {
      const work = mkdtempSync(path.join(root, 'work-'));
      const canary = path.join(work, 'canary');
      const { stdout } = spawnSync(shell, ['-c', line], {
        cwd: work,
        input,
        env: { PATH: bin, HOME: work, CANARY: canary },
        timeout: 60_000,
      });
      const isTouched = readdirSync(work).length > 0;
      rmSync(work, { recursive: true });
      return { printed: stdout.toString('utf8').split('\0').slice(0, -1), isTouched };
    }

    it('variables arrive byte for byte, and what cannot is refused before', () => {
      let accepted = 0;
      fc.assert(
        fc.property(fc.array(fc.record({ name, value: text }), { minLength: 1, maxLength: 4 }), (env) => {
          const checked = tool.validate({ host_id: 'h', command: 'x', env });
          const isClean = env.every(
            (one) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(one.name) && !one.value.includes('\0'),
          );
          assert.equal(checked.ok, isClean, JSON.stringify(env));
          if (!isClean) return;
          accepted += 1;
          const shown = env.map((one) => `"$${one.name}"`).join(' ');
          const command = `printf '%s\\0' ${shown}`;
          const line = withPosixPrelude({ command, cwd: undefined, env }, mark);
          const last = new Map(env.map((one) => [one.name, one.value]));
          assert.deepEqual(run(line), {
            printed: env.map((one) => last.get(one.name)),
            isTouched: false,
          });
        }),
        { numRuns: 200 },
      );
      assert.ok(accepted > 20, 'some of them reached the shell');
    });

    it('a folder is entered as it is named, or nothing runs', () => {
      let accepted = 0;
      fc.assert(
        fc.property(folder, (cwd) => {
          const parsed = execRunInput.safeParse({ host_id: 'h', command: 'x', cwd });
          const parts = cwd.slice(1).split('/');
          const isClean =
            !/[\0\r\n]/.test(cwd) && parts.every((part) => part !== '' && part !== '.' && part !== '..');
          assert.equal(parsed.success, isClean, JSON.stringify(cwd));
          if (!isClean) return;
          accepted += 1;
          // Nothing of that name is there, so the command behind it must not run either.
          const line = withPosixPrelude({ command: `printf 'ran\\0'`, cwd, env: [] }, mark);
          assert.deepEqual(run(line), { printed: [], isTouched: false });
        }),
        { numRuns: 200 },
      );
      assert.ok(accepted > 20, 'some of them reached the shell');
    });

    it('a folder of any name is entered, and nothing of its name is read', () => {
      const here = path.join(root, 'folders');
      let entered = 0;
      fc.assert(
        fc.property(text, (folderName) => {
          const cwd = path.posix.join(here, folderName);
          if (
            path.posix.dirname(cwd) !== here ||
            !execRunInput.safeParse({ host_id: 'h', command: 'x', cwd }).success
          )
            return;
          entered += 1;
          mkdirSync(cwd, { recursive: true });
          const line = withPosixPrelude({ command: `printf '%s\\0' "$PWD"`, cwd, env: [] }, mark);
          assert.deepEqual(run(line), { printed: [cwd], isTouched: false });
          assert.deepEqual(readdirSync(cwd), []);
        }),
        { numRuns: 80 },
      );
      assert.ok(entered > 8, 'some of them were entered');
    });

    it('input is input', () => {
      fc.assert(
        fc.property(text, (input) => {
          const line = withPosixPrelude({ command: `printf '\\0'`, cwd: undefined, env: [] }, mark);
          assert.deepEqual(run(line, input), { printed: [''], isTouched: false });
        }),
        { numRuns: 60 },
      );
    });

    it('the prompt of sudo is fixed words, whatever stands behind it', () => {
      const marker = `termind-sudo-${'a'.repeat(32)}`;
      fc.assert(
        fc.property(text, (rest) => {
          const line = `sudo ${rest}`;
          const rewritten = withSudoPrompt(line, marker);
          if (rewritten === undefined) return;
          assert.equal(rewritten.replace(` -S -p ${marker}`, ''), line, 'the command itself keeps its bytes');
          assert.ok(rewritten.startsWith(`sudo -S -p ${marker} `));
        }),
        { numRuns: 1_000 },
      );
    });
  });
