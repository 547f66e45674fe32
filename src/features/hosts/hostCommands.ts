import * as vscode from 'vscode';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import { credentialKey } from '../../application/ports/prompts.ts';
import type { Services } from '../../application/services.ts';
import { replacePassword } from '../../application/vault/replacePassword.ts';
import { parseConnectText } from '../../domain/host/connectText.ts';
import {
  passwordRefOf,
  type HostListing,
  type HostRecord,
  type IdentityRef,
} from '../../domain/host/host.ts';
import { newHostId, type HostId } from '../../domain/host/hostId.ts';
import { placeText } from '../../domain/host/placeText.ts';

/** A host as the person names it, before it is stored. */
interface HostDraft {
  readonly label: string;
  readonly address: string;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly identity: IdentityRef;
}

/** Asks for a host in three steps and stores it. Resolves with its id, or undefined when the person leaves. */
export async function addHost(services: Services): Promise<HostId | undefined> {
  const draft = await askHost(undefined);
  if (draft === undefined) return undefined;
  return storeNew(services, draft);
}

/** Asks the same questions with the stored values filled in. A host of an OpenSSH config opens at its block; no file is rewritten. */
export async function editHost(services: Services, host: HostListing): Promise<void> {
  const record = await services.hostStore.get(host.id);
  if (record === undefined) return editInConfig(services, host);
  const draft = await askHost(record);
  if (draft !== undefined) await services.hostStore.put({ ...record, ...recordFields(draft) });
}

async function editInConfig({ sshConfig }: Services, { alias, label }: HostListing): Promise<void> {
  const at = await sshConfig.sourceOf(alias ?? label);
  if (at === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'This host lives in your SSH configuration. Edit it in that file; the list follows at once.',
      ),
    );
    return;
  }
  const start = new vscode.Position(at.line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(at.path), {
    selection: new vscode.Range(start, start),
  });
}

/** Removes a vault host and its stored passwords after a modal question; hosts of an OpenSSH config stay. */
export async function removeHost(services: Services, listing: HostListing): Promise<void> {
  const record = await services.hostStore.get(listing.id);
  if (record === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'This host lives in your SSH configuration. Remove it from that file; the list follows at once.',
      ),
    );
    return;
  }
  const keep = vscode.l10n.t('Keep');
  const remove = vscode.l10n.t('Remove');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove {0} from the vault?', record.label),
    { modal: true, detail: vscode.l10n.t('Nothing changes on the machine itself.') },
    keep,
    remove,
  );
  if (answer !== remove) return;
  services.connections.disconnect(record.id);
  for (const reference of [passwordRefOf(record), record.route?.proxy?.secretRef])
    if (reference !== undefined) await services.credentials.delete(credentialKey(reference));
  await services.hostStore.remove(record.id);
}

/** Picks a host from all that are known; what connected last comes first. */
export async function pickHost(services: Services, title: string): Promise<HostListing | undefined> {
  const [hosts, recents] = await Promise.all([services.hosts.list(), services.hostStore.recents()]);
  const rank = new Map(recents.map((entry, index) => [entry.hostId, index]));
  const sorted = [...hosts].sort(
    (a, b) => (rank.get(a.id) ?? Infinity) - (rank.get(b.id) ?? Infinity) || a.label.localeCompare(b.label),
  );
  const picked = await vscode.window.showQuickPick(
    sorted.map((listing) => ({
      label: listing.label,
      description: `${listing.user}@${listing.address}${listing.port === 22 ? '' : `:${listing.port}`}`,
      listing,
    })),
    { title, placeHolder: vscode.l10n.t('Choose a host'), matchOnDescription: true },
  );
  return picked?.listing;
}

/** A host for `user@host:port` typed on the spot: the stored one that matches, otherwise a new record. */
export async function quickConnect(services: Services): Promise<HostId | undefined> {
  const hosts = await services.hosts.list();
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Quick Connect'),
    prompt: vscode.l10n.t('user@host:port, or the name of a host'),
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === '' || parseConnectText(value) !== undefined
        ? undefined
        : vscode.l10n.t('Write user@host:port, for example deploy@web.example.com:22.'),
  });
  const named = hosts.find((host) => host.label === text?.trim());
  if (named !== undefined) return named.id;
  const parsed = text === undefined ? undefined : parseConnectText(text);
  if (parsed === undefined) return undefined;
  const known = hosts.find(
    (host) =>
      host.address === parsed.address &&
      host.port === (parsed.port ?? 22) &&
      (parsed.user === undefined || host.user === parsed.user),
  );
  if (known !== undefined) return known.id;
  return storeNew(services, { label: parsed.address, ...parsed, identity: { kind: 'default' } });
}

