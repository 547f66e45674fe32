import fs from 'node:fs/promises';
import path from 'node:path';
import { rotatedLogs } from './story/diskStory.ts';

/** Rotated logs are of a size that `du` shows, and quick to write. */
const lines = { 'app.log': 5_000, 'app.log.1': 60_000, 'app.log.2': 45_000 } as const;

/**
 * Makes `folder` the folder of an application that fills its disk: a log of 5,000 numbered lines and two rotated ones
 * of some megabytes, the same bytes every time. Files that a person has removed stay removed, until both rotated logs
 * are gone: then there are new ones, so that the story can be told again.
 */
export async function prepareAppFolder(folder: string): Promise<void> {
  const logs = path.join(folder, 'log');
  await fs.mkdir(logs, { recursive: true });
  const there = new Set(await fs.readdir(logs));
  const isToldAgain = rotatedLogs.every((file) => !there.has(file));
  const wanted = isToldAgain ? (['app.log', ...rotatedLogs] as const) : (['app.log'] as const);
  for (const file of wanted) {
    const count = lines[file];
    if (!there.has(file)) await fs.writeFile(path.join(logs, file), logText(count));
  }
}

function logText(count: number): string {
  const start = Date.UTC(2026, 0, 5);
  return Array.from({ length: count }, (_, at) => {
    const time = new Date(start + at * 1_000).toISOString();
    const number = String(at + 1).padStart(5, '0');
    return `${time} app[412]: ${number} flushed shard ${at % 16} of the cache in ${3 + (at % 40)} ms\n`;
  }).join('');
}
