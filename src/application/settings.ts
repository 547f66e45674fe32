import { z } from 'zod';
import type { RunCeilings } from '../agentkit/index.ts';
import { readApprovalRules, type ApprovalRuleSet } from './approvalRuleSet.ts';
import { providerConfig, type ProviderConfig } from './providerConfig.ts';
import { readWebSearch, type WebSearchConfig } from './webSearchConfig.ts';

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

const editorModelMark = z.strictObject({
  tools: z.boolean().exactOptional(),
  images: z.boolean().exactOptional(),
});
export type EditorModelMark = z.output<typeof editorModelMark>;

const settings = {
  permissionMode: z.enum(['ask', 'review', 'full']).catch('ask'),
  reviewModel: z.string().catch(''),
  sshConfigFile: z.string().catch(''),
  sshPath: z.string().catch(''),
  sshAgent: z.string().catch(''),
  appendToUserFile: z.boolean().catch(false),
  operationsDays: z.int().min(0).max(36_500).catch(180),
  deleteMode: z.enum(['trash', 'permanent']).catch('trash'),
  archives: z.enum(['ask', 'always', 'never']).catch('never'),
} as const;

/** `trash`: moved to a folder in the home directory, where that is on the same file system. */
export type DeleteMode = 'trash' | 'permanent';

/** Whether many small files go as archives of `tar`; `ask`: where a person has agreed for the host. Source: ssh.md 8.7, 6. */
export type ArchiveUse = 'ask' | 'always' | 'never';

/** What the person configured; empty text = not set. Every field is of scope `application`. Source: vscode.md 12. */
export interface TermindSettings {
  readonly permissionMode: 'ask' | 'review' | 'full';
  readonly providers: readonly ProviderConfig[];
  /** Reference of the model that reviews in the mode `review`; none is chosen by itself. Source: decisions 21. */
  readonly reviewModel: string;
  readonly sshConfigFile: string;
  readonly sshPath: string;
  readonly sshAgent: string;
  /** Accepted host keys go to the person's own known_hosts file, too. */
  readonly appendToUserFile: boolean;
  readonly runCeilings: RunCeilings;
  readonly approvalRules: ApprovalRuleSet;
  /** By `<vendor>/<id>` of a model of the editor: what the person says that it can do. Source: vscode.md 13. */
  readonly editorModels: Readonly<Record<string, EditorModelMark>>;
  /** By `<provider id>/<model>`. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** Absent = the web is not searched. */
  readonly webSearch?: WebSearchConfig;
  /** How long the operations log keeps a row; 0 = for ever. Source: vscode.md 9. */
  readonly operationsDays: number;
  /** What becomes of deleted files of a host, where there is a choice. Source: ssh.md 8.8. */
  readonly deleteMode: DeleteMode;
  readonly archives: ArchiveUse;
}

/**
 * Parses raw settings. A malformed value falls back to its safe default; a malformed provider or price is left out and reported, and
 * the others stay. A malformed ceiling is reported and replaced by the lowest one, because whoever sets a ceiling wants to be asked;
 * malformed rules of approval ask about everything.
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
  const webSearch = readWebSearch(raw('webSearch'), onProblem);
  return {
    permissionMode: settings.permissionMode.parse(raw('permissionMode') ?? 'ask'),
    providers,
    reviewModel: settings.reviewModel.parse(raw('reviewModel') ?? ''),
    sshConfigFile: settings.sshConfigFile.parse(raw('sshConfigFile') ?? ''),
    sshPath: settings.sshPath.parse(raw('sshPath') ?? ''),
    sshAgent: settings.sshAgent.parse(raw('sshAgent') ?? ''),
    appendToUserFile: settings.appendToUserFile.parse(raw('appendToUserFile') ?? false),
    runCeilings: parseCeilings(raw('runCeilings'), onProblem),
    approvalRules: readApprovalRules(raw('approvalRules'), onProblem),
    editorModels: parseTable(
      editorModelMark,
      { name: 'termind.editorModels', raw: raw('editorModels') },
      onProblem,
    ),
    prices: parseTable(modelPrice, { name: 'termind.prices', raw: raw('prices') }, onProblem),
    ...(webSearch !== undefined && { webSearch }),
    operationsDays: settings.operationsDays.parse(raw('operationsDays') ?? 180),
    deleteMode: settings.deleteMode.parse(raw('deleteMode') ?? 'trash'),
    archives: settings.archives.parse(raw('archives') ?? 'ask'),
  };
}

function parseCeilings(raw: unknown, onProblem: (problem: string) => void): RunCeilings {
  const parsed = runCeilings.safeParse(raw ?? {});
  if (parsed.success) return parsed.data;
  onProblem(`termind.run.ceilings is not usable: ${parsed.error.issues[0]?.message ?? 'malformed'}`);
  return { turns: 1 };
}

/** The rows that can be read; each other one is reported. */
function parseTable<Row>(
  schema: z.ZodType<Row>,
  setting: { readonly name: string; readonly raw: unknown },
  onProblem: (problem: string) => void,
): Readonly<Record<string, Row>> {
  const table = z.record(z.string(), z.unknown()).safeParse(setting.raw ?? {});
  const rows = Object.entries(table.data ?? {}).flatMap(([key, row]) => {
    const parsed = schema.safeParse(row);
    if (parsed.success) return [[key, parsed.data] as const];
    const cause = parsed.error.issues[0]?.message ?? 'malformed';
    onProblem(`${setting.name}["${key}"] is not usable: ${cause}`);
    return [];
  });
  return Object.fromEntries(rows);
}
