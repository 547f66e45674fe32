import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import {
  namesProblem,
  readAuthorityKey,
  type AuthorityKeyProblem,
  type AuthorityLine,
  type NamesProblem,
} from '../../domain/trust/authorityLine.ts';
import type { FleetHost } from '../../domain/trust/fleetTrust.ts';
import { fingerprintOf } from '../../domain/trust/hostKey.ts';
import type { FleetTrustServices } from './fleetTrustServices.ts';

/** What was read of a key; `names` when a whole line was given. */
type ReadKey = Exclude<ReturnType<typeof readAuthorityKey>, string>;

/** Asks for the key of a certificate authority and the hosts it may vouch for, shows what that covers, and keeps it when a person says so. */
export async function trustAuthority(services: FleetTrustServices): Promise<void> {
  const read = await askKey();
  if (read === undefined) return;
  const names = await askNames(read.names);
  if (names === undefined) return;
  const line = { names, key: read.key };
  const hosts = await services.fleetTrust.coveredBy(line, neverAborted);
  if (!(await confirmLine(line, hosts))) return;
  const isNew = (await services.authorities.add(line)) === 'added';
  void vscode.window.showInformationMessage(
    isNew
      ? vscode.l10n.t('Hosts of {0} are now accepted by certificates of this authority.', names)
      : vscode.l10n.t('This authority is trusted for {0} already.', names),
  );
}

/** Takes back an authority after a question. */
export async function forgetAuthority(
  authority: Parameters<FleetTrustServices['authorities']['forget']>[0],
  { authorities }: FleetTrustServices,
): Promise<void> {
  const { names, fingerprint } = authority;
  const title = vscode.l10n.t('Forget the certificate authority for {0}?', names);
  const consequence = vscode.l10n.t(
    'Its certificates count for nothing from the next connection on. Connections that are open stay open.',
  );
  const keep = vscode.l10n.t('Keep');
  const forget = vscode.l10n.t('Forget');
  const detail = `${fingerprint}\n\n${consequence}`;
  const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, keep, forget);
  if (chosen === forget) await authorities.forget(authority);
}

async function askKey(): Promise<ReadKey | undefined> {
  const paste = vscode.l10n.t('Paste the public key');
  const pick = vscode.l10n.t('Choose a .pub file…');
  const title = vscode.l10n.t('Trust a Certificate Authority');
  const way = await vscode.window.showQuickPick([paste, pick], { title });
  if (way === undefined) return undefined;
  const text = way === paste ? await askLine(title) : await readChosenFile(title);
  if (text === undefined) return undefined;
  const read = readAuthorityKey(text);
  if (typeof read !== 'string') return read;
  void vscode.window.showErrorMessage(keyProblems[read]());
  return undefined;
}

function askLine(title: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('The public key of the authority, as in its .pub file.'),
    placeHolder: 'ssh-ed25519 AAAA…',
    ignoreFocusOut: true,
    validateInput: (text) => {
      const read = readAuthorityKey(text);
      return typeof read === 'string' ? keyProblems[read]() : undefined;
    },
  });
}

/** Larger than any file with one public key. */
const mostBytes = 65_536;

/** A file that is too large has no key; the texts of large files are not read. */
async function readChosenFile(title: string): Promise<string | undefined> {
  const [file] = (await vscode.window.showOpenDialog({ title, canSelectMany: false })) ?? [];
  if (file === undefined) return undefined;
  const { size } = await vscode.workspace.fs.stat(file);
  return size > mostBytes ? '' : new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
}

const keyProblems: Record<AuthorityKeyProblem, () => string> = {
  'no-key': () => vscode.l10n.t('This is no public key. It looks like "ssh-ed25519 AAAA…".'),
  'unknown-kind': () => vscode.l10n.t('This is no key that can sign certificates of hosts.'),
};

function askNames(known: string | undefined): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Trust a Certificate Authority'),
    prompt: vscode.l10n.t('The hosts that it may vouch for, as in known_hosts.'),
    placeHolder: '*.example.com,!test.example.com,[db.example.com]:2222',
    ...(known === undefined ? {} : { value: known }),
    ignoreFocusOut: true,
    validateInput: (text) => {
      const problem = namesProblem(text);
      return problem === undefined ? undefined : namesProblems[problem]();
    },
  });
}

const namesProblems: Record<NamesProblem, () => string> = {
  empty: () => vscode.l10n.t('Write host names or patterns, with commas between them.'),
  'not-a-pattern': () =>
    vscode.l10n.t('Between commas stands a name with * and ?, after ! to leave it out, or [name]:port.'),
  'bad-port': () => vscode.l10n.t('A port is a number up to 65535, or *.'),
  'only-excluded': () => vscode.l10n.t('Hosts are only left out so far. Write which ones it may vouch for.'),
};

/** Labels in the question; the page shows them all. */
const mostLabels = 12;

async function confirmLine({ names, key }: AuthorityLine, hosts: readonly FleetHost[]): Promise<boolean> {
  const labels = [...new Set(hosts.map(({ label }) => label))].map((label) => showUntrusted(label));
  const shown = labels.slice(0, mostLabels).join(', ');
  const more = labels.length - mostLabels;
  const detail = [
    `${key.keyType} ${fingerprintOf(key.blob)}`,
    vscode.l10n.t('For: {0}', names),
    '',
    labels.length === 0
      ? vscode.l10n.t('None of the listed hosts is covered.')
      : vscode.l10n.t('Covered of the listed hosts ({0}): {1}', labels.length, shown),
    ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : []),
    '',
    ...(isEveryHost(names) ? [vscode.l10n.t('These names match every host there is.')] : []),
    vscode.l10n.t(
      'Whoever has its private key can stand for each of these hosts without a question. Compare the fingerprint with whoever runs the authority.',
    ),
  ].join('\n');
  const title = vscode.l10n.t('Trust this certificate authority?');
  const leave = vscode.l10n.t('Do Not Trust');
  const trust = vscode.l10n.t('Trust');
  const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, leave, trust);
  return chosen === trust;
}

function isEveryHost(names: string): boolean {
  return names.split(',').some((pattern) => /^(\*+|\[\*+\]:.*)$/.test(pattern));
}
