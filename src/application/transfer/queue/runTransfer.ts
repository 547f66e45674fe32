import type { Fault } from '../../../domain/fault.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { keptFailures, keptRenames, type TransferRecord } from '../../../domain/transfer/transferRecord.ts';
import { isSameFile } from '../engine/existingTarget.ts';
import { showPlace } from '../engine/place.ts';
import type {
  DecideExisting,
  Existing,
  FileResult,
  FolderFiles,
  Place,
  TransferEngine,
  TransferProgress,
} from '../engine/transfer.ts';
import { placeOf, recordedPlace, type TransferHosts } from './transferPlaces.ts';

export interface RunTransferOptions {
  readonly engine: Pick<TransferEngine, 'file' | 'folder'>;
  readonly hosts: TransferHosts;
  /** Asked for each target that is there, under the policy `ask`. */
  readonly ask: DecideExisting;
  readonly onProgress: (record: TransferRecord, progress: TransferProgress) => void;
  /** Of a folder, once it is read. */
  readonly onFiles: (files: FolderFiles) => void;
  /** Words of servers and paths, before they are kept. */
  readonly redactFault: (fault: Fault) => Fault;
}

/**
 * Moves what a record names, and resolves with the record as it is then: `completed`, or `failed` where files of a folder are missing.
 * Rejects as the engine does. A record that was started before goes on: what is complete is not moved again. Source: ssh.md 8.7 and 8.8.
 */
export async function runTransfer(
  record: TransferRecord,
  options: RunTransferOptions,
  signal: AbortSignal,
): Promise<TransferRecord> {
  const run = new TransferRun(record, options);
  return record.kind === 'file' ? run.file(signal) : run.folder(signal);
}

class TransferRun {
  readonly #options: RunTransferOptions;
  #record: TransferRecord;

  constructor(record: TransferRecord, options: RunTransferOptions) {
    this.#record = record;
    this.#options = options;
  }

  async file(signal: AbortSignal): Promise<TransferRecord> {
    const { verify, expectSourceSha256 } = this.#record;
    const outcome = await this.#options.engine.file(
      {
        ...this.#ends(),
        verify,
        ...(expectSourceSha256 === undefined ? {} : { expectSourceSha256 }),
        onProgress: (progress) => this.#progressed(progress),
      },
      signal,
    );
    const isSkipped = outcome.k === 'skipped';
    return {
      ...this.#record,
      state: 'completed',
      to: recordedPlace(outcome.to),
      doneBytes: outcome.bytes,
      totalBytes: outcome.bytes,
      doneFiles: isSkipped ? 0 : 1,
      totalFiles: 1,
      skippedFiles: isSkipped ? 1 : 0,
      changedFiles: outcome.changedDuringTransfer ? 1 : 0,
      ...(outcome.sha256 === undefined ? {} : { sha256: outcome.sha256 }),
    };
  }

  async folder(signal: AbortSignal): Promise<TransferRecord> {
    const outcome = await this.#options.engine.folder(
      {
        ...this.#ends(),
        onProgress: (progress) => this.#progressed(progress),
        onResult: (result) => this.#ended(result),
        onFiles: this.#options.onFiles,
      },
      signal,
    );
    return {
      ...this.#record,
      state: outcome.failed === 0 ? 'completed' : 'failed',
      doneFiles: outcome.doneFiles,
      skippedFiles: outcome.skippedFiles,
      failedFiles: outcome.failed,
      changedFiles: outcome.changedDuringTransfer,
    };
  }

  #ends(): { readonly from: Place; readonly to: Place; readonly existing: Existing } {
    const { from, to, policy, by } = this.#record;
    const { archivesOf: _archivesOf, ...withoutArchives } = this.#options.hosts;
    const hosts = by === 'person' ? this.#options.hosts : withoutArchives;
    return {
      from: placeOf(from, hosts),
      to: placeOf(to, hosts),
      existing: policy === 'resume' ? policy : this.#decide(policy),
    };
  }

  #decide(policy: Exclude<TransferRecord['policy'], 'resume'>): DecideExisting {
    const { starts, renamed } = this.#record;
    const moved = new Set(renamed);
    return async (existing, signal) => {
      const { source, target, from } = existing;
      if (starts > 1 && (isSameFile(source, target) || moved.has(showPlace(from)))) return 'skip';
      if (policy === 'refuse')
        throw fileError('exists', { path: showPlace(existing.to) }, { outcome: 'not-sent' });
      return policy === 'ask' ? this.#options.ask(existing, signal) : policy;
    };
  }

  #progressed(progress: TransferProgress): void {
    const { doneBytes, totalBytes, doneFiles, totalFiles } = progress;
    this.#record = {
      ...this.#record,
      doneBytes,
      doneFiles,
      ...(totalBytes === undefined ? {} : { totalBytes }),
      ...(totalFiles === undefined ? {} : { totalFiles }),
    };
    this.#options.onProgress(this.#record, progress);
  }

  #ended(result: FileResult): void {
    const { failures, renamed, failedFiles } = this.#record;
    if ('fault' in result) {
      const failure = { path: showPlace(result.from), fault: this.#options.redactFault(result.fault) };
      this.#record = {
        ...this.#record,
        failedFiles: failedFiles + 1,
        failures: failures.length < keptFailures ? [...failures, failure] : failures,
      };
    } else if (renamed.length < keptRenames && showPlace(result.outcome.to) !== showPlace(result.to))
      this.#record = { ...this.#record, renamed: [...renamed, showPlace(result.from)] };
    else return;
  }
}
