import { l10n } from 'vscode';
import type { AgentErrorCode } from '../../agentkit/index.ts';
import { hopOnTheWay, isTermindError, type Fault, type FaultCode } from '../../domain/fault.ts';
import { isCertReason } from '../../domain/trust/certReasonText.ts';
import type { CertReason } from '../../domain/trust/hostCertificate.ts';
import { withoutLinks } from '../../domain/withoutLinks.ts';

type Facts = Readonly<Record<string, string>>;

/** What a person reads for each fault: cause, then the next step. The compiler keeps the table complete. Source: ssh.md 1.4. */
const faultText: Record<FaultCode, (facts: Facts) => string> = {
  'name-not-found': (f) =>
    f['from'] === undefined
      ? l10n.t(
          'The name {0} does not resolve. Check the address, or connect the VPN it needs.',
          at(f, 'address'),
        )
      : l10n.t(
          'The name {0} does not resolve on {1}. Check the address as that host knows it.',
          at(f, 'address'),
          at(f, 'from'),
        ),
  unreachable: (f) =>
    f['from'] === undefined
      ? l10n.t('There is no route to {0}. Check your network or VPN.', at(f, 'address'))
      : l10n.t(
          'There is no route to {0} from {1}. Check the network of that host.',
          at(f, 'address'),
          at(f, 'from'),
        ),
  refused: (f) =>
    f['from'] === undefined
      ? l10n.t(
          'Nothing listens on {0} port {1}. Check the port, and that sshd runs there.',
          at(f, 'address'),
          at(f, 'port'),
        )
      : l10n.t(
          'Nothing listens on {0} port {1}, seen from {2}. Check the port, and that sshd runs there.',
          at(f, 'address'),
          at(f, 'port'),
          at(f, 'from'),
        ),
  'connect-timeout': (f) =>
    f['from'] === undefined
      ? l10n.t(
          '{0} port {1} did not answer in time. Check the address, a firewall, or the VPN.',
          at(f, 'address'),
          at(f, 'port'),
        )
      : l10n.t(
          '{0} port {1} did not answer {2} in time. Check the address, or a firewall between them.',
          at(f, 'address'),
          at(f, 'port'),
          at(f, 'from'),
        ),
  'proxy-failed': (f) => l10n.t('The proxy ended: {0}. Check its settings.', at(f, 'text')),
  'not-identified': (f) =>
    l10n.t(
      '{0} closed or stayed silent before it identified itself as SSH. It may be overloaded; wait and try again.',
      at(f, 'address'),
    ),
  'not-ssh': (f) =>
    l10n.t(
      '{0} port {1} is not an SSH server (it said: {2}). Correct the port.',
      at(f, 'address'),
      at(f, 'port'),
      at(f, 'text'),
    ),
  'no-common-algorithm': (f) =>
    f['legacy'] === undefined
      ? l10n.t('This host and Termind share no {0} algorithm. Update its SSH server.', at(f, 'category'))
      : l10n.t(
          'This host and Termind share no {0} algorithm. Update its SSH server, or allow {1} with "Termind: Allow Legacy Algorithms".',
          at(f, 'category'),
          at(f, 'legacy'),
        ),
  'key-unknown': () => l10n.t('The host key was not accepted. Connect again to see it once more.'),
  'key-changed': () =>
    l10n.t(
      'The host key has changed, so nothing was sent. Compare the keys, then use "Termind: Replace the Host Key" if the change is right.',
    ),
  'key-revoked': () => l10n.t('The host key is revoked. Do not use this machine before you know why.'),
  'cert-refused': (f) =>
    l10n.t(
      'The host certificate was refused: {0}. Ask whoever issues certificates for this host.',
      certReason(at(f, 'reason')),
    ),
  'auth-failed': (f) =>
    l10n.t(
      'The server refused every identity that was tried: {0}. Choose another identity for this host.',
      at(f, 'tried'),
    ),
  'auth-budget': (f) =>
    l10n.t(
      "Stopped before the server's attempt limit: {0}. Not tried: {1}. Choose one identity for this host.",
      at(f, 'tried'),
      at(f, 'leftOut'),
    ),
  'auth-cancelled': () => l10n.t('The sign-in was cancelled. Connect again to be asked once more.'),
  'auth-expired': () =>
    l10n.t('The password has expired and was not changed. Connect again to choose a new one.'),
  'password-change-failed': (f) =>
    l10n.t(
      'The server did not take the new password. It says: {0}. Connect again to choose another.',
      at(f, 'reason'),
    ),
  'key-unreadable': (f) =>
    l10n.t(
      'The key file {0} cannot be used: {1}. Choose the private key file, or enter its passphrase.',
      at(f, 'path'),
      at(f, 'reason'),
    ),
  'agent-missing': (f) =>
    l10n.t('No SSH agent answers ({0}). Start one, or choose a key file for this host.', at(f, 'endpoint')),
  'agent-refused': (f) =>
    l10n.t(
      'The SSH agent {0} did not sign: {1}. Unlock it, or choose another identity.',
      at(f, 'endpoint'),
      at(f, 'reason'),
    ),
  'user-cert-unusable': (f) =>
    l10n.t(
      'The certificate {0} was not offered: {1}. Renew it; without it the server took no other identity.',
      at(f, 'path'),
      at(f, 'reason'),
    ),
  'config-error': (f) =>
    l10n.t('The SSH configuration cannot be used: {0}. Open that line and correct it.', at(f, 'reason')),
  'config-consent': (f) =>
    f['program'] !== undefined
      ? l10n.t(
          '{0} starts a program ({1}), which Termind does not do in a folder that you do not trust. Trust the folder, or connect from another window.',
          at(f, 'path'),
          at(f, 'program'),
        )
      : l10n.t(
          'The SSH configuration {0} runs programs (Match exec), and you have not decided whether it may. Connect again to be asked.',
          at(f, 'path'),
        ),
  'answer-needed': () =>
    l10n.t('Connecting again needs an answer from you. Reconnect when you are ready to give it.'),
  'channel-limit': (f) =>
    f['used'] === '0'
      ? l10n.t(
          'The server allows no further session on this connection. Disconnect the host and try again: a new connection may have one.',
        )
      : l10n.t(
          'The server allows no further channel ({0} in use). Close a terminal of this host and try again.',
          at(f, 'used'),
        ),
  'forward-refused': (f) => {
    if (f['reason'] === 'connectFailed')
      return l10n.t(
        'The server could not reach {0}: {1}. Check the destination.',
        at(f, 'to'),
        at(f, 'text'),
      );
    if (f['reason'] === 'socketUnavailable')
      return l10n.t(
        'The Unix socket {0} is not available here: the server forwards no sockets, or nothing listens at that path. Check the path, or forward a port.',
        at(f, 'to'),
      );
    if (f['reason'] === 'notPermitted')
      return l10n.t(
        'Your SSH configuration does not permit clients of this forward to go to {0} (PermitRemoteOpen). Change that line, or use another destination.',
        at(f, 'to'),
      );
    return l10n.t(
      'The server does not allow the forward for {0}: {1}. Use another port, or ask who runs the server.',
      at(f, 'to'),
      at(f, 'text'),
    );
  },
  'sftp-missing': (f) =>
    l10n.t('The server offers no {0} service. Ask who runs the server to switch it on.', at(f, 'subsystem')),
  'sftp-noise': (f) =>
    l10n.t(
      'A start-up file on the host prints text where only files may travel: {0}. Silence it there for sessions without a terminal.',
      at(f, 'text'),
    ),
  'sftp-broken': (f) =>
    l10n.t(
      'The file service of the host broke its protocol: {0}. Try again; if it stays, ask who runs the server.',
      at(f, 'reason'),
    ),
  'sftp-ended': (f) => l10n.t('The file service of the host ended: {0}. Try again.', at(f, 'reason')),
  stalled: () =>
    l10n.t(
      'The file service of the host has not answered for 30 seconds, so its channel was closed. Try again.',
    ),
  'not-found': (f) => l10n.t('{0} does not exist. Refresh the folder to see what is there.', at(f, 'path')),
  denied: (f) =>
    l10n.t(
      'The host does not allow this for {0}. Change its permissions, or use another user.',
      at(f, 'path'),
    ),
  exists: (f) => l10n.t('{0} exists already. Choose another name.', at(f, 'path')),
  'no-space': (f) => l10n.t('There is no space left on {0}. Free some there, then repeat it.', at(f, 'path')),
  quota: (f) =>
    l10n.t(
      'The host takes no more data at {0} although its disk has space, which is what a used-up quota looks like. Free some of your own files there.',
      at(f, 'path'),
    ),
  busy: (f) =>
    l10n.t('{0} is in use on the host. End the program that runs it, then repeat it.', at(f, 'path')),
  'read-only': (f) =>
    f['mark'] === 'host'
      ? l10n.t('{0} can only be read: the files of this host are marked read-only.', at(f, 'path'))
      : l10n.t('{0} can only be read here.', at(f, 'path')),
  'bad-name': (f) => l10n.t('"{0}" cannot be a name on this host. Choose another.', at(f, 'path')),
  'not-directory': (f) => l10n.t('{0} is not a folder.', at(f, 'path')),
  'is-directory': (f) => l10n.t('{0} is a folder.', at(f, 'path')),
  'not-empty': (f) => l10n.t('The folder {0} is not empty. Delete its files first.', at(f, 'path')),
  'link-loop': (f) => l10n.t('The links at {0} lead in a circle. Correct one of them.', at(f, 'path')),
  'outside-folder': (f) =>
    l10n.t(
      '{0} leads over a link. Transfers do not follow links out of the folder; choose the folder that it leads to.',
      at(f, 'path'),
    ),
  'other-filesystem': (f) => l10n.t('{0} is on another file system. Copy it instead.', at(f, 'path')),
  unsupported: (f) => l10n.t("The host's file service cannot do this ({0}).", at(f, 'operation')),
  'file-failed': (f) =>
    f['text'] === undefined
      ? l10n.t('The host refused this for {0} and did not say why.', at(f, 'path'))
      : l10n.t('The host refused this for {0}: {1}.', at(f, 'path'), f['text']),
  conflict: (f) =>
    l10n.t('{0} was changed on the host meanwhile. Compare before you overwrite it.', at(f, 'path')),
  'changed-during-transfer': (f) =>
    l10n.t('{0} changed while it was transferred. Transfer it again.', at(f, 'path')),
  'content-differs': (f) =>
    l10n.t('{0} has another content than its source. Transfer it again.', at(f, 'path')),
  'nested-folders': (f) =>
    f['folder'] === undefined
      ? l10n.t(
          '{0} is in the folder that it is compared with, or holds it. Choose two that lie apart.',
          at(f, 'path'),
        )
      : l10n.t('{0} cannot be copied into itself. Choose a folder outside of it.', at(f, 'folder')),
  'no-trash': (f) =>
    l10n.t(
      '{0} could not be moved to the trash of this machine, so it stays: {1}.',
      at(f, 'path'),
      at(f, 'text'),
    ),
  'too-many-entries': (f) =>
    l10n.t('{0} has more than {1} entries. Open it in the Files view.', at(f, 'path'), at(f, 'limit')),
  'too-large': (f) => l10n.t('{0} is too large for an editor. Download it instead.', at(f, 'path')),
  'sudo-refused': (f) => l10n.t('sudo did not give access to the files: {0}.', at(f, 'reason')),
  'port-in-use': (f) => {
    if (f['path'] !== undefined)
      return l10n.t('Something stands at {0} already. Remove it, or use another path.', at(f, 'path'));
    return f['owner'] === undefined
      ? l10n.t('Port {0} is in use on this machine. Use another port.', at(f, 'port'))
      : l10n.t(
          'Port {0} is in use by {1}. End that program, or use another port.',
          at(f, 'port'),
          at(f, 'owner'),
        );
  },
  'listen-failed': (f) =>
    l10n.t(
      'This machine does not let Termind listen on {0}: {1}. Use another place.',
      at(f, 'at'),
      at(f, 'reason'),
    ),
  'not-responding': () =>
    l10n.t('The host does not respond. Check the network or the VPN, then reconnect to go on.'),
  'link-lost': () => l10n.t('The connection was lost. Reconnect to go on.'),
  'server-closed': (f) =>
    l10n.t('The server closed the connection: {0}. Reconnect to go on.', at(f, 'reason')),
  'needs-system-ssh': (f) =>
    l10n.t(
      "This host uses {0}, which needs the system's ssh. Choose it with Use System ssh… in the host's menu, or remove the option.",
      at(f, 'option'),
    ),
  'no-keyring': () =>
    l10n.t('Secrets cannot be kept safely here, so nothing was stored. You are asked every time.'),
  'outcome-unknown': () =>
    l10n.t(
      'The outcome is unknown: the request left and no answer came. Check the state before you repeat it.',
    ),
  cancelled: () => l10n.t('Cancelled.'),
  'limited-host': (f) => l10n.t('This host offers a terminal only ({0}).', at(f, 'family')),
  'unknown-host': () =>
    l10n.t('This host is no longer in the vault or the SSH configuration. Refresh the list.'),
  'host-moved': () =>
    l10n.t('This host leads somewhere else than when it was agreed to. Start it again to agree anew.'),
  'store-busy': () => l10n.t('Another window is writing. Try again in a moment.'),
  'store-read-only': (f) =>
    l10n.t(
      "Termind's store cannot be written: {0}. Check the permissions and the free space of the editor's data folder.",
      at(f, 'reason'),
    ),
  'store-newer': () => l10n.t('The store was written by a newer Termind. Update Termind to write.'),
  'store-damaged': () =>
    l10n.t(
      "Termind's store is damaged and was left as it is. Set the file termind.db in the editor's data folder aside, then reload the window.",
    ),
  'store-missing': (f) => l10n.t('Nothing is saved in this window: {0}.', at(f, 'reason')),
  'transfers-full': (f) =>
    l10n.t('There are {0} transfers that are not finished. Finish or remove some first.', at(f, 'limit')),
  'transfer-elsewhere': (f) =>
    l10n.t(
      'Another window transfers {0}. Pause or cancel it there; once that window is closed, it is paused and can be resumed here.',
      at(f, 'path'),
    ),
  'run-leased': () => l10n.t('Another window runs this conversation. Wait until it has finished.'),
  'stale-write': () =>
    l10n.t('It was changed in another window meanwhile. Look at it again, then repeat your change.'),
  'model-missing': () =>
    l10n.t('No model is set up, so nothing was sent. Use "Termind: Add Model Provider…" first.'),
  internal: (f) =>
    l10n.t(
      'Something went wrong inside Termind: {0}. Open the log with "Termind: Show Log".',
      at(f, 'reason'),
    ),
};

