import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemClock, type ClockPort } from '../../../src/agentkit/index.ts';
import type {
  DirectoryEntry,
  OptionalOperation,
  RemoteFile,
  RemoteFiles,
} from '../../../src/application/ports/remoteFiles.ts';
import { readFile } from '../../../src/application/files/readFile.ts';
import { writeFile } from '../../../src/application/files/writeFile.ts';
import { pathOfText, remotePath, type RemotePath } from '../../../src/domain/files/remotePath.ts';
import { SftpClient } from '../../../src/infrastructure/sftp/sftpClient.ts';
import { startScriptedSftp, type ScriptedSftp, type SftpScript } from '../../lab/scriptedSftp.ts';
import { never } from '../ssh/sshBench.ts';

/** A folder for one suite, and clients of scripted servers that end with it. */
export class SftpFolder {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'termind-sftp-'));
  readonly #servers: ScriptedSftp[] = [];

  /** A path in the folder, as the server and as this machine names it. */
  at(...names: string[]): { readonly remote: RemotePath; readonly local: string } {
    const local = path.join(this.folder, ...names);
    return { remote: pathOfText(local), local };
  }

  /** As `at`, for a name of any bytes. */
  atBytes(name: Buffer): { readonly remote: RemotePath; readonly local: Buffer } {
    const local = Buffer.concat([Buffer.from(`${this.folder}/`), name]);
    return { remote: remotePath(local), local };
  }

  async client(
    script: SftpScript = {},
    options: { readonly clock?: ClockPort; readonly onRefused?: (operation: OptionalOperation) => void } = {},
  ): Promise<{ readonly files: SftpClient; readonly server: ScriptedSftp }> {
    const server = startScriptedSftp(script);
    this.#servers.push(server);
    const files = await SftpClient.start(
      server.stream,
      {
        clock: options.clock ?? systemClock,
        way: 'subsystem',
        refused: [],
        onRefused: options.onRefused ?? (() => {}),
      },
      never,
    );
    return { files, server };
  }

  dispose(): void {
    for (const server of this.#servers.splice(0)) server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function readAll(files: RemoteFiles, at: RemotePath, expectedSize?: number): Promise<Buffer> {
  const file = await files.open(at, { access: 'read' }, never);
  const options = {
    chunk: files.capabilities.maxRead,
    ...(expectedSize === undefined ? {} : { expectedSize }),
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of readFile(file, options, never)) pieces.push(piece);
  await file.close(never);
  return Buffer.concat(pieces);
}

export async function writeAll(files: RemoteFiles, at: RemotePath, bytes: Uint8Array): Promise<void> {
  const file: RemoteFile = await files.open(
    at,
    { access: 'write', create: 'ifMissing', truncate: true },
    never,
  );
  await writeFile(file, { source: [bytes], chunk: files.capabilities.maxWrite }, never);
  await file.close(never);
}

export async function listAll(files: RemoteFiles, at: RemotePath): Promise<readonly DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  for await (const page of files.list(at, never)) entries.push(...page.entries);
  return entries;
}

/** Bytes that differ everywhere, the same each time. */
export function patterned(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at);
  return bytes;
}
