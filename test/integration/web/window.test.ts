import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { page, startWebServer, type WebServer } from '../../lab/webServer.ts';
import { LabWindow, resultsOf, textOf, unwrapped } from '../assistant/labWindow.ts';
import { calls, says } from '../assistant/scripts.ts';

const canary = 'canary-4f1c9b27';

describe('the web in a whole window', () => {
  let model: ScriptedModel;
  let window: LabWindow;
  let server: WebServer;

  beforeEach(async () => {
    model = await startScriptedModel();
    window = new LabWindow({ sshConfig: '', baseUrl: model.baseUrl });
    server = await startWebServer({
      '/status': page('<title>Status</title><h1>All up</h1>', { 'Content-Type': 'text/html' }),
      '/long': page('one line of many\n'.repeat(3_000)),
    });
  });
  afterEach(async () => {
    window.close();
    window.remove();
    await Promise.all([model.stop(), server.stop()]);
    assert.deepEqual(model.violations, []);
  });

  async function fetching(path: string, verdict: 'approve' | 'deny') {
    const url = `http://localhost:${server.port}${path}`;
    const headers = [{ name: 'Authorization', value: `Bearer ${canary}` }];
    model.enqueue(calls({ id: 'f', name: 'fetch', args: { url, headers } }), says('I see.'));
    const session = await window.services.assistant.create();
    await session.send('Is it up?');
    const { request } = await window.decide(verdict);
    await window.settled(session);
    return { session, request, result: resultsOf(session)[0] ?? '' };
  }

  it('is read behind a decision, and a secret header reaches the server and nothing that is kept', async () => {
    const { request, result } = await fetching('/status', 'approve');
    assert.deepEqual(
      [request.subject.target, request.subject.details.at(-1)],
      ['localhost', { label: 'Header', value: 'Authorization: [redacted]' }],
    );
    const read = unwrapped(result);
    assert.deepEqual([textOf(read, 'content'), textOf(read, 'title')], ['# All up\n', 'Status']);
    assert.ok(server.visits[0]?.rawHeaders.includes(`Bearer ${canary}`));
    window.close();
    assert.deepEqual(filesWith(canary, join(window.directory, 'storage')), []);
  });

  it('is left alone when the person says no', async () => {
    const { result } = await fetching('/status', 'deny');
    assert.match(result, /^The user denied this call/);
    assert.equal(server.connections, 0);
  });

  it('keeps a long document whole in scratch', async () => {
    const { session, result } = await fetching('/long', 'approve');
    const read = unwrapped(result);
    const path = textOf(read, 'full_output_path');
    assert.match(path, new RegExp(`^${session.id}/outputs/fetch-[0-9a-f-]{36}\\.txt$`));
    assert.equal(read['total_lines'], 3_000);
    const saved = await window.services.scratch.read(path, new AbortController().signal);
    assert.equal(saved.toString('utf8'), 'one line of many\n'.repeat(3_000));
  });
});

function filesWith(text: string, folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}