const agentText: Record<AgentErrorCode, (facts: Facts) => string> = {
  scratchPathRefused: (f) =>
    l10n.t('This scratch path is not allowed: {0}. Choose a plain relative name.', at(f, 'reason')),
  scratchNotFound: (f) => l10n.t('{0} is not in scratch.', at(f, 'path')),
  scratchExists: (f) => l10n.t('{0} already exists in scratch. Choose another name.', at(f, 'path')),
  scratchIsDirectory: (f) => l10n.t('{0} is a folder.', at(f, 'path')),
  scratchNotDirectory: (f) => l10n.t('{0} is not a folder.', at(f, 'path')),
  scratchNotEmpty: (f) => l10n.t('The folder {0} is not empty. Delete its files first.', at(f, 'path')),
  scratchKindDiffers: (f) =>
    l10n.t('{0} is a {1}, not a {2}.', at(f, 'path'), at(f, 'actual'), at(f, 'asked')),
  scratchNotText: (f) => l10n.t('{0} is not text.', at(f, 'path')),
  scratchFileTooLarge: (f) =>
    l10n.t(
      'A scratch file holds at most {0} bytes; this one would have {1}. Save it elsewhere.',
      at(f, 'limit'),
      at(f, 'bytes'),
    ),
  scratchQuotaBytes: (f) =>
    l10n.t(
      'Scratch is full: {0} of {1} bytes are used and {2} more are needed. Use "Termind: Clear Scratch…".',
      at(f, 'used'),
      at(f, 'quota'),
      at(f, 'needed'),
    ),
  scratchQuotaEntries: (f) =>
    l10n.t(
      'Scratch is full: {0} of {1} files exist. Use "Termind: Clear Scratch…".',
      at(f, 'used'),
      at(f, 'quota'),
    ),
  scratchBusy: () => l10n.t('Scratch is busy in another window. Try again in a moment.'),
  scratchIo: (f) =>
    l10n.t(
      "Scratch could not be used: {0}. Check the free space and permissions of the editor's data folder.",
      at(f, 'reason'),
    ),
  scratchRedactedMark: () => l10n.t('The content holds [redacted], which would overwrite the real value.'),
  offsetPastEnd: (f) =>
    l10n.t('Line {0} is past the end; there are {1} lines.', at(f, 'offset'), at(f, 'total')),
  unknownTool: (f) => l10n.t('There is no tool named {0}.', at(f, 'name')),
  invalidArguments: (f) => l10n.t('The arguments are not valid: {0}', at(f, 'problem')),
};

