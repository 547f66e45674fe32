import { createHash } from 'node:crypto';
import { textOfBytes } from '../../../domain/files/nameText.ts';
import type { LocalAttributes, LocalFilesPort, LocalFolder } from '../../ports/localFiles.ts';
import type { TransferDeps } from './transferDeps.ts';

const readBytes = 1024 * 1024;

/** A path of this machine within the allowed folders, links on the way to it resolved. */
export interface LocalSpot {
  /** Absolute, without links. */
  readonly folder: string;
  /** Spelt as `textOfPath` spells names. */
  readonly name: string;
  /** Undefined: nothing is there. */
  readonly attributes: LocalAttributes | undefined;
}

/** What is wrong with a path that a caller gave. The message is for the caller. */
export class LocalPathRefused extends Error {
  override readonly name = 'LocalPathRefused';
}

/** Rejects with `LocalPathRefused` for a path that is not absolute or leads out of the roots, and with the faults of the folder. */
export async function localSpot(
  { local, roots }: Pick<TransferDeps, 'local' | 'roots'>,
  text: string,
): Promise<LocalSpot> {
  const split = splitPath(text);
  if (split === undefined)
    throw new LocalPathRefused('local_path must be an absolute path without "." and ".." to a file.');
  const { parent, name } = split;
  return inFolder(local, parent, async (folder) => {
    if (!(await isInside(local, folder.path, roots())))
      throw new LocalPathRefused(
        `${text} lies outside the folders that the user allows for transfers (setting termind.mcp.transferRoots).`,
      );
    const spelt = textOfBytes(Buffer.from(name));
    return { folder: folder.path, name: spelt, attributes: await folder.stat([spelt]) };
  });
}

/** SHA-256 in hexadecimal of what the file holds now. Rejects with the faults of the file, and when the signal aborts. */
export function digestOfSpot(
  local: LocalFilesPort,
  { folder, name }: Pick<LocalSpot, 'folder' | 'name'>,
  signal: AbortSignal,
): Promise<string> {
  return inFolder(local, folder, async (opened) => {
    const file = await opened.openRead([name]);
    try {
      const digest = createHash('sha256');
      for (let offset = 0; ;) {
        signal.throwIfAborted();
        const bytes = await file.read(offset, readBytes);
        if (bytes.length === 0) return digest.digest('hex');
        digest.update(bytes);
        offset += bytes.length;
      }
    } finally {
      await file.close();
    }
  });
}

/** The folder and the name of an absolute, normalised path, of a POSIX system or of Windows. Undefined for any other text. */
function splitPath(text: string): { readonly parent: string; readonly name: string } | undefined {
  const root = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.exec(text)?.[0];
  if (root === undefined) return undefined;
  const separator = root === '/' ? /\// : /[\\/]/;
  const names = text.slice(root.length).split(separator);
  const name = names.at(-1);
  if (name === undefined || names.some((one) => one === '' || one === '.' || one === '..')) return undefined;
  const parent = text.slice(0, text.length - name.length);
  return { parent: parent === root ? root : parent.slice(0, -1), name };
}

async function isInside(local: LocalFilesPort, folder: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const real = await inFolder(local, root, async (opened) => opened.path).catch(() => undefined);
    if (real !== undefined && isBelow(folder, real)) return true;
  }
  return false;
}

/** Both absolute and without links. */
function isBelow(folder: string, root: string): boolean {
  const separator = root.includes('/') ? '/' : '\\';
  return folder === root || folder.startsWith(root.endsWith(separator) ? root : `${root}${separator}`);
}

async function inFolder<T>(
  local: LocalFilesPort,
  at: string,
  work: (folder: LocalFolder) => Promise<T>,
): Promise<T> {
  const folder = await local.openFolder(at);
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}
