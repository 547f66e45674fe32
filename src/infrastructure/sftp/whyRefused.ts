import type { FileSystemSpace, OpenMode } from '../../application/ports/remoteFiles.ts';
import type { Fault, FileFaultCode } from '../../domain/fault.ts';
import { kindOf, type FileAttributes } from '../../domain/files/fileAttributes.ts';
import { fileFault } from '../../domain/files/fileFault.ts';
import { parentOf, showPath, textOfPath, type RemotePath } from '../../domain/files/remotePath.ts';

/** A request that changes or reads something, as far as it matters for why it was refused. */
export type FileRequest =
  | { readonly k: 'open'; readonly path: RemotePath; readonly mode: OpenMode }
  | { readonly k: 'read'; readonly path: RemotePath }
  | { readonly k: 'write'; readonly path: RemotePath; readonly bytes: number }
  | { readonly k: 'flush' | 'close'; readonly path: RemotePath }
  | { readonly k: 'mkdir' | 'remove' | 'setstat'; readonly path: RemotePath }
  | DirectoryRequest
  | { readonly k: 'rename'; readonly path: RemotePath; readonly to: RemotePath; readonly replace: boolean }
  | { readonly k: 'symlink'; readonly path: RemotePath }
  | { readonly k: 'hardlink'; readonly path: RemotePath; readonly to: RemotePath }
  | { readonly k: 'copyData'; readonly path: RemotePath; readonly bytes: number }
  /** Refused without a word it tells nothing more. */
  | {
      readonly k: 'stat' | 'realpath' | 'readlink' | 'statvfs' | 'expandPath' | 'home';
      readonly path: RemotePath;
    };

/** A request that is about a directory and nothing else. */
interface DirectoryRequest {
  readonly k: 'list' | 'rmdir';
  readonly path: RemotePath;
}

/** Questions to the server; undefined where it gives no answer. */
export interface Probe {
  stat(path: RemotePath): Promise<FileAttributes | undefined>;
  lstat(path: RemotePath): Promise<FileAttributes | undefined>;
  space(path: RemotePath): Promise<FileSystemSpace | undefined>;
  /** Whether a directory holds something. */
  hasEntries(path: RemotePath): Promise<boolean | undefined>;
}

/** A way up from a file to its file system, at most. */
const maxParents = 40;

/**
 * Why a server refused a request of which it says only that it failed, by looking at what it has now; undefined where that tells nothing.
 * Source: ssh.md 8.4, "Meaning of code 4"; SFTP-7.
 */
export async function whyRefused(request: FileRequest, probe: Probe): Promise<Fault | undefined> {
  const about = (code: FileFaultCode, path: RemotePath = request.path): Fault =>
    fileFault(code, { path: showPath(path) });
  switch (request.k) {
    case 'open':
      return openRefused(request, probe);
    case 'read':
      return isDirectory(await probe.stat(request.path)) ? about('is-directory') : undefined;
    case 'write':
    case 'copyData':
      return spaceFault(request.path, request.bytes, probe);
    case 'flush':
    case 'close':
      return spaceFault(request.path, 1, probe);
    case 'mkdir':
    case 'symlink':
      if ((await probe.lstat(request.path)) !== undefined) return about('exists');
      return noRoomFor(request.path, probe);
    case 'list':
      return (await isNoDirectory(request, probe)) ? about('not-directory') : undefined;
    case 'rmdir':
      if (await isNoDirectory(request, probe)) return about('not-directory');
      if (await probe.hasEntries(request.path)) return about('not-empty');
      return (await readOnlyFault(request.path, probe)) ?? about('busy');
    case 'remove':
      if (isDirectory(await probe.lstat(request.path))) return about('is-directory');
      return readOnlyFault(request.path, probe);
    case 'setstat':
      return readOnlyFault(request.path, probe);
    case 'rename':
      return renameRefused(request, probe);
    case 'hardlink':
      if ((await probe.lstat(request.path)) !== undefined) return about('exists');
      return (await otherFileSystem(request, probe)) ?? noRoomFor(request.path, probe);
    case 'stat':
    case 'realpath':
    case 'readlink':
    case 'statvfs':
    case 'expandPath':
    case 'home':
      return undefined;
  }
}