/** Stores the password of a host in the editor's secret storage; the record holds a random reference only. */
export async function setPassword(
  services: Services,
  ports: FeaturePorts,
  listing: HostListing,
): Promise<void> {
  const record = await services.hostStore.get(listing.id);
  if (record === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'Add this host to the vault first; hosts of the SSH configuration use keys or are asked.',
      ),
    );
    return;
  }
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Password for {0}', record.label),
    prompt: vscode.l10n.t("It is kept in the editor's secret storage only."),
    password: true,
    ignoreFocusOut: true,
  });
  if (text === undefined || text === '') return;
  const identity = { kind: 'password', credentialId: passwordRefOf(record) } as const;
  const stores = { hosts: services.hostStore, secrets: services.credentials };
  await replacePassword({ ...record, identity }, text, stores);
  ports.log.info('hosts', 'a password was stored');
}

async function storeNew(services: Services, draft: HostDraft): Promise<HostId> {
  const id = newHostId();
  const empty = { tier: undefined, group: undefined, tags: [], alias: undefined, revision: 0 };
  await services.hostStore.put({ id, ...recordFields(draft), ...empty });
  return id;
}

async function askHost(known: HostRecord | undefined): Promise<HostDraft | undefined> {
  const text = await vscode.window.showInputBox({
    title: known === undefined ? vscode.l10n.t('Add Host (1 of 3)') : vscode.l10n.t('Edit Host (1 of 3)'),
    prompt: vscode.l10n.t('Address: user@host:port'),
    placeHolder: 'deploy@web.example.com:22',
    value: known === undefined ? '' : connectText(known),
    ignoreFocusOut: true,
    validateInput: (value) =>
      parseConnectText(value) === undefined
        ? vscode.l10n.t('Write user@host:port, for example deploy@web.example.com:22.')
        : undefined,
  });
  const parsed = text === undefined ? undefined : parseConnectText(text);
  if (parsed === undefined) return undefined;
  const label = await vscode.window.showInputBox({
    title: known === undefined ? vscode.l10n.t('Add Host (2 of 3)') : vscode.l10n.t('Edit Host (2 of 3)'),
    prompt: vscode.l10n.t('Name in the list'),
    value: known?.label ?? parsed.address,
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('A host needs a name.') : undefined),
  });
  if (label === undefined) return undefined;
  const identity = await askIdentity(known);
  return identity === undefined ? undefined : { label: label.trim(), ...parsed, identity };
}

async function askIdentity(known: HostRecord | undefined): Promise<IdentityRef | undefined> {
  const picked = await vscode.window.showQuickPick(
    [
      { label: vscode.l10n.t('My default keys and agent'), id: 'default' as const },
      { label: vscode.l10n.t('A key file…'), id: 'keyFile' as const },
      { label: vscode.l10n.t('The SSH agent only'), id: 'agent' as const },
      { label: vscode.l10n.t('A password (asked when connecting)'), id: 'password' as const },
    ],
    {
      title: known === undefined ? vscode.l10n.t('Add Host (3 of 3)') : vscode.l10n.t('Edit Host (3 of 3)'),
      placeHolder: vscode.l10n.t('How do you sign in?'),
      ignoreFocusOut: true,
    },
  );
  switch (picked?.id) {
    case undefined:
      return undefined;
    case 'default':
      return { kind: 'default' };
    case 'agent':
      return { kind: 'agent' };
    case 'password':
      return known?.identity.kind === 'password'
        ? known.identity
        : { kind: 'password', credentialId: undefined };
    case 'keyFile': {
      const files = await vscode.window.showOpenDialog({
        title: vscode.l10n.t('Private key file'),
        canSelectMany: false,
        openLabel: vscode.l10n.t('Use This Key'),
      });
      const file = files?.[0];
      return file === undefined ? undefined : { kind: 'keyFile', path: file.fsPath };
    }
  }
}

function recordFields(
  draft: HostDraft,
): Pick<HostRecord, 'label' | 'addresses' | 'port' | 'user' | 'identity'> {
  return {
    label: draft.label,
    addresses: [draft.address],
    port: draft.port,
    user: draft.user,
    identity: draft.identity,
  };
}

function connectText(record: HostRecord): string {
  const address = record.addresses[0] ?? '';
  return `${record.user === undefined ? '' : `${record.user}@`}${record.port === undefined ? address : placeText(address, record.port)}`;
}
