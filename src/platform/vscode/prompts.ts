import * as vscode from 'vscode';
import type {
  ConfirmQuestion,
  ConnectionPromptPort,
  SecretQuestion,
  SigningNotice,
} from '../../application/ports/prompts.ts';
import { withoutLinks } from '../../domain/withoutLinks.ts';
import { askHostKey, tellChangedKey } from './hostKeyDialog.ts';
import type { PromptQueue } from './promptQueue.ts';

/**
 * Questions of connections, one at a time across the window. No answer, Escape and a closed dialog refuse; no acceptance is the
 * default button. Source: ssh.md 1.3 and 3.1; decisions 15.
 */
export function connectionPrompts(queue: PromptQueue): ConnectionPromptPort {
  return {
    hostKey: (question, signal) => queue.next(signal, 'cancel', () => askHostKey(question, signal)),
    changedKey: (question, signal) => queue.next(signal, undefined, () => tellChangedKey(question)),
    secret: (question, signal) => queue.next(signal, undefined, () => askSecret(question, signal)),
    confirm: (question, signal) => queue.next(signal, false, () => askConfirm(question)),
    signing: showSigning,
  };
}

async function askSecret(
  question: SecretQuestion,
  signal: AbortSignal,
): Promise<{ text: string; remember: boolean } | undefined> {
  const title = secretTitle(question);
  if (isLong(question.heading) && !(await showHeading(title, question.heading))) return undefined;
  if (signal.aborted) return undefined;
  const closing = new vscode.CancellationTokenSource();
  const close = (): void => closing.cancel();
  signal.addEventListener('abort', close, { once: true });
  try {
    const text = await vscode.window.showInputBox(
      { title, prompt: withoutLinks(secretPrompt(question)), password: !question.echo, ignoreFocusOut: true },
      closing.token,
    );
    if (text === undefined) return undefined;
    return { text, remember: question.canRemember && (await askRemember(title, closing.token)) };
  } finally {
    signal.removeEventListener('abort', close);
    closing.dispose();
  }
}

function secretTitle({ kind, hop }: SecretQuestion): string {
  switch (kind) {
    case 'password':
      return vscode.l10n.t('Password for {0}', hop);
    case 'passphrase':
      return vscode.l10n.t('Passphrase of a key for {0}', hop);
    case 'keyboardInteractive':
      return vscode.l10n.t('Sign in to {0}', hop);
    case 'newPassword':
      return vscode.l10n.t('New password for {0}', hop);
    case 'repeatPassword':
      return vscode.l10n.t('New password for {0}, once more', hop);
  }
}

/** An input box has one short line beneath it: what is longer is read before. */
function isLong(heading: string): boolean {
  return heading.length > 200 || heading.includes('\n');
}

async function showHeading(title: string, heading: string): Promise<boolean> {
  const go = vscode.l10n.t('Answer');
  const chosen = await vscode.window.showInformationMessage(title, { modal: true, detail: heading }, go);
  return chosen === go;
}

function secretPrompt({ heading, prompt, isRepeated, keysLeftOut }: SecretQuestion): string {
  return [
    isRepeated ? vscode.l10n.t('The two entries differ or are empty.') : '',
    isLong(heading) ? '' : heading,
    prompt,
    keysLeftOut === 0
      ? ''
      : vscode.l10n.t('{0} keys were not offered: the server allows few attempts.', keysLeftOut),
  ]
    .filter((text) => text !== '')
    .join(' – ');
}

async function askConfirm(question: ConfirmQuestion): Promise<boolean> {
  const refuse = vscode.l10n.t('Refuse');
  const [title, detail, allow] = confirmText(question);
  return (await vscode.window.showWarningMessage(title, { modal: true, detail }, refuse, allow)) === allow;
}

function confirmText(question: ConfirmQuestion): readonly [title: string, detail: string, allow: string] {
  switch (question.k) {
    case 'forwardAgent':
      return [
        vscode.l10n.t('Let the production host {0} use your SSH agent?', question.hop),
        vscode.l10n.t(
          'Whoever is root there can sign in elsewhere with your keys while you are connected. Agent: {0}',
          question.endpoint,
        ),
        vscode.l10n.t('Forward'),
      ];
    case 'forwardedSignature':
      return [
        vscode.l10n.t('{0} asks for a signature with your key {1}.', question.hop, question.label),
        vscode.l10n.t('Fingerprint: {0}', question.fingerprint),
        vscode.l10n.t('Sign Once'),
      ];
    case 'addHostKeys':
      return [
        vscode.l10n.t('{0} has further host keys. Remember them?', question.hop),
        [
          vscode.l10n.t(
            'The server has proved that it holds them. It can then change its key without a question.',
          ),
          ...question.keys,
        ].join('\n'),
        vscode.l10n.t('Remember'),
      ];
    case 'removeHostKeys':
      return [
        vscode.l10n.t('{0} does not use some of its host keys any more. Forget them?', question.hop),
        [
          vscode.l10n.t(
            'The server says so over a connection with a key that you trust. Forgotten keys are noted.',
          ),
          ...question.keys,
        ].join('\n'),
        vscode.l10n.t('Forget'),
      ];
  }
}

/** A notification that does not take the focus, so that a touch or the agent's own dialog can be seen to. */
async function showSigning(
  { hop, label, isSecurityKey }: SigningNotice,
  signal: AbortSignal,
): Promise<boolean> {
  const named = withoutLinks(label);
  const title = isSecurityKey
    ? vscode.l10n.t('Touch your key {0} to sign in to {1}', named, hop)
    : vscode.l10n.t('The SSH agent is asked to sign in to {0} with {1}. It may wait for you.', hop, named);
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(
    options,
    (_progress, token) =>
      new Promise<boolean>((resolve) => {
        if (signal.aborted) return resolve(false);
        signal.addEventListener('abort', () => resolve(false), { once: true });
        token.onCancellationRequested(() => resolve(true));
      }),
  );
}

async function askRemember(title: string, token: vscode.CancellationToken): Promise<boolean> {
  const keep = vscode.l10n.t("Keep it in the editor's secret storage");
  const forget = vscode.l10n.t('Use it for this connection only');
  return (await vscode.window.showQuickPick([forget, keep], { title, ignoreFocusOut: true }, token)) === keep;
}
