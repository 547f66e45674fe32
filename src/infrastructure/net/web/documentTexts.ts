import { Worker } from 'node:worker_threads';
import {
  abortReason,
  isPage,
  SerialQueue,
  WebError,
  type ClockPort,
  type DocumentText,
  type DocumentTextPort,
  type ReceivedDocument,
} from '../../../agentkit/index.ts';
import { decodeText } from './decodeText.ts';
import { pageTitle } from './plainPage.ts';

/** How a document becomes text: as it is, as the source of a page, by one pass over that, or by its readable part. */
type Way = 'text' | 'source' | 'plain' | 'readable';

export interface TextJob {
  readonly bytes: Uint8Array;
  readonly charset: string | undefined;
  readonly url: string;
  readonly way: Way;
}
export type TextAnswer = DocumentText;

/** Decoding this much takes a moment only. */
const inlineBytes = 256 * 1_024;
/** A tree of a larger page takes too long. Source: dependencies, section 1. */
const treeBytes = 1_000_000;
/** For one way. A tree of a large page takes some seconds on a slow machine; somebody may have made it to take for ever. */
const longestMs = 20_000;
const heapMiB = 512;

/**
 * Text of documents. What could hold up the window runs on a thread of its own, one at a time, which ends with its answer, after 20
 * seconds, or with the signal; a page that cannot be read as a tree is read in one pass.
 */
export class DocumentTexts implements DocumentTextPort {
  readonly #clock: ClockPort;
  readonly #queue = new SerialQueue();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  async read(
    document: ReceivedDocument,
    format: 'markdown' | 'original',
    signal: AbortSignal,
  ): Promise<DocumentText> {
    const { bytes, charset, mediaType, url } = document;
    const isMarkdown = format === 'markdown' && isPage(mediaType);
    if (!isMarkdown && bytes.length <= inlineBytes) {
      const text = decodeText(bytes, charset);
      return { text, title: isPage(mediaType) ? pageTitle(text) : undefined };
    }
    for (const way of waysFor(document, isMarkdown)) {
      const text = await this.#queue.run(() => this.#onThread({ bytes, charset, url, way }, signal), signal);
      if (text !== undefined) return text;
    }
    throw new WebError('notConverted');
  }

  /** Undefined when the thread came to no answer. */
  async #onThread(job: TextJob, signal: AbortSignal): Promise<DocumentText | undefined> {
    if (signal.aborted) throw abortReason(signal);
    const worker = new Worker(workerFile(), { resourceLimits: { maxOldGenerationSizeMb: heapMiB } });
    try {
      return await new Promise<DocumentText | undefined>((resolve, reject) => {
        const timer = this.#clock.after(longestMs, () => settle(() => resolve(undefined)));
        const stopped = (): void => settle(() => reject(abortReason(signal)));
        const settle = (end: () => void): void => {
          timer.dispose();
          signal.removeEventListener('abort', stopped);
          end();
        };
        signal.addEventListener('abort', stopped, { once: true });
        worker.once('message', (answer: TextAnswer) => settle(() => resolve(answer)));
        worker.once('error', () => settle(() => resolve(undefined)));
        worker.once('exit', () => settle(() => resolve(undefined)));
        worker.postMessage(job);
      });
    } finally {
      await worker.terminate();
    }
  }
}

function waysFor({ bytes, mediaType }: ReceivedDocument, isMarkdown: boolean): readonly Way[] {
  if (!isMarkdown) return [isPage(mediaType) ? 'source' : 'text'];
  return bytes.length > treeBytes ? ['plain'] : ['readable', 'plain'];
}

/** Beside this file in the sources, beside the bundle once built. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return new URL(`./documentText.worker${extension}`, import.meta.url);
}
