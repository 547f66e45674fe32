import { z } from 'zod';
import type { RunCeilings } from '../agentkit/index.ts';
import { providerConfig, type ProviderConfig } from './providerConfig.ts';

/** Of one run; what is absent is not limited. Source: agent runtime contract, section 3.5; decisions 21. */
const runCeilings = z.strictObject({
  turns: z.int().min(1).max(10_000).exactOptional(),
  cost: z.number().positive().max(1_000_000).exactOptional(),
});

/** Prices of one model for a million tokens, in any currency, the same for all. Cached input without a price costs as other input. */
const modelPrice = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().exactOptional(),
  cacheWrite: z.number().nonnegative().exactOptional(),
});
export type ModelPrice = z.output<typeof modelPrice>;

const settings = {
  permissionMode: z.enum(['ask', 'review', 'full']).catch('ask'),
  sshConfigFile: z.string().catch(''),
  sshPath: z.string().catch(''),
  sshAgent: z.string().catch(''),
} as const;

/** What the person configured; empty text = not set. Every field is of scope `application`. Source: vscode.md 12. */
export interface TermindSettings {
  readonly permissionMode: 'ask' | 'review' | 'full';
  readonly providers: readonly ProviderConfig[];
  readonly sshConfigFile: string;
  readonly sshPath: string;
  readonly sshAgent: string;
  readonly runCeilings: RunCeilings;
  /** By `<provider id>/<model>`. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
}

/**
 * Parses raw settings. A malformed value falls back to its safe default; a malformed provider or price is left out and reported, and
 * the others stay. A malformed ceiling is reported and replaced by the lowest one, because whoever sets a ceiling wants to be asked.
 */
export function parseSettings(
  raw: (name: keyof TermindSettings) => unknown,
  onProblem: (problem: string) => void,
): TermindSettings {
  const configured = raw('providers');
  const rows: readonly unknown[] = Array.isArray(configured) ? configured : [];
  const providers: ProviderConfig[] = [];
  rows.forEach((row, index) => {
    const parsed = providerConfig.safeParse(row);
    if (parsed.success && providers.every((known) => known.id !== parsed.data.id))
      providers.push(parsed.data);
    else
      onProblem(
        `termind.providers[${index}] is not usable: ${parsed.error?.issues[0]?.message ?? 'its id is taken'}`,
      );
  });
  return {
    permissionMode: settings.permissionMode.parse(raw('permissionMode') ?? 'ask'),
    providers,
    sshConfigFile: settings.sshConfigFile.parse(raw('sshConfigFile') ?? ''),
    sshPath: settings.sshPath.parse(raw('sshPath') ?? ''),
    sshAgent: settings.sshAgent.parse(raw('sshAgent') ?? ''),
    runCeilings: parseCeilings(raw('runCeilings'), onProblem),
    prices: parsePrices(raw('prices'), onProblem),
  };
}

function parseCeilings(raw: unknown, onProblem: (problem: string) => void): RunCeilings {
  const parsed = runCeilings.safeParse(raw ?? {});
  if (parsed.success) return parsed.data;
  onProblem(`termind.run.ceilings is not usable: ${parsed.error.issues[0]?.message ?? 'malformed'}`);
  return { turns: 1 };
}

function parsePrices(
  raw: unknown,
  onProblem: (problem: string) => void,
): Readonly<Record<string, ModelPrice>> {
  const table = z.record(z.string(), z.unknown()).safeParse(raw ?? {});
  const rows = Object.entries(table.data ?? {}).flatMap(([ref, row]) => {
    const parsed = modelPrice.safeParse(row);
    if (parsed.success) return [[ref, parsed.data] as const];
    onProblem(`termind.prices["${ref}"] is not usable: ${parsed.error.issues[0]?.message ?? 'malformed'}`);
    return [];
  });
  return Object.fromEntries(rows);
}
