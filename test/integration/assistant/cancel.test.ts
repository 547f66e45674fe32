import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'mocha';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd, SshdOptions } from '../../lab/sshd.ts';
import { ended, isAlive } from '../../lab/processes.ts';
import { appeared } from '../../support/appeared.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, unwrapped } from './labWindow.ts';
import { calls, callsOn, command, says } from './scripts.ts';

describe('CON-11: cancelling a command on a real host', function () {
  this.timeout(120_000);
  let sshd: Sshd | undefined;
  let model: ScriptedModel | undefined;
  let window: LabWindow | undefined;
  const folder = sharedFolder();

  afterEach(async () => {
    window?.close();
    window?.remove();
    await Promise.all([sshd?.stop(), model?.stop()]);
    assert.deepEqual(model?.violations, []);
  });
  after(() => folder.remove());

  /** Starts a command that writes its process id, cancels it with `signal` and gives the report and the id. */
  async function cancelled(
    signal: string,
    host: SshdOptions,
  ): Promise<{ report: Record<string, unknown>; pid: number }> {
    [sshd, model] = await Promise.all([startLabHost(host), startScriptedModel()]);
    window = new LabWindow({ sshConfig: sshd.configText('lab'), baseUrl: model.baseUrl, mode: 'full' });
    const lab = await window.hostId('lab');
    const file = join(folder.path, `pid-${signal}-${sshd.port}`);
    const session = await window.services.assistant.create();
    model.enqueue(
      calls(
        command('run', lab, {
          line: `echo $$ > ${file}.new; mv ${file}.new ${file}; sleep 600; true`,
          yield_ms: 120_000,
        }),
      ),
      callsOn(({ conversation }) => {
        const last = conversation.messages.findLast(({ role }) => role === 'tool')?.text ?? '';
        return [
          { id: 'stop', name: 'ssh_exec_cancel', args: { exec_id: unwrapped(last)['exec_id'], signal } },
        ];
      }),
      says('Done.'),
    );
    await session.send('Run it');
    await appeared(file);
    await session.send('Stop it.');
    await window.settled(session);
    const { exec_id: _, ...report } = unwrapped(resultsOf(session)[1] ?? '');
    return { report, pid: Number(readFileSync(file, 'utf8')) };
  }

  it('reports the signal that the host confirmed', async () => {
    const { report, pid } = await cancelled('TERM', {});
    assert.deepEqual(report, {
      status: 'cancelled',
      exit_code: null,
      signal: 'TERM',
      method: 'signal',
      outcome_known: true,
    });
    await ended([pid]);
  });

  const withoutSignals: SshdOptions = { forceCommand: 'eval "$SSH_ORIGINAL_COMMAND"' };

  it('closes the channel where the server passes no signal on, and claims nothing: the process is still there', async () => {
    const { report, pid } = await cancelled('TERM', withoutSignals);
    assert.deepEqual(report, {
      status: 'cancelled',
      exit_code: null,
      signal: null,
      method: 'channel_close',
      outcome_known: false,
    });
    assert.equal(isAlive(pid), true);
  });

  it('kills the recorded process group with KILL where the server passes no signal on', async () => {
    const { report, pid } = await cancelled('KILL', withoutSignals);
    assert.deepEqual(report, {
      status: 'cancelled',
      exit_code: null,
      signal: 'KILL',
      method: 'group_kill',
      outcome_known: true,
    });
    await ended([pid]);
  });
});
