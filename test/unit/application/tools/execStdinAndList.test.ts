import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ConversationSession } from '../../../../src/application/assistant/assistantLibrary.ts';
import { sshExecStdin } from '../../../../src/application/tools/sshExecStdin.ts';
import { db, lab, LibraryScene } from '../assistant/libraryScene.ts';
import { calls, says, ScriptedModel, type Turn } from '../assistant/scriptedModel.ts';

const tool = sshExecStdin();

/** Calls whose arguments depend on the `exec_id` of the first command. */
function onFirst(
  model: () => ScriptedModel,
  make: (execId: string) => readonly { name: string; args: object }[],
): Turn {
  return (signal) => {
    const started = model()
      .said(model().requests.length - 1)
      .find((line) => line.includes('exec_id'));
    const execId = /"exec_id":"([^"]+)"/.exec(started ?? '')?.[1] ?? 'none';
    return calls(...make(execId).map((call, index) => ({ ...call, id: `on_first_${String(index)}` })))(
      signal,
    );
  };
}

/** A conversation with one command of ours that runs on `lab`, and what the model does next. */
async function scene(
  make: (execId: string) => readonly { name: string; args: object }[],
  { keepOpen = true } = {},
): Promise<{ on: LibraryScene; session: ConversationSession }> {
  const model: ScriptedModel = new ScriptedModel(
    calls({
      name: 'ssh_exec_run',
      args: { host_id: lab.id, command: 'cat', stdin: { keep_open: keepOpen }, yield_ms: 0 },
    }),
    onFirst(() => model, make),
    says('Done.'),
  );
  const on = new LibraryScene(model);
  on.host.plays({});
  const session = await on.library.create();
  await session.send('Run it');
  await approve(on);
  return { on, session };
}

async function approve(on: LibraryScene): Promise<void> {
  await on.until(() => on.library.approvals.waiting.length > 0);
  const [{ request } = assert.fail('nobody asked')] = on.library.approvals.waiting;
  const { id, digest } = request;
  on.library.approvals.settle({ approvalId: id, shownDigest: digest, verdict: 'approve', reason: undefined });
}

function answers(session: ConversationSession): readonly string[] {
  return session.snapshot().messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
}

function fieldsOf(text: string | undefined): Record<string, unknown> {
  return JSON.parse(text?.split('\n')[1] ?? 'null') as Record<string, unknown>;
}

describe('the arguments of ssh_exec_stdin', () => {
  const accepts = (args: object): boolean => tool.validate({ exec_id: 'e', ...args }).ok;
  for (const [args, reason] of [
    [{ text: 'yes\n' }, 'a text'],
    [{ text: '' }, 'an empty text is a text'],
    [{ eof: true }, 'the end alone'],
    [{ text: 'x'.repeat(131_072), eof: true }, 'the most that is taken, and the end'],
    [{ secret_handle: 'h' }, 'a secret by its handle'],
    [{ secret_handle: 'h', text: null, eof: null }, 'null is as good as absent'],
  ] as const)
    it(`take ${JSON.stringify(args).slice(0, 40)}: ${reason}`, () => assert.equal(accepts(args), true));

  for (const [args, reason] of [
    [{}, 'none of the three'],
    [{ eof: false }, 'nothing to do'],
    [{ text: 'x', secret_handle: 'h' }, 'both values'],
    [{ text: '', secret_handle: 'h' }, 'both values, one of them empty'],
    [{ text: 'x'.repeat(131_073) }, 'more than 131,072 bytes'],
    [{ text: 'ä'.repeat(65_537) }, 'more than 131,072 bytes, counted in UTF-8'],
    [{ secret: 'plain' }, 'an unknown argument'],
  ] as const)
    it(`refuse ${JSON.stringify(args).slice(0, 40)}: ${reason}`, () => assert.equal(accepts(args), false));
});

