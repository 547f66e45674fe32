import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { systemClock } from '../../src/agentkit/index.ts';
import { TerminalSession } from '../../src/application/terminal/terminalSession.ts';
import type { Fault } from '../../src/domain/fault.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import { connectionFault, faultError } from '../../src/domain/ssh/connectionFault.ts';
import { connectHost } from '../../src/features/hosts/connectCommand.ts';
import { showWhyItFailed } from '../../src/features/terminals/showWhyItFailed.ts';
import { SshTerminal } from '../../src/features/terminals/sshTerminal.ts';
import { Command } from '../../src/ids.ts';
import { commandRegistrar } from '../../src/platform/vscode/commands.ts';
import { until } from '../e2e/harness/until.ts';
import { silentLog } from '../support/silentLog.ts';
import { ManagerBench } from '../unit/application/ssh/managerBench.ts';

const place = { stage: 'transport', hop: 'op@web-1' } as const;
const refused = connectionFault('refused', place, { address: '192.0.2.7', port: '22' });
const wanted: readonly (readonly [string, Fault, boolean])[] = [
  ['nothing listens', refused, true],
  ['the sign-in is refused', connectionFault('auth-failed', { ...place, stage: 'auth' }), true],
  ['the person cancelled it', connectionFault('cancelled', place), false],
  ['the person closed a question', connectionFault('auth-cancelled', { ...place, stage: 'auth' }), false],
];

describe('why a connection failed', () => {
  const id = newHostId();
  const about = { kind: 'host', listing: { id } };
  const putBack: (() => void)[] = [];
  let run: (readonly unknown[])[];
  beforeEach(() => {
    run = [];
    standIn(vscode.commands, 'executeCommand', async (...words: unknown[]) => void run.push(words));
  });
  afterEach(() => {
    for (const one of putBack.splice(0).reverse()) one();
  });

  function standIn(of: object, name: string, stand: (...words: unknown[]) => Promise<unknown>): void {
    const original: unknown = Reflect.get(of, name);
    Reflect.set(of, name, stand);
    putBack.push(() => void Reflect.set(of, name, original));
  }

  for (const [what, fault, isShown] of wanted) {
    const word = isShown ? 'opens the doctor by itself' : 'opens nothing';

    it(`${word} for "Connect" when ${what}`, async () => {
      const acquire = (): Promise<never> => Promise.reject(faultError(fault));
      await connectHost({ connections: { acquire } }, { id, label: 'web-1' });
      assert.deepEqual(run, isShown ? [[Command.showConnectionTrace, about, 'byItself']] : []);
    });

    it(`${word} beside a terminal when ${what}`, async () => {
      const bench = new ManagerBench();
      bench.attempt = () => Promise.reject(faultError(fault));
      const faults: Fault[] = [];
      const pane = new SshTerminal({
        session: new TerminalSession({ hostId: bench.host, connections: bench.manager, clock: systemClock }),
        describeFault: ({ code }) => code,
        onFailed: (failed) => {
          faults.push(failed);
          showWhyItFailed(id, failed);
        },
        onDispose: () => {},
        pastes: {
          mustAsk: async () => true,
          ask: async () => false,
          showProgress: () => ({ sent() {}, done() {} }),
        },
      });
      try {
        pane.open({ rows: 24, columns: 80 });
        await until({ what: 'the end of the attempt', probe: () => pane.session.state.k === 'failed' });
        assert.deepEqual(
          faults.map(({ code }) => code),
          [fault.code],
        );
        assert.deepEqual(run, isShown ? [[Command.showConnectionTrace, about, 'byItself']] : []);
      } finally {
        pane.dispose();
        bench.manager.dispose();
      }
    });
  }

  for (const [press, expected] of [
    ['Show Why', [[Command.showConnectionTrace, about]]],
    ['Show Log', [[Command.showLog]]],
    [undefined, []],
  ] as const)
    it(`is offered with the sentence of another command: ${press ?? 'closing it'}`, async () => {
      const shown: (readonly unknown[])[] = [];
      let tell: () => void = () => {};
      const isAnswered = new Promise<void>((resolve) => (tell = resolve));
      standIn(vscode.window, 'showErrorMessage', async (...words) => {
        shown.push(words);
        tell();
        return press;
      });
      const handlers: ((...words: readonly unknown[]) => Promise<unknown>)[] = [];
      standIn(vscode.commands, 'executeCommand', async (...words) => void run.push(words));
      const original = vscode.commands.registerCommand;
      Reflect.set(vscode.commands, 'registerCommand', (_: string, handler: (typeof handlers)[number]) => {
        handlers.push(handler);
        return { dispose() {} };
      });
      putBack.push(() => void Reflect.set(vscode.commands, 'registerCommand', original));
      const register = commandRegistrar({ log: silentLog, describeError: () => 'It failed.' });
      register(Command.openTerminal, () => Promise.reject(faultError(refused)));
      await handlers[0]?.(about);
      await isAnswered;
      await until({ what: 'what was pressed', probe: () => run.length === expected.length });
      assert.deepEqual([shown, run], [[['It failed.', 'Show Why', 'Show Log']], expected]);
    });
});