/** One localised sentence for a fault, with the server that it is about where there are several on the way; without links. */
export function describeFault(fault: Fault): string {
  const sentence = faultText[fault.code](fault.facts);
  const hop = hopOnTheWay(fault);
  return withoutLinks(hop === undefined ? sentence : `${hop}: ${sentence}`);
}

/** One localised sentence for whatever was thrown; no stack, no bare code, no links. */
export function describeError(error: unknown): string {
  if (isTermindError(error)) return describeFault(error.fault);
  if (isCodedError(error)) return withoutLinks(agentText[error.code](error.facts));
  const reason = error instanceof Error ? error.message : String(error);
  return withoutLinks(faultText.internal({ reason }));
}

function isCodedError(error: unknown): error is { readonly code: AgentErrorCode; readonly facts: Facts } {
  return (
    error instanceof Error &&
    error.name === 'AgentError' &&
    'code' in error &&
    'facts' in error &&
    typeof error.code === 'string' &&
    error.code in agentText
  );
}

const certReasons: Readonly<Record<CertReason, () => string>> = {
  damaged: () => l10n.t('it is damaged or of a kind that Termind does not know'),
  'other-authority': () =>
    l10n.t('it was signed by another authority than the one that you trust for this name'),
  'not-signed': () => l10n.t('the signature is not that of its authority'),
  'algorithm-not-allowed': () => l10n.t('its authority signed with an algorithm that is not allowed'),
  'user-certificate': () => l10n.t('it is a certificate for a user, not for a host'),
  'not-yet-valid': () => l10n.t('it is not valid yet; compare the clocks'),
  expired: () => l10n.t('it has expired'),
  'names-no-host': () => l10n.t('it names no host, so it would hold for every host'),
  'other-host': () => l10n.t('it is for another name than the one you connect to'),
  'unknown-option': () => l10n.t('it has a critical option that Termind does not know'),
};

function certReason(reason: string): string {
  return isCertReason(reason) ? certReasons[reason]() : reason;
}

function at(facts: Facts, name: string): string {
  return facts[name] ?? '';
}
