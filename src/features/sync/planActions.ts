import type { Comparison } from '../../application/sync/folderSync.ts';
import { keyOfPath } from '../../domain/sync/syncEntry.ts';
import type { SyncStep } from '../../domain/sync/syncPlan.ts';

/** What the buttons and links of the page give back. Those about a plan name it, so that no other one is meant. */
export const planAction = {
  direction: 'direction',
  rules: 'rules',
  exclude: 'exclude',
  again: 'again',
  run: ({ digest }: Comparison): string => `run ${digest}`,
  diff: ({ path }: SyncStep): string => `diff ${keyOfPath(path)}`,
} as const;
