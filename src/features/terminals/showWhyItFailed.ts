import * as vscode from 'vscode';
import { isWorthShowing, type Fault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { Command } from '../../ids.ts';

/** Opens the doctor beside a terminal that could not be opened, unless the person wanted it so. Source: ssh.md 1.10. */
export function showWhyItFailed(id: HostId, fault: Fault): void {
  if (!isWorthShowing(fault)) return;
  void vscode.commands.executeCommand(
    Command.showConnectionTrace,
    { kind: 'host', listing: { id } },
    'byItself',
  );
}
