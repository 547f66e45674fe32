import { AgentError } from '../agentError.ts';

/** Source: agent runtime contract, section 10; seed 0. Folders do not count as files. */
export const scratchLimits = {
  fileBytes: 8 * 1_024 * 1_024,
  totalBytes: 64 * 1_024 * 1_024,
  files: 512,
} as const;

/** What all regular files of scratch take together. */
export interface ScratchUsage {
  readonly bytes: number;
  readonly files: number;
}

/** What an operation changes. A replaced file frees its old bytes and keeps its entry. */
export interface UsageChange {
  readonly bytes: number;
  readonly files: number;
}

export function plus(usage: ScratchUsage, change: UsageChange): ScratchUsage {
  return { bytes: usage.bytes + change.bytes, files: usage.files + change.files };
}

/** Throws `scratchFileTooLarge`. */
export function checkFileSize(bytes: number): void {
  const limit = scratchLimits.fileBytes;
  if (bytes > limit)
    throw new AgentError('scratchFileTooLarge', { limit: String(limit), bytes: String(bytes) });
}

/** The quota error of a change that grows scratch beyond a limit; undefined when it fits or only frees. */
export function quotaProblem(usage: ScratchUsage, change: UsageChange): AgentError | undefined {
  const after = plus(usage, change);
  if (change.bytes > 0 && after.bytes > scratchLimits.totalBytes)
    return new AgentError('scratchQuotaBytes', {
      used: String(usage.bytes),
      quota: String(scratchLimits.totalBytes),
      needed: String(change.bytes),
    });
  if (change.files > 0 && after.files > scratchLimits.files)
    return new AgentError('scratchQuotaEntries', {
      used: String(usage.files),
      quota: String(scratchLimits.files),
    });
  return undefined;
}
