import { activation } from './activation.ts';
import { agentLoop } from './agentLoop.ts';
import { farDownload, fartherDownload, smallFiles } from './delayedTransfer.ts';
import type { Benchmark } from './figure.ts';
import { download, upload } from './fileTransfer.ts';
import { listConfig } from './listConfig.ts';
import { longSession } from './longSession.ts';
import { openConversation } from './openConversation.ts';
import { outputCollector } from './outputCollector.ts';
import { packageSize } from './packageSize.ts';
import { fleetCommand, warmCommand } from './remoteCommands.ts';
import { searchMessages } from './searchMessages.ts';

/** Every benchmark, in the order of quality.md. A new one is added here and nowhere else. */
export const benchmarks: readonly Benchmark[] = [
  download,
  upload,
  farDownload,
  fartherDownload,
  smallFiles,
  warmCommand,
  fleetCommand,
  outputCollector,
  activation,
  listConfig,
  openConversation,
  searchMessages,
  agentLoop,
  packageSize,
  longSession,
];
