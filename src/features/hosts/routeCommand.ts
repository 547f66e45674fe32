import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { credentialKey } from '../../application/ports/prompts.ts';
import type { Services } from '../../application/services.ts';
import { linkedRecord } from '../../application/vault/linkedRecord.ts';
import { parseConnectText } from '../../domain/host/connectText.ts';
import type { HostListing, HostRecord, HostRoute, ProxyServer } from '../../domain/host/host.ts';
import { knowsTokens } from '../../domain/ssh/buildRoute.ts';
import { parseJumpChain } from '../../domain/ssh/jumpChain.ts';
import { placeText } from '../../domain/host/placeText.ts';

export interface RouteServices {
  readonly hostStore: Pick<Services['hostStore'], 'get' | 'put'>;
  readonly credentials: Pick<Services['credentials'], 'set' | 'delete'>;
}

/** A way that was chosen, and the password of its proxy where one was typed. */
interface Choice {
  readonly route: HostRoute | undefined;
  readonly password?: string;
}

type Ask = (record: HostRecord) => Promise<Choice | undefined>;

/**
 * Lets a person say how a host is reached. A host of the SSH configuration becomes a record that is linked to its alias. Leaving any
 * question changes nothing. Counts from the next connection on. Source: ssh.md 1.2.
 */
export async function setRoute(services: RouteServices, listing: HostListing): Promise<void> {
  const record = (await services.hostStore.get(listing.id)) ?? linkedRecord(listing);
  const ways: readonly (vscode.QuickPickItem & { readonly ask: Ask })[] = [
    {
      label: vscode.l10n.t('As configured'),
      detail: vscode.l10n.t('The way that your SSH configuration names; directly where it names none.'),
      ask: async () => ({ route: undefined }),
    },
    {
      label: vscode.l10n.t('Directly'),
      detail: vscode.l10n.t('Without a jump host, program or proxy, whatever the configuration says.'),
      ask: async () => ({ route: { jump: 'none', command: 'none' } }),
    },
    {
      label: vscode.l10n.t('Through jump hosts…'),
      detail: vscode.l10n.t('One or more servers, each reached through the one before.'),
      ask: askJump,
    },
    {
      label: vscode.l10n.t('Through a program…'),
      detail: vscode.l10n.t('What it writes and reads is the connection, as with ProxyCommand.'),
      ask: askCommand,
    },
    {
      label: vscode.l10n.t('Through a SOCKS or HTTP proxy…'),
      detail: vscode.l10n.t('For the first server on the way.'),
      ask: askProxy,
    },
  ];
  const title = vscode.l10n.t('How is {0} reached? Now: {1}', record.label, routeText(record.route));
  const picked = await vscode.window.showQuickPick(ways, { title, ignoreFocusOut: true });
  const choice = await picked?.ask(record);
  if (choice !== undefined) await store(services, record, choice);
}

/** The secret comes first, and the one before goes last: a record never refers to one that is not there. */
async function store(
  services: RouteServices,
  record: HostRecord,
  { route, password }: Choice,
): Promise<void> {
  const { credentials, hostStore } = services;
  const before = record.route?.proxy?.secretRef;
  const secretRef = password === undefined ? route?.proxy?.secretRef : randomUUID();
  if (password !== undefined && secretRef !== undefined)
    await credentials.set(credentialKey(secretRef), password);
  const { route: _before, ...rest } = record;
  const proxy = route?.proxy === undefined ? {} : { proxy: withSecret(route.proxy, secretRef) };
  try {
    await hostStore.put(route === undefined ? rest : { ...rest, route: { ...route, ...proxy } });
  } catch (error) {
    if (password !== undefined && secretRef !== undefined) await credentials.delete(credentialKey(secretRef));
    throw error;
  }
  if (before !== undefined && before !== secretRef) await credentials.delete(credentialKey(before));
}

function withSecret(
  { secretRef: _before, ...proxy }: ProxyServer,
  secretRef: string | undefined,
): ProxyServer {
  return secretRef === undefined ? proxy : { ...proxy, secretRef };
}

