import { networkInterfaces } from 'node:os';
import * as vscode from 'vscode';
import { DisposableBag, Emitter, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import type { WakeSignal, WakeSignalsPort } from '../../application/ports/wakeSignals.ts';

/** Away for less than this nothing is checked. Source: ssh.md 1.6. */
const awayMs = 60_000;

/**
 * Tells when the window is looked at again after a minute or more, and whether the machine's own addresses have changed by then. They are
 * read at those moments only. The caller disposes it.
 */
export function windowWakeSignals(clock: ClockPort): WakeSignalsPort & Disposable {
  const bag = new DisposableBag();
  const signals = bag.add(new Emitter<WakeSignal>());
  let leftAt = vscode.window.state.focused ? undefined : clock.now();
  let addresses = ownAddresses();
  bag.add(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (!focused) {
        leftAt ??= clock.now();
        return;
      }
      const wasAway = leftAt !== undefined && clock.now() - leftAt >= awayMs;
      leftAt = undefined;
      const before = addresses;
      addresses = ownAddresses();
      if (before !== addresses) signals.fire('network');
      else if (wasAway) signals.fire('focus');
    }),
  );
  return { onSignal: signals.event, dispose: () => bag.dispose() };
}

function ownAddresses(): string {
  return Object.values(networkInterfaces())
    .flatMap((entries) => (entries ?? []).map(({ address, internal }) => (internal ? '' : address)))
    .sort()
    .join(' ');
}
