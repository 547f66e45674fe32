import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runsArgv, type ArgvMatch } from '../../../../src/domain/shell/runsArgv.ts';

const rows: readonly (readonly [line: string, argv: readonly string[], match: ArgvMatch, why: string])[] = [
  ['systemctl restart app', ['systemctl', 'restart'], 'yes', 'the words begin so'],
  ['systemctl restart app', ['systemctl'], 'yes', 'one word is a prefix'],
  ['systemctl restarting', ['systemctl', 'restart'], 'no', 'a word is compared whole'],
  ['systemctl  "restart" app', ['systemctl', 'restart'], 'yes', 'quotes and blanks are not part of a word'],
  ['systemctl', ['systemctl', 'restart'], 'no', 'it is shorter than the rule'],
  ['/usr/bin/rm a', ['rm'], 'yes', 'the folder of a program does not count'],
  ['rm a', ['/bin/rm'], 'yes', 'nor does it in a rule'],
  ['echo rm a', ['rm'], 'no', 'what is printed does not run'],
  ['df -h && rm a', ['rm'], 'yes', 'each part of a line counts'],
  ['df -h | tee x; (cd /; rm a)', ['rm'], 'yes', 'inside a subshell as well'],
  ['sudo -u app rm a', ['rm'], 'yes', 'behind a program that runs another'],
  ['find / -exec rm x', ['rm'], 'yes', 'find runs programs'],
  ['xargs -n1 rm', ['rm'], 'yes', 'xargs runs programs'],
  ['sudo systemctl status', ['rm'], 'no', 'nothing like it is there'],
  ["sh -c 'rm a'", ['rm'], 'maybe', 'a text is not looked into'],
  ['sudo bash x.sh', ['rm'], 'maybe', 'a script is not looked into'],
  ['echo $(rm a)', ['rm'], 'maybe', 'the line is not understood completely'],
  ['for f in a b; do rm $f; done', ['rm'], 'maybe', 'the line is not understood completely'],
  ['r? a', ['rm'], 'maybe', 'a pattern may become any program'],
  ['systemctl re* app', ['systemctl', 'restart'], 'maybe', 'a pattern may become any word'],
  ['rm a > b', ['mv'], 'maybe', 'a line that is not understood may be anything'],
  ['', ['rm'], 'maybe', 'an empty line says nothing'],
];

describe('the words of a rule and a command line', () => {
  for (const [line, argv, match, why] of rows)
    it(`${JSON.stringify(line)} and ${argv.join(' ')}: ${match} (${why})`, () => {
      assert.equal(runsArgv(line, argv), match);
    });
});
