import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { appeared } from '../../support/appeared.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, textOf, unwrapped } from './labWindow.ts';
import { calls, command, says } from './scripts.ts';

describe('a link that is cut in the middle of a command', function () {
  this.timeout(120_000);
  let sshd: Sshd;
  let proxy: FaultProxy;
  let model: ScriptedModel;
  let window: LabWindow;
  let folder: ReturnType<typeof sharedFolder>;
  let files: string;

  beforeEach(async () => {
    folder = sharedFolder();
    files = folder.path;
    [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
    proxy = await startFaultProxy({ port: sshd.port });
    const sshConfig = sshd.configText('lab').replace(`Port ${sshd.port}`, `Port ${proxy.port}`);
    window = new LabWindow({ sshConfig, baseUrl: model.baseUrl, mode: 'full' });
  });
  afterEach(async () => {
    window.close();
    window.remove();
    folder.remove();
    await proxy.stop();
    await Promise.all([sshd.stop(), model.stop()]);
    assert.deepEqual(model.violations, []);
  });

  it('leaves the outcome unknown, keeps the output so far and repeats nothing', async () => {
    const counter = join(files, 'counter');
    const lab = await window.hostId('lab');
    const session = await window.services.assistant.create();
    model.enqueue(
      calls(command('cut', lab, `echo begun; echo ran >> ${counter}; sleep 600`)),
      calls(command('again', lab, `cat ${counter}`)),
      says('It ran once.'),
    );
    const arrived = new Promise<void>((resolve) => {
      session.onEvent(({ body }) => {
        if (body.kind === 'toolProgress') resolve();
      });
    });
    await session.send('Do it');
    await appeared(counter);
    await withinDeadline('the output so far', arrived);
    proxy.cutAll('reset');
    await window.settled(session);
    const [lost, after] = resultsOf(session).map(unwrapped);
    const { status, exit_code, signal, output } = lost ?? {};
    const note = textOf(lost, 'note').replace(/-p \d+ /, '-p <group> ');
    assert.deepEqual(
      { status, exit_code, signal, note, output },
      {
        status: 'lost',
        exit_code: null,
        signal: null,
        note: 'Outcome unknown: the link was lost. The command may have finished or may still run. To find out whether it still runs: ps -p <group> -o pid,etime,args',
        output: 'begun\n',
      },
    );
    assert.equal(after?.['output'], 'ran\n');
    assert.equal(readFileSync(counter, 'utf8'), 'ran\n');
  });
});
