import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { changes, rules } from '../../../src/domain/shell/knowledge/index.ts';
import { proveReadOnly } from '../../../src/domain/shell/proveReadOnly.ts';
import { wrapperNames } from '../../../src/domain/shell/wrappers.ts';
import { accepted } from '../../unit/domain/shell/corpus.ts';
import { everyday } from '../../unit/domain/shell/everyday.ts';
import { refusedForms } from '../../unit/domain/shell/refusedForms.ts';
import { StubShell } from './stubShell.ts';

/** Handled inside the shell, so no stub sees them. */
const builtins = new Set([
  'echo',
  'printf',
  'test',
  '[',
  'true',
  'false',
  ':',
  'type',
  'command',
  'pwd',
  'cd',
  'ulimit',
  'umask',
]);

/** What a word is made of: plain text, quotes and escapes that belong together, and characters that mean something to a shell. */
const special = Array.from('*?[]{},.$#!()<>&=^%+@:`~|;\'"\\-/ \n\t');
const atom = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b.log', 'x', '1', 'src', '/etc', '-n', '-', '..', '--') },
  { weight: 3, arbitrary: fc.constantFrom(...special) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '$x',
      '"$x"',
      '${x}',
      '$HOME',
      '"$HOME/a"',
      '$(ls)',
      '"$(df -h)"',
      '$(rm x)',
      '{a,b}',
      '$((x=1))',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('[$(rm x)]', 'a[`rm x`]', '[${y:=z}]', '[[$(rm x)]', '{a[$(rm x)]'),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom(...special, 'a'), maxLength: 4 }).map((text) => `'${text}'`),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom(...special, 'a'), maxLength: 4 }).map((text) => `"${text}"`),
  },
  { weight: 2, arbitrary: fc.constantFrom(...special).map((text) => `\\${text}`) },
);
const word = fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join(''));
const program = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('ls', 'df', 'cat', 'sort', 'uniq', 'head', 'echo', 'find', 'stat', 'tr'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'rm',
      '"ls"',
      "l's'",
      '\\ls',
      '{ ls',
      '( ls',
      '! ls',
      'cd',
      'time ls',
      'uniq -f 1',
      'sed -n 1p',
      "'rm'",
    ),
  },
  { weight: 1, arbitrary: word },
);
const command = fc
  .tuple(
    program,
    fc.array(word, { maxLength: 3 }),
    fc.constantFrom('', '', '', ' 2>&1', ' >/dev/null', ' }', ' )', ' # x', '; }'),
  )
  .map(([name, args, end]) => [name, ...args].join(' ') + end);
/** A loop, a branch or a substitution around a command, each whole or with something wrong. */
const around = fc.constantFrom(
  ['', ''],
  ['', ''],
  ['for x in a "b c" *.log; do ', '; done'],
  ['for x in -l rm; do ', '; done'],
  ['for x in ls rm; do $x ', '; done'],
  ['for PATH in a; do ', '; done'],
  ['for x; do ', '; done'],
  ['if ', '; then ls; fi'],
  ['if true; then ', '; else df; fi'],
  ['while false; do ', '; done'],
  ['echo "$(', ')"'],
  ['echo $(', ')'],
  ['ls `', '`'],
  ['cat <(', ')'],
  ['cat <<<"', '"'],
  ['', ' &>/dev/null'],
  ['', ' &>x'],
  ['', ' <>x'],
  ['', ' >|x'],
  ['echo | ', ''],
  ['', ' </dev/null'],
  ['coproc ', ''],
  ['A=1 ', ''],
  ['[[ -v ', ' ]]'],
  ["sed -n '/[/s|]/w x|y|' ", ''],
);
const line = fc
  .array(
    fc.tuple(
      fc.tuple(around, command).map(([[before, after], text]) => before + text + after),
      fc.constantFrom(' | ', ' && ', ' || ', '; ', '\n', '&', '|&', ';;'),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) =>
    parts.map(([text, operator], at) => (at === parts.length - 1 ? text : text + operator)).join(''),
  );

