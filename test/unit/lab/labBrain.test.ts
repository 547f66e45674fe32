import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { answerEvents } from '../../lab/chatCompletions.ts';
import type { AnsweredCall, ModelAnswer, PostedMessage } from '../../lab/modelConversation.ts';
import { labBrain } from '../../lab/story/labBrain.ts';

const place = { hostLabel: 'lab', appFolder: '/home/app/app' };
const logs = '/home/app/app/log';
const question = 'Why is the disk of lab filling up?';

const unknown = 'The outcome of this call is unknown. It may have completed. Check before repeating it.';
const denied = 'The user denied this call.';

/** A host as the story needs it: three files, and a person who decides about each removal. */
class FakeHost {
  readonly files = new Map([
    ['app.log', '420K'],
    ['app.log.1', '4.0M'],
    ['app.log.2', '3.0M'],
  ]);
  readonly calls: string[] = [];
  readonly #answers: Map<string, string>;

  /** `answers` are sentences that replace what a command would give, once each. */
  constructor(answers: Readonly<Record<string, string>> = {}) {
    this.#answers = new Map(Object.entries(answers));
  }

  answer({ name, args }: AnsweredCall): string {
    const command = name === 'ssh_exec_run' ? String(args['command']) : name;
    this.calls.push(command);
    const scripted = this.#answers.get(command);
    this.#answers.delete(command);
    if (scripted !== undefined) return scripted;
    if (name === 'list_hosts') return enveloped({ hosts: [{ host_id: 'id-1', label: 'lab' }] });
    return enveloped({ exec_id: 'e', status: 'exited', exit_code: 0, ...this.#run(command) });
  }

  #run(command: string): Record<string, unknown> {
    const removed = /^rm .*\/(.+)$/.exec(command)?.[1];
    if (removed !== undefined) this.files.delete(removed);
    if (command.startsWith('ls'))
      return {
        output: [...this.files]
          .map(([file, size]) => `-rw-r--r-- 1 a a ${size} Jan  5 10:00 ${file}`)
          .join('\n'),
      };
    if (command.startsWith('du')) return { output: '7.4M\t/home/app/app\n' };
    if (command.startsWith('df'))
      return {
        output:
          'Filesystem Size Used Avail Use% Mounted on\n/dev/a 40G 30G 10G 75% /\n/dev/b 8G 7G 1G 91% /home\n',
      };
    if (command.startsWith('cat'))
      return {
        output: '04999 flush\n05000 flush\n',
        marker: '[Showing lines 4999-5000 of 5000. Full output: x.txt]',
        full_output_path: 'x.txt',
      };
    return { output: '' };
  }
}

function enveloped(fields: object): string {
  return `<untrusted-data>\n${JSON.stringify(fields).replaceAll('</', '<\\/')}\n</untrusted-data>`;
}

/** Plays runs to their end, one for each prompt, and returns the last text. */
function play(host: FakeHost, ...prompts: readonly string[]): string {
  const brain = labBrain(place);
  const messages: PostedMessage[] = [{ role: 'system', text: 'Be brief.' }];
  const ask = (): ModelAnswer =>
    brain({ model: 'lab-1', messages, toolNames: ['list_hosts', 'ssh_exec_output', 'ssh_exec_run'] });
  let text = '';
  for (const prompt of prompts) {
    messages.push({ role: 'user', text: '<context name="connected_hosts">\nNone now.\n</context>' });
    messages.push({ role: 'user', text: prompt });
    for (let answer = ask(), turn = 1; ; answer = ask(), turn++) {
      assert.ok(turn < 20, 'the story goes round in circles');
      assert.ok(answerEvents(answer, { turn }).length > 2);
      text = answer.text ?? '';
      const calls = (answer.calls ?? []).map((call, at) => ({ call, id: `${messages.length}_${at}` }));
      messages.push({
        role: 'assistant',
        text,
        calls: calls.map(({ call, id }) => ({
          id,
          name: call.name,
          argumentsText: JSON.stringify(call.args),
        })),
      });
      if (calls.length === 0) break;
      for (const { call, id } of calls) messages.push({ role: 'tool', callId: id, text: host.answer(call) });
    }
  }
  return text;
}

const looking = ['list_hosts', 'df -h', 'du -sh /home/app/app', `ls -lh ${logs}`, `cat ${logs}/app.log`];
const removing = [`rm ${logs}/app.log.2`, `rm ${logs}/app.log.1`];
const checking = [`ls -lh ${logs}`, 'df -h'];

describe('the story of the lab', () => {
  it('looks, reads, offers both files, checks and concludes', () => {
    const host = new FakeHost();
    const text = play(host, question);
    assert.deepEqual(host.calls, [...looking, ...removing, ...checking]);
    assert.match(text, /- `app\.log\.2` is removed\.\n- `app\.log\.1` is removed\./);
    assert.match(text, /Now in `\/home\/app\/app\/log`: `app\.log` \(420K\)\./);
  });

  it('a denied removal is said and not asked again, and the other file is offered', () => {
    const host = new FakeHost({ [`rm ${logs}/app.log.2`]: denied });
    const text = play(host, question);
    assert.deepEqual(host.calls, [...looking, ...removing, ...checking]);
    assert.match(text, /You declined the removal of `app\.log\.2`, so it stays\./);
    assert.deepEqual([...host.files.keys()], ['app.log', 'app.log.2']);
  });

  it('the second one may be denied as well as the first', () => {
    const host = new FakeHost({ [`rm ${logs}/app.log.1`]: denied });
    assert.match(
      play(host, question),
      /`app\.log\.2` is removed\.\n- You declined the removal of `app\.log\.1`/,
    );
    assert.deepEqual(host.calls.slice(-2), checking);
  });

  it('with both denied it says that nothing was changed', () => {
    const host = new FakeHost({ [`rm ${logs}/app.log.2`]: denied, [`rm ${logs}/app.log.1`]: denied });
    assert.match(play(host, question), /Nothing was changed on `lab`\.$/);
    assert.deepEqual(host.calls, [...looking, ...removing]);
  });

  for (const [reason, isGone, then] of [
    ['did happen', true, [`ls -lh ${logs}`, `rm ${logs}/app.log.1`, ...checking]],
    ['did not happen', false, [`ls -lh ${logs}`, ...removing, ...checking]],
  ] as const)
    it(`a removal with an unknown outcome that ${reason} is looked at before anything is repeated`, () => {
      const host = new FakeHost({ [`rm ${logs}/app.log.2`]: unknown });
      if (isGone) host.files.delete('app.log.2');
      const text = play(host, question);
      assert.deepEqual(host.calls, [...looking, `rm ${logs}/app.log.2`, ...then]);
      assert.match(text, /`app\.log\.2` is removed\./);
    });

  it('a read-only command that failed ends the run with the reason, and "continue" goes on from there', () => {
    const host = new FakeHost({ 'df -h': 'The host is not reachable: connection refused.' });
    assert.match(play(host, question), /could not run `df -h` on `lab`: The host is not reachable/);
    assert.deepEqual(host.calls, looking.slice(0, 4));
    const again = new FakeHost({ 'df -h': 'The host is not reachable: connection refused.' });
    assert.match(play(again, question, 'Please continue.'), /## Done on `lab`/);
    assert.deepEqual(again.calls, [...looking.slice(0, 4), ...looking.slice(1), ...removing, ...checking]);
  });

  it('after a restart "continue" treats what was dispatched as unknown and what was not as open', () => {
    const host = new FakeHost({
      [`cat ${logs}/app.log`]: unknown,
      [`rm ${logs}/app.log.2`]: 'Cancelled before it ran.',
    });
    assert.match(play(host, question, 'continue', 'continue'), /## Done on `lab`/);
  });

  it('a command that still runs is waited for', () => {
    const running = enveloped({ exec_id: 'e', status: 'running', exit_code: null, output: '' });
    const host = new FakeHost({ 'df -h': running });
    play(host, question);
    assert.deepEqual(host.calls.slice(0, 5), [...looking.slice(0, 4), 'ssh_exec_output']);
  });

  it('a host that is not there is said', () => {
    const host = new FakeHost({ list_hosts: enveloped({ hosts: [] }) });
    assert.equal(
      play(host, question),
      'I cannot go on: No host is called `lab`. Add the host and ask me again.',
    );
  });

  it('a minute of watching is one long command', () => {
    const host = new FakeHost();
    assert.equal(
      play(host, 'Watch the log of lab for a minute'),
      'The minute is over; nothing new was written to the log.',
    );
    assert.deepEqual(host.calls, ['list_hosts', `timeout 60 tail -n 3 -f ${logs}/app.log`]);
  });

  it('anything else gets the help text, and so does a request without tools', () => {
    assert.match(play(new FakeHost(), 'Hello'), /scripted model/);
    const bare = { model: 'm', toolNames: [], messages: [{ role: 'user', text: question }] } as const;
    assert.match(labBrain(place)(bare).text ?? '', /scripted model/);
  });
});
