import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, textOf, unwrapped } from './labWindow.ts';
import { calls, command, says } from './scripts.ts';

describe('a scratch that is full', function () {
  this.timeout(120_000);
  let sshd: Sshd;
  let model: ScriptedModel;
  let window: LabWindow;
  let folder: ReturnType<typeof sharedFolder>;
  let files: string;

  beforeEach(async () => {
    folder = sharedFolder();
    files = folder.path;
    [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
    window = new LabWindow({ sshConfig: sshd.configText('lab'), baseUrl: model.baseUrl });
  });
  afterEach(async () => {
    window.close();
    window.remove();
    folder.remove();
    await Promise.all([sshd.stop(), model.stop()]);
    assert.deepEqual(model.violations, []);
  });

  it('costs the saved file and not the result: no path is claimed, and the reason is said', async () => {
    const scratch = join(window.directory, 'storage', 'scratch');
    mkdirSync(scratch, { recursive: true });
    for (let index = 0; index < 512; index++) writeFileSync(join(scratch, `f${index}`), '');
    const log = join(files, 'app.log');
    writeFileSync(log, 'line\n'.repeat(5_000));
    const lab = await window.hostId('lab');
    const session = await window.services.assistant.create();
    model.enqueue(calls(command('cat', lab, `cat ${log}`)), says('Read.'));
    await session.send('Show me the log');
    await window.settled(session);
    const result = unwrapped(resultsOf(session)[0] ?? '');
    assert.equal(result['marker'], '[Showing lines 3001-5000 of 5000]');
    assert.equal(result['exit_code'], 0);
    assert.equal('full_output_path' in result, false);
    assert.match(textOf(result, 'capture_error'), /512/);
  });
});