/** Whether a request is about a directory, and something else is there. Servers call that missing, like what is not there. */
export async function isNoDirectory(request: FileRequest, probe: Probe): Promise<boolean> {
  if (request.k !== 'list' && request.k !== 'rmdir') return false;
  const there = await (request.k === 'list' ? probe.stat(request.path) : probe.lstat(request.path));
  const kind = there === undefined ? undefined : kindOf(there);
  return kind !== undefined && kind !== 'directory';
}

async function openRefused(
  { path, mode }: Extract<FileRequest, { k: 'open' }>,
  probe: Probe,
): Promise<Fault | undefined> {
  if (mode.access === 'read') return undefined;
  const about = (code: FileFaultCode): Fault => fileFault(code, { path: showPath(path) });
  const there = await probe.stat(path);
  if (there === undefined) return noRoomFor(path, probe);
  if (isDirectory(there)) return about('is-directory');
  if (mode.create === 'new') return about('exists');
  const readOnly = await readOnlyFault(path, probe);
  if (readOnly !== undefined) return readOnly;
  // Only a program that runs keeps others from writing to its file.
  return kindOf(there) === 'file' && ((there.mode ?? 0) & 0o111) !== 0 ? about('busy') : undefined;
}

async function renameRefused(
  request: Extract<FileRequest, { k: 'rename' }>,
  probe: Probe,
): Promise<Fault | undefined> {
  const at = { path: showPath(request.to) };
  const there = await probe.lstat(request.to);
  if (there !== undefined) {
    if (!request.replace) return fileFault('exists', at);
    if (isDirectory(there))
      return fileFault((await probe.hasEntries(request.to)) ? 'not-empty' : 'exists', at);
  }
  return (
    (await otherFileSystem({ path: request.to, to: request.path }, probe)) ?? noRoomFor(request.to, probe)
  );
}

/** `path` is the name that is made, `to` what it stands for. */
async function otherFileSystem(
  { path, to }: { readonly path: RemotePath; readonly to: RemotePath },
  probe: Probe,
): Promise<Fault | undefined> {
  const [here, there] = [await probe.space(parentOf(path)), await probe.space(parentOf(to))];
  if (here === undefined || there === undefined || here.id === there.id) return undefined;
  return fileFault('other-filesystem', { path: showPath(path) });
}

/** A new name needs room in its directory, and one more file. */
async function noRoomFor(path: RemotePath, probe: Probe): Promise<Fault | undefined> {
  const parent = parentOf(path);
  const space = await probe.space(parent);
  if (space === undefined) return undefined;
  if (space.isReadOnly) return fileFault('read-only', { path: showPath(path) });
  if (space.available > 0 && (space.files.total === 0 || space.files.available > 0)) return undefined;
  return noSpace(parent, space, probe);
}

async function readOnlyFault(path: RemotePath, probe: Probe): Promise<Fault | undefined> {
  return (await probe.space(parentOf(path)))?.isReadOnly === true
    ? fileFault('read-only', { path: showPath(path) })
    : undefined;
}

/** An open file takes no more: either its file system is full or only this user's share of it. */
async function spaceFault(path: RemotePath, bytes: number, probe: Probe): Promise<Fault | undefined> {
  const space = (await probe.space(path)) ?? (await probe.space(parentOf(path)));
  if (space === undefined) return undefined;
  if (space.isReadOnly) return fileFault('read-only', { path: showPath(path) });
  if (space.available < bytes) return noSpace(path, space, probe);
  return fileFault('quota', { path: showPath(path) });
}

/** Names the topmost directory of the file system that is full. */
async function noSpace(path: RemotePath, space: FileSystemSpace, probe: Probe): Promise<Fault> {
  let top = path;
  for (let n = 0; n < maxParents; n++) {
    const parent = parentOf(top);
    if (textOfPath(parent) === textOfPath(top) || (await probe.space(parent))?.id !== space.id) break;
    top = parent;
  }
  return fileFault('no-space', { path: showPath(top) });
}

function isDirectory(attributes: FileAttributes | undefined): boolean {
  return attributes !== undefined && kindOf(attributes) === 'directory';
}
