import fs from 'node:fs/promises';
import path from 'node:path';
import type { TransferJournalsPort } from '../../application/ports/transferJournals.ts';
import { transferJournalSchema, type TransferJournal } from '../../domain/transfer/transferJournal.ts';
import { errorCode } from '../net/errorCode.ts';

const keyPattern = /^[0-9a-f]{64}$/;
/** Of 1 TiB of blocks, generously. */
const maxBytes = 64 * 1024 * 1024;

/** One file for each journal, mode 0600, in a folder of its own that is made when the first one is kept. Keys are SHA-256 in hexadecimal. */
export class JournalFiles implements TransferJournalsPort {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async load(key: string): Promise<TransferJournal | undefined> {
    try {
      const { size } = await fs.stat(this.#at(key));
      if (size > maxBytes) return undefined;
      const read: unknown = JSON.parse(await fs.readFile(this.#at(key), 'utf8'));
      return transferJournalSchema.safeParse(read).data;
    } catch {
      return undefined;
    }
  }

  async save(key: string, journal: TransferJournal): Promise<void> {
    const unfinished = `${this.#at(key)}.${String(process.pid)}.part`;
    await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      await fs.writeFile(unfinished, JSON.stringify(journal), { mode: 0o600, flush: true });
      await fs.rename(unfinished, this.#at(key));
    } catch (error) {
      await fs.rm(unfinished, { force: true });
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    try {
      await fs.unlink(this.#at(key));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  #at(key: string): string {
    if (!keyPattern.test(key)) throw new RangeError('a key that is no digest');
    return path.join(this.#folder, `${key}.json`);
  }
}
