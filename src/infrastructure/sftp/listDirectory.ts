import type { DirectoryPage } from '../../application/ports/remoteFiles.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import { sshString } from '../../domain/keys/wire.ts';
import { expected, handleCall, isEndOfFile, pathField, type Call } from './calls.ts';
import { directoryPage } from './directoryEntry.ts';
import type { FileRequests } from './fileRequests.ts';
import { packetType } from './protocol.ts';
import { readNames } from './replies.ts';

/**
 * The pages of a directory, with `ahead` requests on their way; more than one only where the server answers them in order. Leaving it early
 * closes the directory. Source: ssh.md 8.2 and 8.7, 6.
 */
export async function* listDirectory(
  requests: FileRequests,
  directory: { readonly path: RemotePath; readonly ahead: number },
  signal: AbortSignal,
): AsyncGenerator<DirectoryPage, void, undefined> {
  const about = { k: 'list', path: directory.path } as const;
  const handle = await requests.ask(about, openCall(requests, directory.path), signal);
  const waiting: Promise<DirectoryPage | undefined>[] = [];
  try {
    for (;;) {
      while (waiting.length < directory.ahead) {
        const next = requests.ask(about, pageCall(handle), signal);
        next.catch(() => {}); // told when its turn comes
        waiting.push(next);
      }
      const page = await waiting.shift();
      if (page === undefined) return;
      yield page;
    }
  } finally {
    requests.closeHandle(handle);
  }
}

/** Whether a directory holds anything. Rejects with `RefusedRequest` or a fault when it cannot be read. */
export async function hasEntries(
  requests: FileRequests,
  path: RemotePath,
  signal: AbortSignal,
): Promise<boolean> {
  const handle = await requests.send(openCall(requests, path), signal);
  try {
    for (;;) {
      const page = await requests.send(pageCall(handle), signal);
      if (page === undefined) return false;
      if (page.entries.length + page.refused.length > 0) return true;
    }
  } finally {
    requests.closeHandle(handle);
  }
}

function openCall(requests: FileRequests, path: RemotePath): Call<Buffer> {
  const message = { type: packetType.opendir, fields: [pathField(path)], isChange: false };
  return handleCall(message, (handle) => requests.closeHandle(handle));
}

/** Undefined at the end. An answer without a name is the end as well: a server could go on with them for ever. */
function pageCall(handle: Buffer): Call<DirectoryPage | undefined> {
  return {
    type: packetType.readdir,
    fields: [sshString(handle)],
    isChange: false,
    read: (reply) => {
      if (isEndOfFile(reply)) return undefined;
      const files = readNames(expected(reply, packetType.name));
      return files.length === 0 ? undefined : directoryPage(files);
    },
  };
}
