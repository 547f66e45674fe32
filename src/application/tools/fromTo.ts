import { z } from 'zod';
import { fileError } from '../../domain/files/fileFault.ts';
import { comparePaths, isAtOrBelow, type RemotePath } from '../../domain/files/remotePath.ts';
import { orMissing } from '../files/save/resolveTarget.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { entryPath } from './entryPath.ts';
import { hostId } from './execInput.ts';
import { pathOf, shownPath } from './fileCall.ts';
import type { FileChange } from './fileChange.ts';
import { kindText } from './fileFields.ts';
import { pathInput } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';

/** What a move and a copy are both told. */
export const fromToFields = {
  host_id: hostId,
  from: pathInput,
  to: pathInput,
  overwrite: z.boolean().optional().describe('Replace a file at the target; never a directory.'),
} as const;

/** Links at the ends are meant themselves. */
export function changeBetween(
  tool: string,
  args: { readonly host_id: string; readonly from: string; readonly to: string },
): FileChange {
  return {
    hostId: args.host_id,
    tool,
    paths: [
      { path: pathOf(args.from), resolve: entryPath },
      { path: pathOf(args.to), resolve: entryPath },
    ],
  };
}

export interface FromTo {
  readonly from: RemotePath;
  readonly to: RemotePath;
}

/** Two paths behind their links. Rejects with `samePath` and `insideSource`. */
export function checkPlaces([from, to]: readonly RemotePath[]): FromTo {
  if (from === undefined || to === undefined) throw new RangeError('a source and a target are needed');
  if (comparePaths(from, to) === 0) throw new FileRefusedError('samePath');
  if (isAtOrBelow(to, from)) throw new FileRefusedError('insideSource');
  return { from, to };
}

/**
 * Whether something stands at the target that may be replaced. Rejects with `directoryInTheWay`, and with `exists` where nothing may be
 * replaced.
 */
export async function checkTarget(
  files: RemoteFiles,
  { to, mayReplace }: { readonly to: RemotePath; readonly mayReplace: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const target = await orMissing(files.lstat(to, signal));
  if (target === undefined) return false;
  if (kindText(target) === 'directory')
    throw new FileRefusedError('directoryInTheWay', { path: shownPath(to) });
  if (!mayReplace) throw fileError('exists', { path: shownPath(to) });
  return true;
}
