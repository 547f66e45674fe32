import { execFileSync } from 'node:child_process';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createRedactor,
  createSecretRegistry,
  OutputCollector,
  projectResult,
} from '../../src/agentkit/index.ts';
import { heldMemory } from './heldMemory.ts';
import { median, type Benchmark, type Figure } from './figure.ts';

const mebibyte = 1024 * 1024;
const sizes = [64, 256, 1024] as const;
const rounds = 3;
const chunkBytes = 32 * 1024;

/**
 * P9: short lines through the collector of a command (decoded, redacted, counted, spooled) to the text that a model gets, beside `wc -lc`
 * on the same bytes, at three sizes; the target is about the largest. Memory is what is held beyond the start, garbage left out. Source:
 * quality.md 1.
 */
export const outputCollector: Benchmark = {
  id: 'P9',
  name: 'collector',
  async run(note) {
    const folder = mkdtempSync(path.join(tmpdir(), 'termind-bench-'));
    try {
      const figures: Figure[] = [];
      const warmUp = writeLines(folder, sizes[0]);
      await collect(warmUp, path.join(folder, 'warm-up'));
      rmSync(warmUp);
      for (const size of sizes) {
        const file = writeLines(folder, size);
        const ours: number[] = [];
        const peer: number[] = [];
        for (let round = 0; round < rounds; round++) {
          peer.push(timed(() => execFileSync('wc', ['-lc', file])));
          ours.push(await collect(file, path.join(folder, `spool-${round}`)));
        }
        const spool = path.join(folder, 'spool-held');
        const memory = await heldBytes((watch) => collect(file, spool, watch));
        const reading = await heldBytes((watch) => readAll(file, () => undefined, watch));
        rmSync(file);
        const rate = size / median(ours);
        const peerRate = size / median(peer);
        note(
          `${size} MiB: ${rate.toFixed(0)} MiB/s, wc ${peerRate.toFixed(0)} MiB/s; held ${inMebibytes(memory)} MiB, when only reading ${inMebibytes(reading)} MiB`,
        );
        figures.push(
          figure({
            ours: Math.round(rate),
            peer: Math.round(peerRate),
            ratio: rate / peerRate,
            target: '>= 200 MiB/s',
            holds: rate >= 200,
            label: `collector, ${size} MiB of short lines, MiB/s`,
          }),
          figure({
            ours: Math.round((memory / mebibyte) * 10) / 10,
            peer: null,
            ratio: null,
            target: '<= 16 MiB of memory',
            // The last one, of the size the target is about, covers both.
            holds: rate >= 200 && memory <= 16 * mebibyte,
            label: `collector, ${size} MiB of short lines, memory in MiB`,
          }),
        );
      }
      return figures;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function figure(values: Omit<Figure, 'id'>): Figure {
  return { id: 'P9', ...values, ratio: values.ratio === null ? null : Math.round(values.ratio * 100) / 100 };
}

/** Lines of about 24 characters, numbered so that no two are alike. */
function writeLines(folder: string, mebibytes: number): string {
  const file = path.join(folder, `lines-${mebibytes}`);
  const handle = openSync(file, 'w');
  let line = 0;
  for (let written = 0; written < mebibytes * mebibyte;) {
    let text = '';
    for (let i = 0; i < 20_000; i++) text += `${String(line++)} cache shard flushed\n`;
    written += writeSync(handle, text);
  }
  closeSync(handle);
  return file;
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
}

/** Called after each chunk with how much was read. */
type Watch = (read: number) => void;

async function readAll(
  file: string,
  take: (chunk: Buffer) => Promise<void> | undefined,
  watch: Watch = () => {},
): Promise<void> {
  let read = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) {
    const bytes = chunk as Buffer;
    await take(bytes);
    read += bytes.length;
    watch(read);
  }
}

/** Sends the file through a collector of its own, and what that holds in the end through the projection. Returns the seconds it took. */
async function collect(file: string, spoolFolder: string, watch?: Watch): Promise<number> {
  const redactor = createRedactor(createSecretRegistry());
  const collector = new OutputCollector({ redactor, spoolFolder });
  const start = performance.now();
  await readAll(file, (bytes) => collector.push(bytes), watch);
  collector.end();
  const { text } = await projectResult(
    {
      outcome: { kind: 'success', fields: {}, body: collector.body() },
      descriptor: { body: { field: 'output', kind: 'text' } },
      strategy: 'tail',
      redactor,
    },
    new AbortController().signal,
  );
  const seconds = (performance.now() - start) / 1000;
  collector.dispose();
  if (!text.includes('cache shard flushed')) throw new Error('the projection holds no line');
  return seconds;
}

/** What is held at most beyond the start, in bytes, garbage left out: looked at every 32 MiB. */
async function heldBytes(work: (watch: Watch) => Promise<unknown>): Promise<number> {
  const start = heldMemory();
  let most = 0;
  let next = 0;
  await work((read) => {
    if (read < next) return;
    next = read + 32 * mebibyte;
    most = Math.max(most, heldMemory() - start);
  });
  return most;
}

function inMebibytes(bytes: number): string {
  return (bytes / mebibyte).toFixed(1);
}