async function askJump({ route, label }: HostRecord): Promise<Choice | undefined> {
  const jump = await vscode.window.showInputBox({
    title: vscode.l10n.t('Jump hosts of {0}', label),
    prompt: vscode.l10n.t(
      'Names of hosts, or user@host:port, separated by commas; the first one is connected to first.',
    ),
    value: isWord(route?.jump) ? route.jump : '',
    ignoreFocusOut: true,
    validateInput: (text) =>
      (parseJumpChain(text.trim()) ?? []).length > 0
        ? undefined
        : vscode.l10n.t('Write one or more hosts, for example gate or ops@gate.example.com:2222,inner.'),
  });
  if (jump === undefined) return undefined;
  const proxy = route?.proxy === undefined ? {} : { proxy: route.proxy };
  return { route: { jump: jump.trim(), ...proxy } };
}

async function askCommand({ route, label }: HostRecord): Promise<Choice | undefined> {
  const command = await vscode.window.showInputBox({
    title: vscode.l10n.t('Program to {0}', label),
    prompt: vscode.l10n.t(
      'Run by your shell. %h, %p, %r and %n stand for host, port, user and the name as typed.',
    ),
    value: isWord(route?.command) ? route.command : '',
    ignoreFocusOut: true,
    validateInput: (text) =>
      isWord(text.trim()) && knowsTokens(text)
        ? undefined
        : vscode.l10n.t('Write a command, for example: nc -X 5 -x proxy.example.com:1080 %h %p'),
  });
  return command === undefined ? undefined : { route: { command: command.trim() } };
}

async function askProxy({ route, label }: HostRecord): Promise<Choice | undefined> {
  const now = route?.proxy;
  const title = vscode.l10n.t('Proxy to {0}', label);
  const kinds: readonly (vscode.QuickPickItem & { readonly proxyKind: ProxyServer['kind'] })[] = [
    { proxyKind: 'socks5', label: 'SOCKS5' },
    { proxyKind: 'socks4a', label: 'SOCKS4a' },
    { proxyKind: 'http', label: 'HTTP CONNECT' },
  ];
  const kind = (await vscode.window.showQuickPick(kinds, { title, ignoreFocusOut: true }))?.proxyKind;
  if (kind === undefined) return undefined;
  const text = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('host:port, or user@host:port where the proxy wants a user'),
    value: now === undefined ? '' : proxyText(now),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      parseConnectText(typed)?.port === undefined
        ? vscode.l10n.t('Write host and port, for example proxy.example.com:1080.')
        : undefined,
  });
  const { address: host, port, user } = (text === undefined ? undefined : parseConnectText(text)) ?? {};
  if (host === undefined || port === undefined) return undefined;
  const jump = route?.jump === undefined ? {} : { jump: route.jump };
  if (user === undefined) return { route: { ...jump, proxy: { kind, host, port } } };
  const password = await vscode.window.showInputBox({
    title: vscode.l10n.t('Password of {0} at the proxy', user),
    prompt: vscode.l10n.t("It is kept in the editor's secret storage only. Empty where there is none."),
    password: true,
    ignoreFocusOut: true,
  });
  if (password === undefined) return undefined;
  return {
    route: { ...jump, proxy: { kind, host, port, user } },
    ...(password === '' ? {} : { password }),
  };
}

/** Whether a field says more than "none". */
function isWord(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text.toLowerCase() !== 'none';
}

function routeText(route: HostRoute | undefined): string {
  if (route === undefined) return vscode.l10n.t('as configured');
  const parts = [
    ...(route.proxy === undefined ? [] : [vscode.l10n.t('proxy {0}', proxyText(route.proxy))]),
    ...(isWord(route.jump) ? [vscode.l10n.t('jump hosts {0}', route.jump)] : []),
    ...(isWord(route.command) ? [vscode.l10n.t('a program')] : []),
  ];
  return parts.length === 0 ? vscode.l10n.t('directly') : parts.join(', ');
}

function proxyText({ host, port, user }: ProxyServer): string {
  return `${user === undefined ? '' : `${user}@`}${placeText(host, port)}`;
}
