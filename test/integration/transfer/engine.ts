import path from 'node:path';
import { systemClock } from '../../../src/agentkit/index.ts';
import { FileTransfers } from '../../../src/application/transfer/engine/fileTransfers.ts';
import type { LocalPlace, TransferEngine } from '../../../src/application/transfer/engine/transfer.ts';
import { JournalFiles } from '../../../src/infrastructure/files/journalFiles.ts';
import { LocalFiles } from '../../../src/infrastructure/files/localFiles.ts';

/** The engine of transfers as the extension has it, with its journals in `folder`. */
export function newEngine(folder: string): TransferEngine {
  const journals = new JournalFiles(path.join(folder, 'journals'));
  return new FileTransfers({ local: new LocalFiles(), journals, clock: systemClock });
}

export function localPlace(folder: string, ...names: string[]): LocalPlace {
  return { k: 'local', folder, path: names };
}
