import { hash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { ClockPort } from '../../agentkit/index.ts';
import type { OpenedContentsPort } from '../../application/ports/openedContents.ts';
import { sha256Of } from '../../domain/files/contentStamp.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { errorCode } from '../net/errorCode.ts';
import { isOwnerGone, type LeaseOwner } from '../store/leases.ts';
import { localErrorOf } from './localFault.ts';

export interface OpenedContentFilesOptions {
  /** Made with the first content. */
  readonly folder: string;
  readonly owner: LeaseOwner;
  readonly clock: Pick<ClockPort, 'now'>;
  /** Of all together; 200 MiB when absent. */
  readonly maxBytes?: number;
}

const usualMaxBytes = 200 * 1024 * 1024;
/** Nobody comes back to changes that are older. */
const longestMs = 30 * 24 * 60 * 60_000;
/** The file and the content, by their digests, and the process that keeps it. */
const namePattern = /^([0-9a-f]{64})-([0-9a-f]{64})-([0-9]{1,10})$/;

interface Kept {
  readonly name: string;
  readonly file: string;
  readonly pid: number;
}

/** One file for each content, mode 0600. Its name says of which file it is to whoever knows that file only. Source: ssh.md 8.5. */
export class OpenedContentFiles implements OpenedContentsPort {
  readonly #options: OpenedContentFilesOptions;

  constructor(options: OpenedContentFilesOptions) {
    this.#options = options;
  }

  async keep(file: string, content: Uint8Array): Promise<void> {
    await this.#told('write', async () => {
      const { folder, owner, maxBytes = usualMaxBytes } = this.#options;
      await this.forget(file);
      if (content.length > maxBytes) return;
      await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      await this.#makeRoom(content.length);
      const name = `${digestOf(file)}-${sha256Of(content)}-${String(owner.pid)}`;
      await fs.writeFile(path.join(folder, name), content, { mode: 0o600 });
    });
  }

  async find(file: string, sha256: string): Promise<Uint8Array | undefined> {
    return this.#told('read', async () => {
      const begin = `${digestOf(file)}-${sha256}-`;
      for (const { name } of await this.#all()) {
        if (!name.startsWith(begin)) continue;
        const content = await fs.readFile(path.join(this.#options.folder, name));
        // It may have been cut off.
        if (sha256Of(content) === sha256) return content;
      }
      return undefined;
    });
  }

  async forget(file: string): Promise<void> {
    await this.#told('remove', async () => {
      const digest = digestOf(file);
      for (const kept of await this.#all())
        if (kept.file === digest && this.#isOurs(kept.pid)) await this.#remove(kept.name);
    });
  }

  #isOurs(pid: number): boolean {
    const { owner } = this.#options;
    return pid === owner.pid || isOwnerGone({ ...owner, pid, startToken: '' });
  }

  /** Drops the oldest, and those that nobody comes back to. */
  async #makeRoom(wanted: number): Promise<void> {
    const { folder, clock, maxBytes = usualMaxBytes } = this.#options;
    const all = await Promise.all(
      (await this.#all()).map(async ({ name }) => {
        const { size, mtimeMs } = await fs.stat(path.join(folder, name)).catch(() => gone);
        return { name, size, mtimeMs };
      }),
    );
    let left = wanted + all.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size, mtimeMs } of all.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (left <= maxBytes && clock.now() - mtimeMs < longestMs) continue;
      await this.#remove(name);
      left -= size;
    }
  }

  async #all(): Promise<readonly Kept[]> {
    let names: readonly string[];
    try {
      names = await fs.readdir(this.#options.folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
    return names.flatMap((name) => {
      const [, file, , pid] = namePattern.exec(name) ?? [];
      return file === undefined || pid === undefined ? [] : [{ name, file, pid: Number(pid) }];
    });
  }

  async #remove(name: string): Promise<void> {
    await fs.rm(path.join(this.#options.folder, name), { force: true });
  }

  async #told<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw localErrorOf(error, showUntrusted(this.#options.folder), operation);
    }
  }
}

/** Of one that another process has removed. */
const gone = { size: 0, mtimeMs: 0 } as const;

function digestOf(file: string): string {
  return hash('sha256', file, 'hex');
}
