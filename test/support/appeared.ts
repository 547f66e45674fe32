import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { withinDeadline } from './withinDeadline.ts';

/** Resolves when the file exists, now or later. Its folder must exist. */
export async function appeared(file: string): Promise<void> {
  const watcher = watch(path.dirname(file));
  try {
    const seen = new Promise<void>((resolve) => {
      const look = (): void => {
        if (existsSync(file)) resolve();
      };
      watcher.on('change', look);
      look();
    });
    await withinDeadline(`the file ${path.basename(file)}`, seen);
  } finally {
    watcher.close();
  }
}
