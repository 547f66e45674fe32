import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { withSudoPrompt } from '../../../../src/domain/shell/sudoCommand.ts';

const marker = `termind-sudo-${'0'.repeat(32)}`;
const asks = `-S -p ${marker}`;

describe('a command with a sudo secret', () => {
  for (const [line, expected] of [
    ['sudo id', `sudo ${asks} id`],
    ['  sudo id', `  sudo ${asks} id`],
    ['sudo -u postgres psql -c "select 1"', `sudo ${asks} -u postgres psql -c "select 1"`],
    ['sudo -H -E id', `sudo ${asks} -H -E id`],
    ['sudo sh -c \'echo "$HOME" | tee /root/x\'', `sudo ${asks} sh -c 'echo "$HOME" | tee /root/x'`],
    ['sudo cat "$FILE"', `sudo ${asks} cat "$FILE"`],
    [
      'sudo systemctl restart x && systemctl status x',
      `sudo ${asks} systemctl restart x && systemctl status x`,
    ],
    ['sudo cat /etc/shadow | wc -l', `sudo ${asks} cat /etc/shadow | wc -l`],
    ['sudo tee /root/x > /dev/null', `sudo ${asks} tee /root/x > /dev/null`],
    ['sudo -- -odd', `sudo ${asks} -- -odd`],
    ['sudo\tid', `sudo ${asks}\tid`],
  ] as const)
    it(`asks with our mark: ${line}`, () => {
      assert.equal(withSudoPrompt(line, marker), expected);
    });

  it('a line that has a mark already gets the new one in its place', () => {
    const before = `sudo -S -p termind-sudo-${'f'.repeat(32)} id`;
    assert.equal(withSudoPrompt(before, marker), `sudo ${asks} id`);
  });

  for (const [line, reason] of [
    ['id', 'no sudo'],
    ['sudoedit /etc/hosts', 'another program'],
    ['sudo', 'nothing to run'],
    ['echo hi | sudo tee /root/x', 'its input is the pipe'],
    ['sudo cat < file', 'its input is a file'],
    ['sudo cat <<< text', 'its input is a text'],
    ['sudo sh <<EOF\nid\nEOF', 'its input is a document'],
    ['cd /tmp && sudo id', 'something else has the input first'],
    ['A=1 sudo id', 'an assignment in front'],
    ['sudo -S id', 'reads the password its own way'],
    ['sudo -p ask: id', 'a prompt of its own'],
    ['sudo -nu root id', 'asks for nothing'],
    ['sudo -A id', 'asks by a program'],
    ['sudo -k id', 'forgets the password'],
    ['sudo --prompt=x id', 'a prompt of its own'],
    ['sudo --non-interactive id', 'asks for nothing'],
    ['sudo id &', 'in the background'],
    ['(sudo id)', 'in a subshell'],
    ['! sudo id', 'negated'],
    ['time sudo id', 'behind a word of the shell'],
    ['if sudo id; then ls; fi', 'in a condition'],
    ['sudo id "', 'does not parse'],
    ['"sudo" id', 'quoted'],
    ['\\sudo id', 'escaped'],
    ['SUDO id', 'another program'],
  ] as const)
    it(`leaves alone: ${line} (${reason})`, () => {
      assert.equal(withSudoPrompt(line, marker), undefined);
    });
});
