import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemClock, type ClockPort } from '../../../src/agentkit/index.ts';
import { FileTransfers } from '../../../src/application/transfer/engine/fileTransfers.ts';
import type {
  LocalPlace,
  RemotePlace,
  TransferEngine,
} from '../../../src/application/transfer/engine/transfer.ts';
import { pathOfText, remotePath } from '../../../src/domain/files/remotePath.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { JournalFiles } from '../../../src/infrastructure/files/journalFiles.ts';
import { LocalFiles } from '../../../src/infrastructure/files/localFiles.ts';
import { SftpClient } from '../../../src/infrastructure/sftp/sftpClient.ts';
import { startScriptedSftp, type ScriptedSftp, type SftpScript } from '../../lab/scriptedSftp.ts';
import { never } from '../ssh/sshBench.ts';

/**
 * The engine between a folder that stands for this machine and one that a scripted server shows: real files at both ends. Whoever makes one
 * disposes it.
 */
export class TransferBench {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'termind-transfer-'));
  readonly local = path.join(this.folder, 'local');
  readonly remote = path.join(this.folder, 'remote');
  readonly journals = path.join(this.folder, 'journals');
  readonly host = newHostId();
  readonly engine: TransferEngine;
  readonly #servers: ScriptedSftp[] = [];
  readonly #clock: ClockPort;

  constructor(clock: ClockPort = systemClock) {
    this.#clock = clock;
    for (const one of [this.local, this.remote]) mkdirSync(one);
    this.engine = new FileTransfers({
      local: new LocalFiles(),
      journals: new JournalFiles(this.journals),
      clock,
    });
  }

  /** Every server that was started, the newest last. */
  get servers(): readonly ScriptedSftp[] {
    return this.#servers;
  }

  here(...names: string[]): LocalPlace {
    return { k: 'local', folder: this.local, path: names };
  }

  there(name: string | Buffer, script: SftpScript = {}): RemotePlace {
    const bytes = Buffer.concat([Buffer.from(`${this.remote}/`), Buffer.from(name)]);
    return {
      k: 'remote',
      host: this.host,
      path: name.length === 0 ? pathOfText(this.remote) : remotePath(bytes),
      open: async (signal) => {
        const server = startScriptedSftp(script);
        this.#servers.push(server);
        const options = { clock: this.#clock, way: 'subsystem', refused: [], onRefused: () => {} } as const;
        const files = await SftpClient.start(server.stream, options, signal);
        return { files, isShared: false, release: () => files.close() };
      },
    };
  }

  dispose(): void {
    for (const server of this.#servers.splice(0)) server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What is in a folder: digests by relative path, `/` behind directories; names as latin1, so that any bytes have one. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  const walk = (at: Buffer, prefix: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) {
      const name = `${prefix}${entry.name.toString('latin1')}`;
      const file = Buffer.concat([at, Buffer.from('/'), entry.name]);
      if (entry.isDirectory()) {
        tree[`${name}/`] = '';
        walk(file, `${name}/`);
      } else tree[name] = entry.isFile() ? digest(readFileSync(file)) : 'no plain file';
    }
  };
  walk(Buffer.from(folder), '');
  return tree;
}

export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export { never };
