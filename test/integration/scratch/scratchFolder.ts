import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  AgentError,
  ScratchWorkspace,
  systemClock,
  type ClockPort,
  type FolderAccess,
} from '../../../src/agentkit/index.ts';
import { isOwnerGone, thisProcess } from '../../../src/infrastructure/store/leases.ts';

export const signal = new AbortController().signal;

const self = thisProcess('test');
export const lockOwner = {
  self: { pid: self.pid, startToken: self.startToken, machine: self.machine },
  isGone: (owner: { pid: number; startToken: string; machine: string }): boolean =>
    isOwnerGone({ windowId: '', ...owner }),
};

/** A scratch root of its own in a folder of its own; `remove` takes both away. */
export interface ScratchFolder {
  readonly folder: string;
  readonly root: string;
  open(options?: { readonly clock?: ClockPort; readonly folderAccess?: FolderAccess }): ScratchWorkspace;
  remove(): void;
}

export function scratchFolder(): ScratchFolder {
  const folder = mkdtempSync(path.join(tmpdir(), 'termind-scratch-'));
  const root = path.join(folder, 'scratch');
  return {
    folder,
    root,
    open: (options = {}) => new ScratchWorkspace({ root, clock: systemClock, lockOwner, ...options }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function bytes(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/** For `assert.rejects`: an `AgentError` with this sentence. */
export function says(sentence: string): (error: unknown) => boolean {
  return (error) => {
    if (error instanceof AgentError && error.message === sentence) return true;
    throw error;
  };
}
