import type { ClockPort } from '../../../agentkit/index.ts';
import { isTermindError } from '../../../domain/fault.ts';
import { fileFaultOf } from '../../../domain/files/fileFault.ts';
import { faultError } from '../../../domain/ssh/connectionFault.ts';
import type { LocalFilesPort } from '../../ports/localFiles.ts';
import type { TransferJournalsPort } from '../../ports/transferJournals.ts';
import { compareEnds } from './compareEnds.ts';
import { transferFiles } from './filePool.ts';
import { openEnd, openEnds, type TwoEnds } from './openEnd.ts';
import { discardLeft, leftOf } from './leftBehind.ts';
import { keyOfTransfer } from './place.ts';
import { ProgressMeter } from './progressMeter.ts';
import type { FileContext } from './fileContext.ts';
import { transferFile } from './transferFile.ts';
import { transferFolder } from './transferFolder.ts';
import type {
  ComparedFiles,
  CompareRequest,
  DiscardRequest,
  FileOutcome,
  FileRequest,
  FileResult,
  FolderOutcome,
  FolderRequest,
  Place,
  TransferEngine,
  TransferProgress,
} from './transfer.ts';

export interface FileTransfersOptions {
  readonly local: LocalFilesPort;
  readonly journals: TransferJournalsPort;
  readonly clock: ClockPort;
}

interface Ends {
  /** Whether it can be given up as one. */
  readonly isOne: boolean;
  readonly from: Place;
  readonly to: Place;
  readonly targetLinks: FileContext['targetLinks'];
  readonly onProgress: ((progress: TransferProgress) => void) | undefined;
}

/** Opens the ends of a transfer, runs it, and gives its channels back. */
export class FileTransfers implements TransferEngine {
  readonly #options: FileTransfersOptions;
  readonly #running = new Set<string>();

  constructor(options: FileTransfersOptions) {
    this.#options = options;
  }

  file(request: FileRequest, signal: AbortSignal): Promise<FileOutcome> {
    const { from, to, onProgress } = request;
    const ends: Ends = { isOne: true, from, to, targetLinks: 'followed', onProgress };
    return this.#between(ends, signal, async (context) => {
      context.meter.expect(1);
      const outcome = await transferFile(context, request, signal);
      context.meter.fileDone();
      return outcome;
    });
  }

  async files(
    requests: readonly FileRequest[],
    options: {
      readonly onResult: (result: FileResult, index: number) => void;
      readonly onProgress?: (progress: TransferProgress) => void;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const [first] = requests;
    if (first === undefined) return;
    const ends: Ends = {
      isOne: false,
      from: first.from,
      to: first.to,
      targetLinks: 'replaced',
      onProgress: options.onProgress,
    };
    await this.#between(ends, signal, async (context) => {
      context.meter.expect(requests.length);
      await transferFiles(context, { requests, onResult: options.onResult }, signal);
    });
  }

  folder(request: FolderRequest, signal: AbortSignal): Promise<FolderOutcome> {
    const { from, to, onProgress } = request;
    const ends: Ends = { isOne: true, from, to, targetLinks: 'replaced', onProgress };
    return this.#between(ends, signal, (context) => transferFolder(context, request, signal));
  }

  compare(request: CompareRequest, signal: AbortSignal): Promise<ComparedFiles> {
    const { from, to, onProgress } = request;
    const ends: Ends = { isOne: true, from, to, targetLinks: 'followed', onProgress };
    return this.#between(ends, signal, (context) => compareEnds(context, request, signal));
  }

  async discard(request: DiscardRequest, signal: AbortSignal): Promise<void> {
    const { from, to } = request;
    const key = keyOfTransfer(from, to);
    if (this.#running.has(key)) return;
    const left = await leftOf(request, { journals: this.#options.journals, key });
    const idle = left.filter((one) => one.key === key || !this.#running.has(one.key));
    if (idle.length === 0) return;
    // Who begins the same meanwhile does without what goes here.
    const keys = [key, ...idle.map((one) => one.key)];
    for (const one of keys) this.#running.add(one);
    try {
      const end = await openEnd(to, this.#options, signal);
      try {
        for (const one of idle) await discardLeft(end, { ...this.#options, left: one }, signal);
      } finally {
        await end.release();
      }
    } finally {
      for (const one of keys) this.#running.delete(one);
    }
  }

  async #between<T>(
    { isOne, from, to, targetLinks, onProgress }: Ends,
    signal: AbortSignal,
    work: (context: FileContext) => Promise<T>,
  ): Promise<T> {
    const { journals, clock } = this.#options;
    const meter = new ProgressMeter(clock, onProgress);
    let ends: TwoEnds | undefined;
    try {
      ends = await openEnds({ from, to }, this.#options, signal);
      const done = await work({
        source: ends.from,
        target: ends.to,
        journals,
        clock,
        meter,
        targetLinks,
        running: this.#running,
        whole: isOne ? keyOfTransfer(from, to) : undefined,
      });
      meter.finish();
      return done;
    } catch (error) {
      throw isTermindError(error) ? error : faultError(fileFaultOf(error, signal), error);
    } finally {
      meter.dispose();
      await ends?.release();
    }
  }
}