/** How many lines each property tries; more on purpose. */
const runs = Number(process.env['TERMIND_RUNS'] ?? 1_500);

describe('a proof against a real shell whose programs are stubs', () => {
  let stubs: StubShell;
  before(() => {
    stubs = new StubShell(
      new Set([...rules.keys(), ...changes.keys(), ...wrapperNames].filter((name) => !builtins.has(name))),
    );
  });
  after(() => stubs.dispose());

  function check(command: string): boolean {
    const shells = ['bash', 'dash'].filter((name) => existsSync(`/bin/${name}`));
    return shells.map((shell) => checkIn(shell, command)).includes(true);
  }

  function checkIn(loginShell: string, command: string): boolean {
    const verdict = proveReadOnly({
      command,
      cwd: undefined,
      hasEnvironment: false,
      hasInput: false,
      loginShell,
      os: 'Linux',
    });
    if (verdict.proof === 'none') return false;
    const spoken = (call: { program: string; arguments: readonly string[] }): string =>
      JSON.stringify([
        call.program.replace(/^.*\//, ''),
        ...call.arguments.map((word) => word.replace(/^~(?=\/|$)/, '$HOME')),
      ]);
    const { ran, made } = stubs.run(`/bin/${loginShell}`, command);
    assert.deepEqual(made, [], `${loginShell} made a file: ${JSON.stringify(command)}`);
    const left = [...verdict.commands];
    for (const call of ran) {
      const words = spoken({
        ...call,
        arguments: call.arguments.map((word) => word.replace(stubs.folder, '$HOME')),
      });
      const exact = left.findIndex((proven) => spoken(proven) === words);
      // An open word becomes any number of words, whose programs take any.
      const at =
        exact >= 0
          ? exact
          : left.findIndex(
              (proven) =>
                proven.program.replace(/^.*\//, '') === call.program &&
                proven.arguments.some((word) => /\$[\w{(?#]/.test(word)),
            );
      assert.ok(
        at >= 0,
        `${loginShell} ran ${JSON.stringify(call)} for ${JSON.stringify(command)}, proven was ${JSON.stringify(verdict.commands)}`,
      );
      left.splice(at, 1);
    }
    return true;
  }

  it('runs nothing but the proven programs with the proven words, for every line of the corpus', () => {
    for (const command of accepted) if (!/(^|[ ;|&(])\//.test(command)) check(command);
  }).timeout(120_000);

  const known = Object.values(everyday).flatMap((text) => text.trim().split('\n'));

  it('runs nothing but the proven programs with the proven words, for every everyday line', () => {
    for (const command of known) check(command);
  }).timeout(240_000);

  it('runs nothing but the proven programs with the proven words, for everyday lines that are changed anywhere', () => {
    const changed = fc
      .tuple(
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...known) },
          { weight: 1, arbitrary: fc.constantFrom(...Object.values(refusedForms).flat()) },
        ),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 999 }), fc.nat(2), atom), {
          minLength: 1,
          maxLength: 2,
        }),
      )
      .map(([text, edits]) =>
        edits.reduce((line, [place, removed, added]) => {
          const at = Math.floor((place / 999) * line.length);
          return line.slice(0, at) + added + line.slice(at + removed);
        }, text),
      );
    let proven = 0;
    fc.assert(
      fc.property(changed, (command) => {
        if (check(command)) proven++;
      }),
      { numRuns: runs },
    );
    assert.ok(proven > 20, `${proven} lines were proven`);
  }).timeout(600_000);

  it('runs nothing but the proven programs with the proven words, for any line', () => {
    let proven = 0;
    fc.assert(
      fc.property(line, (command) => {
        if (check(command)) proven++;
      }),
      { numRuns: runs },
    );
    assert.ok(proven > 50, `${proven} lines were proven`);
  }).timeout(600_000);
});
