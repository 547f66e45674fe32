import { execFileSync } from 'node:child_process';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRedactor, createSecretRegistry, OutputCollector } from '../../src/agentkit/index.ts';
import { median, type Benchmark, type Figure } from './figure.ts';

const mebibyte = 1024 * 1024;
const sizes = [64, 256, 1024] as const;
const rounds = 3;
const chunkBytes = 32 * 1024;

/**
 * P9: short lines through the collector of a command, decoded, redacted, counted and spooled, beside `wc -lc` on the same bytes. Memory
 * is what the warm process holds above the start, at its largest. Source: quality.md 1.
 */
export const outputCollector: Benchmark = {
  id: 'P9',
  name: 'collector',
  async run(note) {
    const folder = mkdtempSync(path.join(tmpdir(), 'termind-bench-'));
    try {
      const figures: Figure[] = [];
      let holds = true;
      const warmUp = writeLines(folder, sizes[0]);
      await collect(warmUp, path.join(folder, 'warm-up'));
      rmSync(warmUp);
      for (const size of sizes) {
        const file = writeLines(folder, size);
        const ours: number[] = [];
        const peer: number[] = [];
        let memory = 0;
        for (let round = 0; round < rounds; round++) {
          peer.push(timed(() => execFileSync('wc', ['-lc', file])));
          const run = await collect(file, path.join(folder, `spool-${round}`));
          ours.push(run.seconds);
          memory = Math.max(memory, run.extraBytes);
        }
        rmSync(file);
        const rate = size / median(ours);
        const peerRate = size / median(peer);
        note(
          `${size} MiB: ${rate.toFixed(0)} MiB/s, +${(memory / mebibyte).toFixed(1)} MiB; wc ${peerRate.toFixed(0)} MiB/s`,
        );
        holds &&= rate >= 200 && memory <= 16 * mebibyte;
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
            ours: Math.round(memory / mebibyte),
            peer: null,
            ratio: null,
            target: '<= 16 MiB of memory',
            holds,
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

async function collect(file: string, spoolFolder: string): Promise<{ seconds: number; extraBytes: number }> {
  const collector = new OutputCollector({ redactor: createRedactor(createSecretRegistry()), spoolFolder });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const start = performance.now();
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) {
    await collector.push(chunk as Buffer);
    most = Math.max(most, process.memoryUsage().rss);
  }
  collector.end();
  const seconds = (performance.now() - start) / 1000;
  collector.dispose();
  return { seconds, extraBytes: most - before };
}
