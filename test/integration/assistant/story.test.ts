import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callTexts } from '../../../src/agentkit/index.ts';
import { startScriptedModel, type Script, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { appeared } from '../../support/appeared.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, textOf, unwrapped } from './labWindow.ts';
import { calls, callsOn, command, says } from './scripts.ts';

describe('the assistant on a real host', function () {
  this.timeout(120_000);
  let sshd: Sshd;
  let model: ScriptedModel;
  let window: LabWindow;
  let folder: ReturnType<typeof sharedFolder>;
  let files: string;
  let lab: string;

  beforeEach(async () => {
    folder = sharedFolder();
    files = folder.path;
    [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
    window = new LabWindow({ sshConfig: sshd.configText('lab'), baseUrl: model.baseUrl });
    lab = await window.hostId('lab');
  });
  afterEach(async () => {
    window.close();
    window.remove();
    folder.remove();
    await Promise.all([sshd.stop(), model.stop()]);
    assert.deepEqual(model.violations, []);
  });

  it('looks with proven commands unasked, in one batch', async () => {
    const session = await window.services.assistant.create();
    model.enqueue(
      calls({ id: 'list', name: 'list_hosts', args: {} }),
      calls(command('df', lab, 'df -h /'), command('du', lab, `du -sh ${files}`)),
      says('The disk is fine.'),
    );
    await session.send('Why is the disk of lab filling up?');
    await window.settled(session);
    const [hosts = '', df = '', du = ''] = resultsOf(session);
    assert.deepEqual(
      (unwrapped(hosts)['hosts'] as { host_id: string; label: string }[]).map(({ host_id, label }) => [
        host_id,
        label,
      ]),
      [[lab, 'lab']],
    );
    const { status, exit_code, host, truncated } = unwrapped(df);
    assert.deepEqual(
      { status, exit_code, host, truncated },
      { status: 'exited', exit_code: 0, host: { host_id: lab, label: 'lab' }, truncated: false },
    );
    assert.match(textOf(unwrapped(df), 'output'), /^Filesystem .*\n.* \/\n$/);
    assert.match(textOf(unwrapped(du), 'output'), new RegExp(`\\t${files}\n$`));
    assert.equal(session.snapshot().runs.at(-1)?.state, 'completed');
    assert.equal(session.snapshot().messages.at(-1)?.text, 'The disk is fine.');
  });

  it('gets the tail of 5,000 lines with the exact marker, and the whole in a saved file', async () => {
    const log = join(files, 'app.log');
    const text = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join('');
    writeFileSync(log, text);
    const session = await window.services.assistant.create();
    model.enqueue(calls(command('cat', lab, `cat ${log}`)), says('Read.'));
    await session.send('Show me the log');
    await window.settled(session);
    const result = unwrapped(resultsOf(session)[0] ?? '');
    const path = textOf(result, 'full_output_path');
    assert.match(path, new RegExp(`^${session.id}/outputs/ssh-exec-[0-9a-f-]{36}\\.txt$`));
    const { marker, truncated, returned_lines, total_lines, output_bytes } = result;
    const output = textOf(result, 'output');
    assert.deepEqual(
      { marker, truncated, returned_lines, total_lines, output_bytes },
      {
        marker: `[Showing lines 3001-5000 of 5000. Full output: ${path}]`,
        truncated: true,
        returned_lines: 2_000,
        total_lines: 5_000,
        output_bytes: text.length,
      },
    );
    assert.ok(output.startsWith('line 3001\n') && output.endsWith('line 5000\n'));
    assert.equal(readFileSync(join(window.directory, 'storage', 'scratch', path), 'utf8'), text);
  });

  it('reads the rest of the saved file from scratch', async () => {
    const log = join(files, 'app.log');
    writeFileSync(log, Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join(''));
    const session = await window.services.assistant.create();
    model.enqueue(
      calls(command('cat', lab, `cat ${log}`)),
      callsOn(({ conversation }) => {
        const last = conversation.messages.at(-1)?.text ?? '';
        return [
          { id: 'read', name: 'scratch_read', args: { path: unwrapped(last)['full_output_path'], limit: 2 } },
        ];
      }),
      says('Read.'),
    );
    await session.send('Show me the beginning');
    await window.settled(session);
    assert.equal(unwrapped(resultsOf(session)[1] ?? '')['content'], 'line 1\nline 2\n');
  });

  it('deletes a file only after the approval; a denial reaches the model and leaves the file', async () => {
    const file = join(files, 'old.log');
    writeFileSync(file, 'old');
    const session = await window.services.assistant.create();
    model.enqueue(
      calls(command('rm1', lab, `rm ${file}`)),
      calls(command('rm2', lab, `rm ${file}`)),
      says('It is gone.'),
    );
    await session.send('Delete the old log');
    const denied = await window.decide('deny', 'not yet');
    assert.deepEqual(
      {
        action: denied.request.subject.action,
        target: denied.request.subject.target,
        identity: denied.request.subject.identity,
      },
      { action: `rm ${file}`, target: 'lab', identity: sshd.account.name },
    );
    const second = await window.approval();
    assert.equal(existsSync(file), true);
    assert.match(
      model.requests[1]?.conversation.messages.at(-1)?.text ?? '',
      /^The user denied this call: "not yet"\.$/,
    );
    assert.notEqual(second.request.id, denied.request.id);
    await window.decide('approve');
    await window.settled(session);
    assert.equal(existsSync(file), false);
    assert.equal(unwrapped(resultsOf(session)[1] ?? '')['exit_code'], 0);
  });

  it('enters the folder, sets the variables and keeps its own words out of the output', async () => {
    const session = await window.services.assistant.create();
    const folder = join(files, "it's here");
    model.enqueue(
      calls(
        command('mkdir', lab, {
          line: 'mkdir -p "$D" && cd "$D" && pwd && echo to stderr >&2',
          cwd: files,
          env: [{ name: 'D', value: folder }],
        }),
      ),
      calls(command('pwd', lab, { line: 'pwd', cwd: folder })),
      says('Done.'),
    );
    await session.send('Make the folder');
    await window.decide('approve');
    await window.settled(session);
    const [made, pwd] = resultsOf(session).map(unwrapped);
    assert.deepEqual(textOf(made, 'output').split('\n').sort(), ['', folder, 'to stderr']);
    assert.equal(made?.['stderr_bytes'], 'to stderr\n'.length);
    assert.equal(textOf(pwd, 'output'), `${folder}\n`);
  });

  it('runs nothing when the folder cannot be entered', async () => {
    const session = await window.services.assistant.create();
    const missing = join(files, 'missing');
    model.enqueue(calls(command('ls', lab, { line: 'ls', cwd: missing })), says('Hm.'));
    await session.send('List it');
    await window.settled(session);
    assert.match(
      resultsOf(session)[0] ?? '',
      new RegExp(`^The folder ${missing} could not be entered, so nothing ran: "`),
    );
  });

  it('reports a failed command as a normal result with its status', async () => {
    const session = await window.services.assistant.create();
    model.enqueue(calls(command('ls', lab, `ls ${join(files, 'missing')}`)), says('Hm.'));
    await session.send('List it');
    await window.settled(session);
    const result = unwrapped(resultsOf(session)[0] ?? '');
    assert.deepEqual([result['status'], result['exit_code']], ['exited', 2]);
    assert.match(textOf(result, 'output'), /No such file/);
  });

  it('stops waiting in the middle of a command and says so; the command goes on', async () => {
    const started = join(files, 'started');
    const session = await window.services.assistant.create();
    await session.setMode('full');
    model.enqueue(calls(command('sleep', lab, `touch ${started}; sleep 600`)), says('It was stopped.'));
    await session.send('Wait');
    await appeared(started);
    session.stop();
    await window.settled(session);
    assert.deepEqual(resultsOf(session), [callTexts.stopped]);
    assert.equal(session.snapshot().runs.at(-1)?.state, 'cancelled');
    await session.cancelCommand('sleep');
    await session.send('What happened?');
    await window.settled(session);
    assert.equal(session.snapshot().messages.at(-1)?.text, 'It was stopped.');
  });

  it('yields to a message of the user, goes on, is read and is cancelled with what the host confirmed', async () => {
    const session = await window.services.assistant.create();
    await session.setMode('full');
    const asks = (id: string, name: string): Script =>
      callsOn(({ conversation }) => {
        const last = conversation.messages.findLast(({ role }) => role === 'tool')?.text ?? '';
        return [{ id, name, args: { exec_id: unwrapped(last)['exec_id'] } }];
      });
    model.enqueue(
      calls(command('loop', lab, { line: 'echo first; sleep 600', yield_ms: 120_000 })),
      asks('out', 'ssh_exec_output'),
      asks('kill', 'ssh_exec_cancel'),
      says('Done.'),
    );
    const shown = new Promise<unknown>((resolve) => {
      session.onEvent(({ body }) => {
        if (body.kind === 'toolProgress') resolve(body.partial);
      });
    });
    await session.send('Loop');
    assert.deepEqual(await withinDeadline('output in the card', shown), { output: 'first\n' });
    await session.send('That is enough.');
    await window.settled(session);
    const [run, output, cancel] = resultsOf(session).map(unwrapped);
    assert.deepEqual([run?.['status'], run?.['exit_code'], run?.['output']], ['running', null, 'first\n']);
    assert.deepEqual([output?.['status'], output?.['output']], ['running', 'first\n']);
    assert.equal(model.requests[1]?.conversation.messages.at(-1)?.text, 'That is enough.');
    const { exec_id: _, ...report } = cancel ?? {};
    assert.deepEqual(report, {
      status: 'cancelled',
      exit_code: null,
      signal: 'TERM',
      method: 'signal',
      outcome_known: true,
    });
  });

  it('seals the file of a result when it is given; what comes later is in the file of a later one', async () => {
    const session = await window.services.assistant.create();
    await session.setMode('full');
    const more = join(files, 'more');
    const line = `seq 3000; until [ -e ${more} ]; do sleep 0.05; done; seq 3001 6000`;
    model.enqueue(
      calls(command('seq', lab, { line, yield_ms: 120_000 })),
      callsOn(({ conversation }) => {
        const last = conversation.messages.findLast(({ role }) => role === 'tool')?.text ?? '';
        return [
          {
            id: 'out',
            name: 'ssh_exec_output',
            args: { exec_id: unwrapped(last)['exec_id'], wait_ms: 60_000 },
          },
        ];
      }),
      says('Done.'),
    );
    const shown = new Promise<void>((resolve) => {
      session.onEvent(({ body }) => {
        if (body.kind === 'toolProgress' && textOf(body.partial, 'output').endsWith('\n3000\n')) resolve();
      });
    });
    await session.send('Count');
    await withinDeadline('the first lines in the card', shown);
    await session.send('Go on.');
    await model.request(2);
    writeFileSync(more, '');
    await window.settled(session);
    const counted = (last: number): string =>
      Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');
    const saved = (path: string): string =>
      readFileSync(join(window.directory, 'storage', 'scratch', path), 'utf8');
    const [first, second] = resultsOf(session).map(unwrapped);
    const [path, laterPath] = [first, second].map((result) => textOf(result, 'full_output_path'));
    assert.equal(first?.['marker'], `[Showing lines 1001-3000 of 3000. Full output: ${path ?? ''}]`);
    assert.equal(second?.['marker'], `[Showing lines 4001-6000 of 6000. Full output: ${laterPath ?? ''}]`);
    assert.match(laterPath ?? '', /\/outputs\/ssh-exec-output-/);
    assert.equal(saved(path ?? ''), counted(3_000));
    assert.equal(saved(laterPath ?? ''), counted(6_000));
  });
});
