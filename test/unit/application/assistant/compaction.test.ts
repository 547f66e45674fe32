import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ProviderError } from '../../../../src/agentkit/index.ts';
import { standingFacts } from '../../../../src/application/assistant/standingFacts.ts';
import type { ExecRecord } from '../../../../src/application/exec/execRecord.ts';
import { calls, fails, says, ScriptedModel } from './scriptedModel.ts';
import { lab, LibraryScene } from './libraryScene.ts';

const tooLong = fails(new ProviderError({ code: 'contextLength', retryable: false, status: 400 }));

describe('a conversation that was summarised for the model', () => {
  it('shows every message, where the cut is, and sends hosts and running commands along', async () => {
    const run = {
      name: 'ssh_exec_run',
      args: { host_id: lab.id, command: 'tail -f /var/log/app.log', yield_ms: 0 },
    };
    const scene = new LibraryScene(
      new ScriptedModel(calls(run), tooLong, says('## Goal\nWatch the log.'), says('It runs.')),
    );
    scene.host.plays({});
    const session = await scene.library.create();
    await session.setMode('full');
    await session.send('Watch the log of lab, never restart it');
    await scene.settled(session);
    const { messages, compactions, calls: made } = session.snapshot();
    assert.equal(messages.at(-1)?.text, 'It runs.');
    assert.equal(messages.length, 4);
    const [record] = compactions;
    assert.equal(record?.boundary, messages[0]?.id);
    assert.deepEqual((await scene.store.runs.load(session.id))?.compactions, compactions);
    const execId = /"exec_id":"([^"]+)"/.exec(messages[2]?.text ?? '')?.[1] ?? 'none';
    const said = scene.model.said(3);
    assert.match(said[0] ?? '', /^user: <summary>\n.*## Goal\nWatch the log\./s);
    const facts = said[1] ?? '';
    assert.ok(facts.includes(`exec_id ${execId} on "lab": "tail -f /var/log/app.log"`), facts);
    assert.ok(facts.includes(`"lab" (host_id ${lab.id})`));
    assert.ok(facts.includes('Watch the log of lab, never restart it'));
    assert.equal(made.length, 1);
    scene.exec.dispose();
  });
});

describe('the standing facts of a conversation', () => {
  it('name what runs, what waits and which hosts it is about', () => {
    const record = {
      execId: 'e1',
      hostId: lab.id,
      command: `echo ${'x'.repeat(300)}`,
      status: 'running',
    } as ExecRecord;
    const facts = standingFacts({
      hosts: new Map([[lab.id, 'lab "1"']]),
      commands: [record, { ...record, execId: 'e2', status: 'exited' }],
      waiting: [],
      plan: undefined,
    });
    assert.deepEqual(
      facts.map(({ title, lines }) => [title, lines.length]),
      [
        ['Commands of this conversation that still run', 1],
        ['What waits for the user', 0],
        ['Hosts of this conversation', 1],
      ],
    );
    assert.equal(facts[2]?.lines[0], `"lab \\"1\\"" (host_id ${lab.id})`);
    assert.match(facts[0]?.lines[0] ?? '', /^exec_id e1 on "lab \\"1\\"": "echo x{194}…"$/);
  });
});
