import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf } from './labWindow.ts';
import { calls, command, says } from './scripts.ts';

describe('a host whose configuration leads somewhere else meanwhile', function () {
  this.timeout(120_000);
  let before: Sshd;
  let after: Sshd;
  let model: ScriptedModel;
  let folder: ReturnType<typeof sharedFolder>;
  let directory: string;
  let window: LabWindow | undefined;

  beforeEach(async () => {
    folder = sharedFolder();
    directory = mkdtempSync(join(tmpdir(), 'termind-moved-'));
    [before, model] = await Promise.all([
      startLabHost({ environment: { WHERE: 'before' } }),
      startScriptedModel(),
    ]);
  });
  afterEach(async () => {
    window?.close();
    folder.remove();
    rmSync(directory, { recursive: true, force: true });
    await Promise.all([before.stop(), after.stop(), model.stop()]);
  });

  it('is reached where the card says, also when the change was told by nobody', async () => {
    after = await startLabHost({ environment: { WHERE: 'after' } });
    const real = join(directory, 'real_config');
    symlinkSync(real, join(directory, 'ssh_config'));
    window = new LabWindow({ sshConfig: before.configText('lab'), baseUrl: model.baseUrl, directory });
    const lab = await window.hostId('lab');
    const session = await window.services.assistant.create();
    const ran = join(folder.path, 'ran');
    model.enqueue(
      calls(command('a', lab, 'printenv WHERE')),
      says('Seen.'),
      calls(command('b', lab, `sh -c 'echo $WHERE > ${ran}'`)),
      says('Done.'),
    );
    await session.send('Look.');
    await window.settled(session);
    assert.match(resultsOf(session)[0] ?? '', /before/);

    writeFileSync(real, after.configText('lab'));
    await session.send('Write.');
    const { subject } = (await window.approval()).request;
    assert.equal(subject.details[0]?.value, `127.0.0.1:${String(after.port)}`);
    await window.decide('approve');
    await window.settled(session);
    assert.equal(readFileSync(ran, 'utf8'), 'after\n');
  });

  it('is not proven read-only by the shell of the machine before', async () => {
    const received = join(folder.path, 'received');
    after = await startLabHost({
      forceCommand: `printf '%%s\\n' "$SSH_ORIGINAL_COMMAND" >> ${received}; exit 3`,
    });
    window = new LabWindow({ sshConfig: before.configText('lab'), baseUrl: model.baseUrl, directory });
    const lab = await window.hostId('lab');
    const session = await window.services.assistant.create();
    model.enqueue(
      calls(command('a', lab, 'uptime')),
      says('Seen.'),
      calls(command('b', lab, 'df -h')),
      says('Done.'),
    );
    await session.send('Look.');
    await window.settled(session);

    writeFileSync(join(directory, 'ssh_config'), after.configText('lab'));
    await session.send('Look again.');
    await window.decide('deny');
    await window.settled(session);
    const sent = existsSync(received) ? readFileSync(received, 'utf8') : '';
    assert.doesNotMatch(sent, /^df -h$/m);
    assert.match(resultsOf(session)[1] ?? '', /denied/);
  });
});
