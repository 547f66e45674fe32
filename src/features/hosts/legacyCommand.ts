import * as vscode from 'vscode';
import type { Services } from '../../application/services.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import { algorithmKinds, type AlgorithmKind } from '../../domain/ssh/algorithms.ts';
import { legacyAlgorithms, legacyConfigLines, legacyOf } from '../../domain/ssh/legacyAlgorithms.ts';

export interface LegacyServices {
  readonly hostStore: Pick<Services['hostStore'], 'get' | 'put'>;
  readonly connections: Pick<Services['connections'], 'state'>;
}

/**
 * Lets a person switch weak algorithms on or off for one host, by exact name; those that the last attempt has named are chosen already.
 * On a production host it asks why. Counts from the next connection on. Source: ssh.md 5.3.
 */
export async function allowLegacy(services: LegacyServices, listing: HostListing): Promise<void> {
  const helping = helpingAlgorithms(services, listing);
  const record = await services.hostStore.get(listing.id);
  if (record === undefined) return showConfigLines(listing, helping);
  const names = await pickAlgorithms(record, helping);
  if (names === undefined) return;
  const isNew = names.some((name) => record.legacy?.algorithms.includes(name) !== true);
  const reason =
    isNew && listing.tier === 'prod' ? await askReason(record) : (record.legacy?.reason ?? undefined);
  if (isNew && listing.tier === 'prod' && reason === undefined) return;
  const { legacy: _before, ...rest } = record;
  const legacy = { algorithms: names, ...(reason === undefined ? {} : { reason }) };
  await services.hostStore.put(names.length === 0 ? rest : { ...rest, legacy });
}

/** What the last attempt has named, when it failed for want of a common algorithm. */
function helpingAlgorithms(services: LegacyServices, listing: HostListing): readonly string[] {
  const state = services.connections.state(listing.id);
  const fault = state.k === 'stopped' || state.k === 'waiting' ? state.fault : undefined;
  if (fault?.code !== 'no-common-algorithm') return [];
  return fault.facts['legacy']?.split(', ') ?? [];
}

async function pickAlgorithms(
  record: HostRecord,
  helping: readonly string[],
): Promise<readonly string[] | undefined> {
  const on = new Set([...(record.legacy?.algorithms ?? []), ...helping]);
  const items = algorithmKinds.flatMap((kind) => {
    const names = legacyOf(kind, legacyAlgorithms);
    if (names.length === 0) return [];
    const head = { label: kindName(kind), kind: vscode.QuickPickItemKind.Separator };
    return [
      head,
      ...names.map((label) => ({
        label,
        description: helping.includes(label) ? vscode.l10n.t('the server needs this') : '',
        picked: on.has(label),
      })),
    ];
  });
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Legacy algorithms for {0}', record.label),
    placeHolder: vscode.l10n.t('They are weak. Allow only what this server needs, for this host alone.'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked?.map(({ label }) => label);
}

function kindName(kind: AlgorithmKind): string {
  switch (kind) {
    case 'kex':
      return vscode.l10n.t('Key exchange');
    case 'hostKey':
      return vscode.l10n.t('Host key and signature');
    case 'cipher':
      return vscode.l10n.t('Encryption');
    case 'mac':
      return vscode.l10n.t('Integrity');
    case 'compression':
      return vscode.l10n.t('Compression');
  }
}

async function askReason(record: HostRecord): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Legacy algorithms for {0}', record.label),
    prompt: vscode.l10n.t('This is a production host. Why does it need weak algorithms?'),
    value: record.legacy?.reason ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Write a reason.') : undefined),
  });
  return typed === undefined || typed.trim() === '' ? undefined : typed.trim();
}

/** A host of the configuration is changed in its file, which we never write. */
async function showConfigLines(listing: HostListing, helping: readonly string[]): Promise<void> {
  const lines = legacyConfigLines(helping);
  const copy = vscode.l10n.t('Copy Lines');
  const answer = await vscode.window.showInformationMessage(
    lines.length === 0
      ? vscode.l10n.t(
          '{0} lives in your SSH configuration. Add what it needs to its block there, for example KexAlgorithms +diffie-hellman-group14-sha1.',
          listing.label,
        )
      : vscode.l10n.t(
          '{0} lives in your SSH configuration. Add to its block there: {1}',
          listing.label,
          lines.join('; '),
        ),
    ...(lines.length === 0 ? [] : [copy]),
  );
  if (answer === copy) await vscode.env.clipboard.writeText(lines.map((line) => `  ${line}\n`).join(''));
}
