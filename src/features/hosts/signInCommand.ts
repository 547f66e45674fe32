import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { Services } from '../../application/services.ts';
import type { HostListing, HostRecord, SignInChoice } from '../../domain/host/host.ts';
import { withSignIn } from '../../domain/host/signInChoice.ts';

type Forwarding = NonNullable<SignInChoice['agentForwarding']>;

/** More are never sensible: a server that takes them invites guessing. */
const maxAttempts = 100;

/**
 * Lets a person decide about signing in to one host: which keys of the SSH agent the server may use, and how many attempts it allows.
 * Closing any question changes nothing. Counts from the next connection on. Source: ssh.md 2.1 and 2.3.
 */
export async function chooseSignIn(services: Services, listing: HostListing): Promise<void> {
  const record = await services.hostStore.get(listing.id);
  if (record === undefined) return showConfigLine(listing);
  const forwarding = vscode.l10n.t('Agent forwarding');
  const attempts = vscode.l10n.t('Attempts that the server allows');
  const chosen = await vscode.window.showQuickPick(
    [
      { label: forwarding, description: forwardingWord(record.signIn?.agentForwarding) },
      { label: attempts, description: String(record.signIn?.attemptLimit ?? 6) },
    ],
    { title: title(record), ignoreFocusOut: true },
  );
  const change =
    chosen?.label === forwarding
      ? await askForwarding(services, record)
      : chosen?.label === attempts
        ? await askAttempts(record)
        : undefined;
  if (change !== undefined) await services.hostStore.put(withSignIn(record, change));
}

function title(record: HostRecord): string {
  return vscode.l10n.t('Signing in to {0}', record.label);
}

function forwardingWord(forwarding: Forwarding | undefined): string {
  if (forwarding === undefined) return vscode.l10n.t('as the SSH configuration says');
  if (!forwarding.isOn) return vscode.l10n.t('off');
  const { keys, confirm } = forwarding;
  const which = keys === undefined ? vscode.l10n.t('all keys') : vscode.l10n.t('{0} keys', keys.length);
  return confirm === true ? vscode.l10n.t('{0}, asked before each signature', which) : which;
}

type Change = Parameters<typeof withSignIn>[1];

async function askForwarding(services: Services, record: HostRecord): Promise<Change | undefined> {
  const inherit = vscode.l10n.t('As the SSH configuration says');
  const off = vscode.l10n.t('Off');
  const all = vscode.l10n.t('All keys of the agent');
  const some = vscode.l10n.t('Chosen keys of the agent…');
  const mode = await vscode.window.showQuickPick([inherit, off, all, some], {
    title: title(record),
    placeHolder: vscode.l10n.t(
      'Whoever is root on the server can use what you offer while you are connected.',
    ),
    ignoreFocusOut: true,
  });
  if (mode === undefined) return undefined;
  if (mode === inherit) return { agentForwarding: undefined };
  if (mode === off) return { agentForwarding: { isOn: false } };
  const keys = mode === some ? await askKeys(services, record) : undefined;
  if (mode === some && keys === undefined) return undefined;
  const confirm = await askConfirmation(record);
  if (confirm === undefined) return undefined;
  return { agentForwarding: { isOn: true, confirm, ...(keys === undefined ? {} : { keys }) } };
}

async function askKeys(services: Services, record: HostRecord): Promise<readonly string[] | undefined> {
  const { endpoint, keys } = await services.agentKeys.of(record.id, neverAborted);
  if (keys.length === 0) {
    void vscode.window.showInformationMessage(
      endpoint === undefined
        ? vscode.l10n.t('No SSH agent answers. Start one, then choose again.')
        : vscode.l10n.t('The SSH agent {0} is locked or holds no key. Add one, then choose again.', endpoint),
    );
    return undefined;
  }
  const before = record.signIn?.agentForwarding?.keys ?? [];
  const picked = await vscode.window.showQuickPick(
    keys.map(({ label, fingerprint, keyType }) => ({
      label,
      description: keyType,
      detail: fingerprint,
      fingerprint,
      picked: before.includes(fingerprint),
    })),
    {
      title: title(record),
      placeHolder: vscode.l10n.t('Keys that the server may use'),
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  return picked === undefined || picked.length === 0 ? undefined : picked.map((one) => one.fingerprint);
}

async function askConfirmation(record: HostRecord): Promise<boolean | undefined> {
  const each = vscode.l10n.t('Ask me before each signature');
  const none = vscode.l10n.t('Sign without asking');
  const chosen = await vscode.window.showQuickPick([each, none], {
    title: title(record),
    ignoreFocusOut: true,
  });
  return chosen === undefined ? undefined : chosen === each;
}

async function askAttempts(record: HostRecord): Promise<Change | undefined> {
  const typed = await vscode.window.showInputBox({
    title: title(record),
    prompt: vscode.l10n.t('How many failed attempts end the connection there? Empty is 6, as usual.'),
    value: record.signIn?.attemptLimit === undefined ? '' : String(record.signIn.attemptLimit),
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' || attemptsOf(text) !== undefined
        ? undefined
        : vscode.l10n.t('Write a number from 1 to {0}.', maxAttempts),
  });
  return typed === undefined ? undefined : { attemptLimit: attemptsOf(typed) };
}

function attemptsOf(text: string): number | undefined {
  const number = Number(text.trim());
  return Number.isInteger(number) && number >= 1 && number <= maxAttempts ? number : undefined;
}

/** A host of the configuration is changed in its file, which we never write. */
function showConfigLine(listing: HostListing): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t(
      '{0} lives in your SSH configuration. Add "ForwardAgent yes" to its block there to offer it your agent.',
      listing.label,
    ),
  );
}
