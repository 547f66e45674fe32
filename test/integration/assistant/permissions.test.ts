import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ConversationSession } from '../../../src/application/assistant/assistantLibrary.ts';
import { parseHostId } from '../../../src/domain/host/hostId.ts';
import { linkedRecord } from '../../../src/application/vault/linkedRecord.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf } from './labWindow.ts';
import { calls, command, says } from './scripts.ts';

describe('what a person permits on a real host', function () {
  this.timeout(120_000);
  let sshd: Sshd;
  let model: ScriptedModel;
  let folder: ReturnType<typeof sharedFolder>;
  let window: LabWindow;
  let session: ConversationSession;
  let lab: string;

  beforeEach(async () => {
    folder = sharedFolder();
    [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
    window = new LabWindow({ sshConfig: sshd.configText('lab'), baseUrl: model.baseUrl });
    lab = await window.hostId('lab');
    session = await window.services.assistant.create();
  });
  afterEach(async () => {
    window.close();
    window.remove();
    folder.remove();
    await Promise.all([sshd.stop(), model.stop()]);
  });

  const path = (name: string): string => join(folder.path, name);
  const make = (...names: readonly string[]): void => {
    for (const name of names) writeFileSync(path(name), 'x');
  };

  async function production(): Promise<void> {
    const id = parseHostId(lab);
    const listing = id && (await window.services.hosts.get(id));
    assert.ok(listing);
    await window.services.hostStore.put({ ...linkedRecord(listing), tier: 'prod' });
  }

  it('an edited command runs as edited, and the model reads what was changed', async () => {
    make('a', 'b');
    model.enqueue(calls(command('c1', lab, `rm ${path('a')}`)), says('Done.'));
    await session.send('Tidy up.');
    const { request } = await window.approval();
    const answer = await window.services.assistant.approvals.revise({
      approvalId: request.id,
      shownDigest: request.digest,
      text: `rm ${path('b')}`,
    });
    assert.deepEqual(answer, { kind: 'revised' });
    await window.decide('approve');
    await window.settled(session);
    assert.deepEqual([existsSync(path('a')), existsSync(path('b'))], [true, false]);
    assert.match(resultsOf(session)[0] ?? '', /"edited_by_user":\{"command":"rm /);
  });

  it('what is allowed for the conversation runs again without a question, in the next window too', async () => {
    const run = `touch ${path('new')}`;
    model.enqueue(
      calls(command('c1', lab, run)),
      says('Done.'),
      calls(command('c2', lab, run)),
      says('Again.'),
    );
    await session.send('Touch it.');
    const { request } = await window.approval();
    window.services.assistant.approvals.settle({
      approvalId: request.id,
      shownDigest: request.digest,
      verdict: 'approveForConversation',
    });
    await window.settled(session);
    await window.services.close();

    const { directory } = window;
    window = new LabWindow({ sshConfig: sshd.configText('lab'), baseUrl: model.baseUrl, directory });
    const reopened = await window.services.assistant.open(session.id);
    assert.ok(reopened);
    await reopened.send('Touch it again.');
    await window.settled(reopened);
    assert.deepEqual(window.services.assistant.approvals.waiting, []);
    assert.match(resultsOf(reopened)[1] ?? '', /"exit_code":0/);
  });

  it('a production host changes nothing until it is raised, and is read-only again behind the request', async () => {
    make('a');
    await production();
    const attempt = (id: string) => calls(command(id, lab, `rm ${path('a')}`));
    model.enqueue(
      attempt('c1'),
      says('Refused.'),
      attempt('c2'),
      says('Done.'),
      attempt('c3'),
      says('Refused.'),
    );
    await session.setMode('full');
    await session.send('Tidy up.');
    await window.settled(session);
    assert.match(resultsOf(session)[0] ?? '', /is a production host and read-only/);
    assert.equal(existsSync(path('a')), true);

    const id = parseHostId(lab);
    assert.ok(id);
    await session.setMode('ask');
    window.services.assistant.raised.raise(session.id, { id, label: 'lab' });
    await session.send('Now.');
    const { request } = await window.decide('approve');
    await window.settled(session);
    assert.equal(request.subject.tier, 'prod');
    assert.match(JSON.stringify(request.subject.details), /Raised by you for this request/);
    assert.equal(existsSync(path('a')), false);

    make('a');
    await session.send('And again.');
    await window.settled(session);
    assert.match(resultsOf(session)[2] ?? '', /is a production host and read-only/);
    assert.equal(readFileSync(path('a'), 'utf8'), 'x');
  });
});
