import { z } from 'zod';

/** One model behind one endpoint. The key, if any, is in the secret storage under `providerKey(id)`. */
const providerConfig = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  label: z.string().min(1).max(120),
  kind: z.enum(['openai-chat']),
  baseUrl: z.url({ protocol: /^https?$/ }),
  model: z.string().min(1).max(256),
  contextWindow: z.number().int().min(1_000).optional(),
});
export type ProviderConfig = z.output<typeof providerConfig>;

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
}

/**
 * Parses raw settings. A malformed value falls back to its safe default; a malformed provider is left out and reported, and the
 * others stay.
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
  };
}

/** Where the key of a provider lives in the secret storage. */
export function providerKey(providerId: string): string {
  return `provider:${providerId}`;
}
