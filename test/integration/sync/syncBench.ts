import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { HostCommands } from '../../../src/application/ports/hostCommands.ts';
import type { LocalTrashPort } from '../../../src/application/ports/localTrash.ts';
import type {
  CompareRequest,
  Comparison,
  FolderSyncing,
  SyncRequest,
  SyncResult,
} from '../../../src/application/sync/folderSync.ts';
import { FolderSyncer } from '../../../src/application/sync/folderSyncer.ts';
import { FileTransfers } from '../../../src/application/transfer/engine/fileTransfers.ts';
import type { LocalPlace, RemotePlace } from '../../../src/application/transfer/engine/transfer.ts';
import { fileError } from '../../../src/domain/files/fileFault.ts';
import { keyOfPath } from '../../../src/domain/sync/syncEntry.ts';
import type { SyncRules } from '../../../src/domain/sync/syncPlan.ts';
import { JournalFiles } from '../../../src/infrastructure/files/journalFiles.ts';
import { LocalFiles } from '../../../src/infrastructure/files/localFiles.ts';
import { mustRun } from '../../lab/run.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { never, targetOf } from '../ssh/sshBench.ts';
import { SshLine } from '../transfer/sshLine.ts';

/** A trash of this machine that tests can look into. */
export class FolderTrash implements LocalTrashPort {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(file: string): Promise<void> {
    try {
      await fs.rename(file, path.join(this.#folder, path.basename(file)));
    } catch (error) {
      throw fileError('no-trash', { path: file, text: String(error) }, { cause: error });
    }
  }
}

/**
 * A folder of this machine, `left`, and one of a host with a real sshd, `right`, which only the account of the server may write. Whoever
 * makes one disposes it.
 */
export class SyncBench {
  readonly server: Sshd;
  readonly line: SshLine;
  readonly folder: string;
  readonly left: string;
  readonly right: string;
  readonly trash: string;
  readonly syncing: FolderSyncing;
  readonly #trashes: string[] = [];
  /** The arguments of each command that the host was asked to run, which is this machine. */
  readonly commands: string[] = [];
  /** What the host answers instead of running a command. */
  refusal: Error | undefined;
  readonly #commands: HostCommands = {
    run: async ({ script, arguments: words }) => {
      this.commands.push(...words);
      if (this.refusal !== undefined) throw this.refusal;
      return { stdout: Buffer.from(await mustRun('sh', ['-c', script, 'sh', ...words])), code: 0 };
    },
  };

  /** `port`: of a proxy in front of the server; the server's own when absent. */
  static async make(server: Sshd, port = server.port): Promise<SyncBench> {
    const folder = await fs.mkdtemp(path.join(tmpdir(), 'termind-sync-'));
    const right = path.join(server.account.home, `termind-sync-${randomUUID()}`);
    const bench = new SyncBench({ server, port, folder, right });
    for (const one of [bench.left, bench.trash]) await fs.mkdir(one);
    await fs.mkdir(right);
    await bench.own();
    return bench;
  }

  private constructor(options: {
    readonly server: Sshd;
    readonly port: number;
    readonly folder: string;
    readonly right: string;
  }) {
    const { server, port, folder, right } = options;
    this.server = server;
    this.line = new SshLine({ ...targetOf(server), port });
    this.folder = folder;
    this.left = path.join(folder, 'left');
    this.trash = path.join(folder, 'trash');
    this.right = right;
    const local = new LocalFiles();
    const engine = new FileTransfers({
      local,
      journals: new JournalFiles(path.join(folder, 'journals')),
      clock: systemClock,
    });
    this.syncing = new FolderSyncer({
      engine,
      local,
      localTrash: new FolderTrash(this.trash),
      localNames: { rules: 'bytes', foldsCase: false },
      clock: systemClock,
      commandsOf: () => this.#commands,
    });
  }

  get here(): LocalPlace {
    return { k: 'local', folder: this.left, path: [] };
  }

  get there(): RemotePlace {
    return this.line.place(this.right);
  }

  /** Gives everything on the host's side to the account that signs in. */
  async own(): Promise<void> {
    const { uid, gid } = this.server.account;
    await mustRun('chown', ['-hR', `${String(uid)}:${String(gid)}`, this.right]);
  }

  compare(
    rules: Partial<SyncRules> = {},
    request: Partial<Omit<CompareRequest, 'rules'>> = {},
  ): Promise<Comparison> {
    return this.syncing.compare(
      {
        left: this.here,
        right: this.there,
        rules: { direction: 'toRight', deletes: false, compare: 'sizeAndTime', timeStep: 1, ...rules },
        excludes: [],
        ...request,
      },
      never,
    );
  }

  async run(comparison: Comparison, request: Partial<SyncRequest> = {}, signal = never): Promise<SyncResult> {
    const result = await this.syncing.run({ comparison, deletion: 'trash', ...request }, signal);
    if (result.trash !== undefined) this.#trashes.push(result.trash);
    return result;
  }

  async dispose(): Promise<void> {
    await this.line.dispose();
    await fs.rm(this.folder, { recursive: true, force: true });
    await fs.rm(this.right, { recursive: true, force: true });
    for (const trash of this.#trashes) await fs.rm(trash, { recursive: true });
  }
}

/** `path: action reason` for everything but what is equal. */
export function planText({ plan }: Comparison): readonly string[] {
  return plan.steps
    .filter(({ reason }) => reason !== 'equal')
    .map(({ path: at, action, reason }) => `${keyOfPath(at)}: ${action} ${reason}`);
}

/** `path: outcome`, with the code of the fault. */
export function resultText({ steps }: SyncResult): readonly string[] {
  return steps.map(({ step, outcome }) => {
    const code = 'fault' in outcome ? ` ${outcome.fault.code}` : '';
    return `${keyOfPath(step.path)}: ${outcome.k}${code}`;
  });
}

/**
 * What rsync would transfer or delete to make `to` equal to `from` by content, by path, in order. Links, and directories that are there, do
 * not count. Names without backslashes and breaks only.
 */
export async function rsyncChanges(from: string, to: string): Promise<readonly string[]> {
  const out = await mustRun('rsync', [
    '-rn8',
    '--checksum',
    '--delete',
    '--out-format=%i %n',
    `${from}/`,
    `${to}/`,
  ]);
  return out
    .split('\n')
    .filter((line) => /^(?:[<>c][fd]|\*deleting)/.test(line))
    .map((line) => line.slice(line.indexOf(' ')).trim().replace(/\/$/, ''))
    .sort();
}
