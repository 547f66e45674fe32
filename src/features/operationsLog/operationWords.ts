import { l10n } from 'vscode';
import type { CallDecidedEntry } from '../../application/ports/operations.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';

type Words = Readonly<Record<string, () => string>>;

/** On what a call ran. A kind of a later version is shown as it is. */
export function groundText(kind: string): string {
  return grounds[kind]?.() ?? showUntrusted(kind);
}

/** What somebody answered to a question about a call. */
export function decidedText({ allowed, by }: CallDecidedEntry): string {
  const words = allowed ? grounds : denials;
  return words[by]?.() ?? showUntrusted(by);
}

export function outcomeText(outcome: string): string {
  return outcomes[outcome]?.() ?? showUntrusted(outcome);
}

/** What people or Termind did. */
export function actText(what: string): string {
  return acts[what]?.() ?? showUntrusted(what);
}

const grounds: Words = {
  proof: () => l10n.t('proven to only read'),
  contained: () => l10n.t('changes only what Termind keeps'),
  fullAccess: () => l10n.t('full access'),
  grant: () => l10n.t('allowed for the conversation'),
  user: () => l10n.t('allowed by a person'),
  review: () => l10n.t('allowed by the security review'),
};

const denials: Words = {
  user: () => l10n.t('denied by a person'),
  review: () => l10n.t('denied by the security review'),
  rule: () => l10n.t('denied by a rule'),
  runtime: () => l10n.t('refused by Termind'),
};

const outcomes: Words = {
  succeeded: () => l10n.t('answered'),
  failed: () => l10n.t('failed'),
  denied: () => l10n.t('denied'),
  cancelled: () => l10n.t('cancelled'),
  unknown: () => l10n.t('outcome unknown'),
};

const acts: Words = {
  connected: () => l10n.t('connected'),
  connectFailed: () => l10n.t('could not connect'),
  commandEnded: () => l10n.t('a command that went on behind its call has ended'),
  hostAdded: () => l10n.t('host added'),
  hostRemoved: () => l10n.t('host removed'),
  tierChanged: () => l10n.t('tier changed'),
  addressChanged: () => l10n.t('address changed'),
  userChanged: () => l10n.t('user changed'),
  filesMarkChanged: () => l10n.t('files marked read-only, or not any more'),
  hostKeyTrusted: () => l10n.t('host key accepted'),
  hostKeyReplaced: () => l10n.t('host key replaced'),
  hostKeyForgotten: () => l10n.t('host key forgotten'),
  authorityTrusted: () => l10n.t('certificate authority trusted'),
  forwardStarted: () => l10n.t('forward started'),
  forwardStopped: () => l10n.t('forward stopped'),
  hostRaised: () => l10n.t('production host raised for a run of the assistant'),
  hostLowered: () => l10n.t('production host is read-only for the assistant again'),
  grantGiven: () => l10n.t('calls of one shape allowed for a conversation'),
  grantRevoked: () => l10n.t('permission for calls of one shape taken back'),
  fileSaved: () => l10n.t('file saved'),
  fileDeleted: () => l10n.t('file or folder deleted'),
  fileTrashed: () => l10n.t('file or folder moved to the trash of the host'),
  fileRenamed: () => l10n.t('file or folder renamed'),
  foldersSynchronized: () => l10n.t('folder synchronized with another one'),
  folderCreated: () => l10n.t('folder created'),
  filesTransferred: () => l10n.t('files transferred to the host'),
  fileModeChanged: () => l10n.t('permissions changed'),
  logAccepted: () => l10n.t('operations log accepted as it is'),
};

export const factNames: Words = {
  command: () => l10n.t('command'),
  call: () => l10n.t('call'),
  status: () => l10n.t('state'),
  exit: () => l10n.t('exit status'),
  signal: () => l10n.t('signal'),
  durationMs: () => l10n.t('milliseconds'),
  outputBytes: () => l10n.t('bytes of output'),
  note: () => l10n.t('note'),
  name: () => l10n.t('name'),
  key: () => l10n.t('key'),
  newKey: () => l10n.t('new key'),
  origin: () => l10n.t('origin'),
  reason: () => l10n.t('reason'),
  forward: () => l10n.t('forward'),
  at: () => l10n.t('listens at'),
  from: () => l10n.t('from'),
  to: () => l10n.t('to'),
  row: () => l10n.t('row kept before'),
  hash: () => l10n.t('hash kept before'),
  conversation: () => l10n.t('conversation'),
  shape: () => l10n.t('shape'),
  tool: () => l10n.t('tool'),
  target: () => l10n.t('on'),
  grant: () => l10n.t('permission'),
  done: () => l10n.t('changes made'),
  notDone: () => l10n.t('changes not made'),
  unknown: () => l10n.t('changes with an unknown outcome'),
  trash: () => l10n.t('trash'),
  mode: () => l10n.t('mode'),
  as: () => l10n.t('with the rights of'),
};