describe('ssh_exec_stdin', () => {
  it('asks the user with the whole text, writes it as given, and says how much that was', async () => {
    const text = 'päth with "quotes"\n$(not run)\n';
    const { on, session } = await scene((execId) => [
      { name: 'ssh_exec_stdin', args: { exec_id: execId, text } },
    ]);
    await on.until(() => on.library.approvals.waiting.length > 0);
    const [waiting] = on.library.approvals.waiting;
    assert.deepEqual(waiting?.request.subject, {
      action: 'Write to standard input of: cat',
      target: 'lab',
      targetId: lab.id,
      identity: 'root',
      tier: '',
      details: [
        { label: 'Address', value: '192.0.2.7:22' },
        { label: 'Standard input', value: text },
      ],
    });
    assert.deepEqual(on.host.last('cat').written, [], 'nothing goes before the decision');
    await approve(on);
    await on.settled(session);
    assert.deepEqual(on.host.last('cat').written, [text]);
    const { exec_id, ...rest } = fieldsOf(answers(session)[1]);
    assert.match(String(exec_id), /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      status: 'running',
      written_bytes: Buffer.byteLength(text),
      stdin_open: true,
    });
  });

  it('closes the input with eof, and a later write is told so without a question', async () => {
    const { on, session } = await scene((execId) => [
      { name: 'ssh_exec_stdin', args: { exec_id: execId, eof: true } },
    ]);
    await approve(on);
    await on.settled(session);
    assert.equal(on.host.last('cat').hasEnded, true);
    assert.equal(fieldsOf(answers(session)[1])['stdin_open'], false);
    on.model.turns.push(
      onFirst(
        () => on.model,
        (execId) => [{ name: 'ssh_exec_stdin', args: { exec_id: execId, text: 'x' } }],
      ),
      says('Pity.'),
    );
    await session.send('Again');
    await on.settled(session);
    assert.match(answers(session)[2] ?? '', /^The standard input of this command is closed, so nothing/);
  });

  it('of a command whose input was never kept open is refused without a question', async () => {
    const { on, session } = await scene(
      (execId) => [{ name: 'ssh_exec_stdin', args: { exec_id: execId, text: 'x' } }],
      { keepOpen: false },
    );
    await on.settled(session);
    assert.match(answers(session)[1] ?? '', /^The standard input of this command is closed, so nothing/);
  });

  it('of a command that ended while the decision was open writes nothing and says how it ended', async () => {
    const { on, session } = await scene((execId) => [
      { name: 'ssh_exec_stdin', args: { exec_id: execId, text: 'x' } },
    ]);
    await on.until(() => on.library.approvals.waiting.length > 0);
    on.host.last('cat').finishes(3);
    await on.until(() => !(on.exec.list(session.id)[0]?.status === 'running'));
    await approve(on);
    await on.settled(session);
    assert.equal(answers(session)[1], 'The command has ended (exited, exit code 3), so nothing was written.');
    assert.deepEqual(on.host.last('cat').written, []);
  });

  it('of an id that nobody holds, for example after a restart, is answered as unknown without a question', async () => {
    const { on, session } = await scene(() => [
      { name: 'ssh_exec_stdin', args: { exec_id: '6f1c6c1e-0000-4000-8000-000000000000', text: 'x' } },
    ]);
    await on.settled(session);
    assert.equal(answers(session)[1], 'This command is no longer held; its outcome is unknown.');
  });

  it('does not take an unknown handle, and writes nothing', async () => {
    const { on, session } = await scene((execId) => [
      { name: 'ssh_exec_stdin', args: { exec_id: execId, secret_handle: 'made-up' } },
    ]);
    await on.until(() => on.library.approvals.waiting.length > 0);
    const [waiting] = on.library.approvals.waiting;
    assert.equal(JSON.stringify(waiting?.request.subject).includes('made-up'), false);
    assert.match(JSON.stringify(waiting?.request.subject.details), /one line of its input/);
    await approve(on);
    await on.settled(session);
    assert.match(answers(session)[1] ?? '', /^The secret_handle is unknown or was used already\./);
    assert.deepEqual(on.host.last('cat').written, []);
  });

  it('two in one turn reach the command one after the other', async () => {
    const { on, session } = await scene((execId) => [
      { name: 'ssh_exec_stdin', args: { exec_id: execId, text: 'one\n' } },
      { name: 'ssh_exec_stdin', args: { exec_id: execId, text: 'two\n', eof: true } },
    ]);
    await approve(on);
    await on.until(() => on.host.last('cat').written.length === 1);
    await approve(on);
    await on.settled(session);
    assert.deepEqual([on.host.last('cat').written, on.host.last('cat').hasEnded], [['one\n', 'two\n'], true]);
  });
});

describe('ssh_exec_list', () => {
  it('names the commands of this conversation, newest first, running or not', async () => {
    const model = new ScriptedModel(
      calls(
        { name: 'ssh_exec_run', args: { host_id: lab.id, command: 'uptime' } },
        { name: 'ssh_exec_run', args: { host_id: db.id, command: 'df', yield_ms: 0 } },
      ),
      calls({ name: 'ssh_exec_list', args: {}, id: 'all' }),
      calls({ name: 'ssh_exec_list', args: { host_id: db.id }, id: 'one' }),
      calls({ name: 'ssh_exec_list', args: { host_id: '00000000-0000-4000-8000-00000000000f' }, id: 'no' }),
      says('Done.'),
    );
    const on = new LibraryScene(model);
    on.host.plays({ uptime: { code: 0, output: 'up\n' } });
    const session = await on.library.create();
    await session.send('What runs?');
    await on.settled(session);
    const [, , all, one, none] = answers(session);
    const { commands, total_lines } = fieldsOf(all) as { commands: object[]; total_lines: number };
    assert.equal(total_lines, 2);
    const [df, uptime] = commands.map((command) => {
      const { exec_id, started_at, duration_ms, ...rest } = command as Record<string, unknown>;
      assert.match(String(exec_id), /^[0-9a-f-]{36}$/);
      assert.equal(started_at, new Date(on.clock.now()).toISOString());
      assert.equal(duration_ms, 0);
      return rest;
    });
    assert.deepEqual(df, {
      host: { host_id: db.id, label: 'db-1' },
      command: 'df',
      status: 'running',
      exit_code: null,
      output_bytes: 0,
      stdin_open: false,
    });
    assert.deepEqual(uptime, {
      host: { host_id: lab.id, label: 'lab' },
      command: 'uptime',
      status: 'exited',
      exit_code: 0,
      output_bytes: 3,
      stdin_open: false,
    });
    assert.deepEqual(
      (fieldsOf(one)['commands'] as { command: string }[]).map(({ command }) => command),
      ['df'],
    );
    assert.match(none ?? '', /^There is no host with this id/);
  });

  it('is empty in a conversation that ran nothing, while another one runs something', async () => {
    const { on } = await scene(() => [{ name: 'ssh_exec_list', args: {} }]);
    on.model.turns.splice(0);
    on.model.turns.push(calls({ name: 'ssh_exec_list', args: {} }), says('Nothing.'));
    const other = await on.library.create();
    await other.send('What runs?');
    await on.settled(other);
    assert.deepEqual(fieldsOf(answers(other)[0])['commands'], []);
  });
});
