import { hasCode } from '../../../domain/fault.ts';
import { isOnDrive, nameOf, parentOf, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { FileIdentity } from '../../../domain/files/saveWay.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { commandWord } from './commandWord.ts';

/** A directory is not read further than this for one number. */
const maxListed = 10_000;

/** By `ls` where commands are allowed, otherwise by the listing of the directory. Rejects as `RemoteFiles`. Source: ssh.md 8.5, "resolved". */
export async function fileIdentity(
  { files, commands }: { readonly files: RemoteFiles; readonly commands: HostCommands | undefined },
  path: RemotePath,
  signal: AbortSignal,
): Promise<FileIdentity> {
  const told = commands === undefined ? undefined : await askLs(commands, path, signal);
  if (told !== undefined) return told;
  // On Windows every file has one, and its directory gives new files another.
  return { links: await listedLinks(files, path, signal), hasAccessList: isOnDrive(path), hasLabel: false };
}

/** Ten characters of mode, a mark for further rights, the number of names. Source: POSIX.1-2017, `ls`, "STDOUT"; GNU coreutils, "ls -l". */
const line = /^\S{10}([.+@]?)\s+(\d+)\s/;

async function askLs(
  commands: HostCommands,
  path: RemotePath,
  signal: AbortSignal,
): Promise<FileIdentity | undefined> {
  const word = commandWord(path);
  if (word === undefined) return undefined;
  try {
    const { stdout, code } = await commands.run(
      { script: 'ls -ld "$1"', arguments: [word], isChange: false },
      signal,
    );
    const [, mark, links] = line.exec(Buffer.from(stdout).toString('latin1')) ?? [];
    if (code !== 0 || links === undefined) return undefined;
    return { links: Number(links), hasAccessList: mark === '+', hasLabel: mark === '.' };
  } catch {
    return undefined; // the listing tells it as well
  }
}

async function listedLinks(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<number | undefined> {
  const name = nameOf(path);
  if (name === undefined) return undefined;
  let listed = 0;
  try {
    for await (const { entries } of files.list(parentOf(path), signal)) {
      const own = entries.find((entry) => Buffer.compare(entry.name, name) === 0);
      if (own !== undefined) return own.links;
      listed += entries.length;
      if (listed > maxListed) return undefined;
    }
  } catch (error) {
    if (!hasCode(error, 'denied')) throw error;
  }
  return undefined;
}
