import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { ClockPort } from '../../agentkit/index.ts';
import type { KeptSave, KeptSavesPort } from '../../application/ports/keptSaves.ts';
import { keptSaveSchema, type KeptSaveRecord } from '../../domain/files/keptSave.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { errorCode } from '../net/errorCode.ts';
import { isOwnerGone, isSameOwner, type LeaseOwner } from '../store/leases.ts';
import { localErrorOf } from './localFault.ts';

export interface KeptSaveFilesOptions {
  /** Made at the first save. */
  readonly folder: string;
  readonly owner: LeaseOwner;
  readonly clock: Pick<ClockPort, 'now'>;
}

const idPattern = /^[0-9a-f]{32}$/;
/** A record holds a few paths. */
const maxRecordBytes = 1024 * 1024;
/** Of a process that nobody here can ask about, no save takes that long. */
const longestSaveMs = 24 * 60 * 60_000;

const storedSchema = z.object({
  owner: z.object({
    windowId: z.string(),
    machine: z.string(),
    pid: z.number().int(),
    startToken: z.string(),
  }),
  save: keptSaveSchema,
});

/**
 * Two files for each kept save, mode 0600: its content, and behind it the record that makes it count. What was left of a crash between the
 * two goes after a day. Source: ssh.md 8.5, "kept".
 */
export class KeptSaveFiles implements KeptSavesPort {
  readonly #options: KeptSaveFilesOptions;

  constructor(options: KeptSaveFilesOptions) {
    this.#options = options;
  }

  async keep(record: KeptSaveRecord, content: Uint8Array): Promise<string> {
    const id = randomBytes(16).toString('hex');
    await this.#told('write', async () => {
      await fs.mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
      await this.#put(contentName(id), content);
      await this.#putRecord(id, record);
    });
    return id;
  }

  async note({ id, ...record }: KeptSave): Promise<void> {
    await this.#told('write', async () => {
      await fs.access(this.#at(recordName(id)));
      await this.#putRecord(id, record);
    });
  }

  async list(): Promise<readonly KeptSave[]> {
    const names = await this.#names();
    const ids = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
    await this.#removeOrphans(names, new Set(ids));
    const saves = await Promise.all(ids.map((id) => this.#load(id)));
    return saves.filter((save) => save !== undefined);
  }

  content(id: string): Promise<Uint8Array> {
    return this.#told('read', () => fs.readFile(this.#at(contentName(id))));
  }

  async remove(id: string): Promise<void> {
    await this.#told('remove', async () => {
      await fs.rm(this.#at(recordName(id)), { force: true });
      await fs.rm(this.#at(contentName(id)), { force: true });
    });
  }

  /** Undefined for one that cannot be read, and for one that may be on its way in another window. */
  async #load(id: string): Promise<KeptSave | undefined> {
    if (!idPattern.test(id)) return undefined;
    try {
      const at = this.#at(recordName(id));
      if ((await fs.stat(at)).size > maxRecordBytes) return undefined;
      const read: unknown = JSON.parse(await fs.readFile(at, 'utf8'));
      const { owner, save } = storedSchema.parse(read);
      const mayBeOnItsWay = !isSameOwner(owner, this.#options.owner) && !isOwnerGone(owner);
      if (mayBeOnItsWay && this.#options.clock.now() - save.keptAt < longestSaveMs) return undefined;
      return { ...save, id };
    } catch {
      return undefined;
    }
  }

  async #putRecord(id: string, save: KeptSaveRecord): Promise<void> {
    const stored: z.input<typeof storedSchema> = { owner: this.#options.owner, save };
    await this.#put(recordName(id), Buffer.from(JSON.stringify(stored)));
  }

  /** In one step, and on the disk when it resolves. */
  async #put(name: string, bytes: Uint8Array): Promise<void> {
    const unfinished = this.#at(`${name}.part`);
    try {
      await fs.writeFile(unfinished, bytes, { mode: 0o600, flush: true });
      await fs.rename(unfinished, this.#at(name));
    } catch (error) {
      await fs.rm(unfinished, { force: true });
      throw error;
    }
    await this.#flushFolder();
  }

  /** The names in it. Windows flushes them with the file and opens no folders. */
  async #flushFolder(): Promise<void> {
    if (process.platform === 'win32') return;
    const folder = await fs.open(this.#options.folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await fs.readdir(this.#options.folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw localErrorOf(error, showUntrusted(this.#options.folder), 'list');
    }
  }

  async #removeOrphans(names: readonly string[], ids: ReadonlySet<string>): Promise<void> {
    for (const name of names) {
      const id = name.split('.', 1)[0] ?? '';
      if (!idPattern.test(id) || ids.has(id)) continue;
      try {
        const { mtimeMs } = await fs.stat(this.#at(name));
        if (this.#options.clock.now() - mtimeMs >= longestSaveMs)
          await fs.rm(this.#at(name), { force: true });
      } catch {
        // Somebody else has removed it.
      }
    }
  }

  async #told<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw localErrorOf(error, showUntrusted(this.#options.folder), operation);
    }
  }

  #at(name: string): string {
    if (!idPattern.test(name.split('.', 1)[0] ?? '')) throw new RangeError('a name that is no id');
    return path.join(this.#options.folder, name);
  }
}

function contentName(id: string): string {
  return `${id}.content`;
}

function recordName(id: string): string {
  return `${id}.json`;
}
