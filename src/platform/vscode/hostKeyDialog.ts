import * as vscode from 'vscode';
import { compareWithExpected } from '../../domain/trust/expectedFingerprint.ts';
import type { HostKeyAnswer, HostKeyQuestion } from '../../domain/trust/trust.ts';
import { knownHostsName } from '../../domain/trust/trustRecord.ts';

/** More names than these are counted. */
const maxNames = 8;

/**
 * Shows an unknown key. The person refuses, accepts, or pastes the fingerprint that is expected: an equal one accepts and remembers, any
 * other refuses. Leaving the field leads back to the dialog, an abort to `cancel`. Source: ssh.md 3.1.
 */
export async function askHostKey(question: HostKeyQuestion, signal: AbortSignal): Promise<HostKeyAnswer> {
  const refuse = vscode.l10n.t('Do Not Connect');
  const once = vscode.l10n.t('Accept Once');
  const remember = vscode.l10n.t('Accept and Remember');
  const compare = vscode.l10n.t('Compare a Fingerprint…');
  const options = { modal: true, detail: questionDetail(question) };
  const title = questionTitle(question);
  while (!signal.aborted) {
    const chosen = await vscode.window.showWarningMessage(title, options, refuse, once, remember, compare);
    if (chosen === once) return 'once';
    if (chosen === remember) return 'remember';
    if (chosen !== compare) return 'cancel';
    const compared = await askExpected(question, signal);
    if (compared === 'same') return 'remember';
    if (compared === 'other') return tellOther(question);
  }
  return 'cancel';
}

/** Says that a key has changed; there is nothing to accept. */
export async function tellChangedKey(question: HostKeyQuestion): Promise<void> {
  const advice = vscode.l10n.t(
    'Either the machine was set up anew, or somebody is in between. Find out which one before you use the command "Termind: Replace the Host Key".',
  );
  await vscode.window.showErrorMessage(
    vscode.l10n.t('The host key of {0} has changed. Termind does not connect.', question.label),
    { modal: true, detail: `${keyLines(question).join('\n')}\n\n${advice}` },
  );
}

/** Undefined when the person leaves, or nobody waits any more. */
async function askExpected(
  { label, fingerprint }: HostKeyQuestion,
  signal: AbortSignal,
): Promise<'same' | 'other' | undefined> {
  const closing = new vscode.CancellationTokenSource();
  const close = (): void => closing.cancel();
  signal.addEventListener('abort', close, { once: true });
  try {
    const text = await vscode.window.showInputBox(
      {
        title: vscode.l10n.t('Expected host key of {0}', label),
        prompt: vscode.l10n.t('Paste the SHA-256 fingerprint or the public key that you got from elsewhere.'),
        placeHolder: 'SHA256:…',
        ignoreFocusOut: true,
        validateInput: (typed) =>
          compareWithExpected(typed, fingerprint) === 'unreadable'
            ? vscode.l10n.t('This is neither a SHA-256 fingerprint nor a public key.')
            : undefined,
      },
      closing.token,
    );
    const compared = text === undefined ? undefined : compareWithExpected(text, fingerprint);
    return compared === 'unreadable' ? undefined : compared;
  } finally {
    signal.removeEventListener('abort', close);
    closing.dispose();
  }
}

async function tellOther({ label, fingerprint }: HostKeyQuestion): Promise<'cancel'> {
  void vscode.window.showErrorMessage(
    vscode.l10n.t(
      'The key of {0} is not the one that you expect, so nothing was sent. It shows {1}. Find out who answers before you try again.',
      label,
      fingerprint,
    ),
  );
  return 'cancel';
}

function questionTitle({ why, label }: HostKeyQuestion): string {
  return why === 'unknown'
    ? vscode.l10n.t('The host key of {0} is not known. Connect to it?', label)
    : vscode.l10n.t('{0} shows a host key of another type than the one known for it. Connect to it?', label);
}

function questionDetail(question: HostKeyQuestion): string {
  const { why, randomArt, sharedWith } = question;
  const lines = [...keyLines(question)];
  if (why === 'other-type-known')
    lines.push(
      vscode.l10n.t(
        'Somebody who is in between would do this to look new. Accept it only when you have compared the fingerprint.',
      ),
    );
  if (sharedWith.length > 0) {
    const names = sharedWith.slice(0, maxNames).join(' · ');
    const more = sharedWith.length - maxNames;
    lines.push(
      more > 0
        ? vscode.l10n.t('The same key is known for: {0} and {1} more', names, more)
        : vscode.l10n.t('The same key is known for: {0}', names),
    );
  }
  return `${lines.join('\n')}\n\n${inShades(randomArt)}`;
}

function keyLines(question: HostKeyQuestion): readonly string[] {
  const { hop, port, trustName, keyType, fingerprint, searched, known } = question;
  return [
    vscode.l10n.t('Connection: {0}', hop),
    vscode.l10n.t('Name: {0}', knownHostsName(trustName, port)),
    vscode.l10n.t('Key type: {0}', keyType),
    vscode.l10n.t('Fingerprint: {0}', fingerprint),
    vscode.l10n.t('Looked for in: {0}', searched.join(', ')),
    ...known.map((line) =>
      vscode.l10n.t(
        'Known: {0} {1} ({2})',
        line.keyType,
        line.fingerprint,
        line.line === undefined ? line.source : `${line.source}:${String(line.line)}`,
      ),
    ),
  ];
}

/**
 * The picture without its frame, in shades: dialogs have a proportional font, in which only the block elements are equally wide. Fields
 * that were not visited are the lightest, start and end the darkest.
 */
function inShades(art: string): string {
  return art
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .replace(/[SE]/g, '\u2588')
        .replace(/[!-~]/g, (char) => (char === '.' ? '\u2592' : '\u2593'))
        .replaceAll(' ', '\u2591'),
    )
    .join('\n');
}
