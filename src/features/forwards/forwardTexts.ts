import * as vscode from 'vscode';
import type { ForwardCounters, ForwardDown, ForwardState } from '../../application/forwards/forwardState.ts';
import type { KnownForward } from '../../application/forwards/knownForward.ts';
import type { CheckedForward, ForwardCheck } from '../../application/forwards/whyDown.ts';
import type { Fault } from '../../domain/fault.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import type { AutoStart, ForwardBind, ForwardKind } from '../../domain/forward/forward.ts';
import { bindText, endText } from '../../domain/forward/forwardText.ts';
import type { ForwardProblem } from '../../domain/forward/readForward.ts';

/** What is wrong with what was typed, in one sentence. */
export function problemText(problem: ForwardProblem): string {
  switch (problem.k) {
    case 'empty':
      return vscode.l10n.t('Nothing is written yet.');
    case 'form':
      return formText(problem.kind);
    case 'port':
      return problem.mayBeZero
        ? vscode.l10n.t(
            '"{0}" is no port. Write a number from 0 to 65535; 0 lets the server choose.',
            problem.text,
          )
        : vscode.l10n.t('"{0}" is no port. Write a number from 1 to 65535.', problem.text);
    case 'host':
      return vscode.l10n.t('"{0}" is no name or address.', problem.text);
    case 'pathNotAbsolute':
      return vscode.l10n.t('"{0}" is not the full path of a socket. Begin it with /.', problem.text);
    case 'pathTooLong':
      return vscode.l10n.t('The path of a socket has at most {0} bytes.', problem.longest);
  }
}

function formText(kind: ForwardKind): string {
  switch (kind) {
    case 'local':
    case 'remote':
      return vscode.l10n.t(
        'Write [address:]port:host:port, for example 8080:db.example.com:5432, or paths of sockets.',
      );
    case 'dynamic':
      return vscode.l10n.t('Write [address:]port, for example 1080, or the path of a socket.');
  }
}

/** `8080 → db.example.com:5432`. For `remote` the left side is the server's. */
export function wayText({ kind, bind, destination }: KnownForward, at: ForwardBind = bind): string {
  const from = kind === 'remote' ? vscode.l10n.t('server {0}', bindText(at)) : bindText(at);
  return `${from} → ${destination === undefined ? vscode.l10n.t('wherever the client wants (SOCKS)') : endText(destination)}`;
}

export function kindText(kind: ForwardKind): string {
  switch (kind) {
    case 'local':
      return vscode.l10n.t('Local: this machine listens, the server connects');
    case 'remote':
      return vscode.l10n.t('Remote: the server listens, this machine connects');
    case 'dynamic':
      return vscode.l10n.t('Dynamic: this machine is a SOCKS proxy, the server connects');
  }
}

export function autoStartText(autoStart: AutoStart): string {
  switch (autoStart) {
    case 'never':
      return vscode.l10n.t('Only when I start it');
    case 'withConnection':
      return vscode.l10n.t('With the connection to the host');
    case 'firstUse':
      return vscode.l10n.t('At the first use of Termind in a window');
  }
}

export function stateText(state: ForwardState, describeFault: (fault: Fault) => string): string {
  switch (state.k) {
    case 'stopped':
      return vscode.l10n.t('stopped');
    case 'starting':
      return vscode.l10n.t('starting…');
    case 'listening':
      return vscode.l10n.t('listening');
    case 'down':
      return downText(state.why, describeFault);
  }
}

function downText(why: ForwardDown, describeFault: (fault: Fault) => string): string {
  switch (why.k) {
    case 'fault':
      return describeFault(why.fault);
    case 'disconnected':
      return vscode.l10n.t('not connected');
    case 'otherWindow':
      return vscode.l10n.t('runs in another window');
    case 'reachesOthers':
      return vscode.l10n.t('other machines could connect; start it to decide');
  }
}

/** Clients and bytes; empty before the first client. */
export function countersText({
  clients,
  totalClients,
  bytesToRemote,
  bytesToClient,
}: ForwardCounters): string {
  if (totalClients === 0) return '';
  return vscode.l10n.t('{0} clients, ↑ {1} ↓ {2}', clients, sizeText(bytesToRemote), sizeText(bytesToClient));
}

/** One sentence for each thing that was looked at. */
export function checkText(one: CheckedForward, describeFault: (fault: Fault) => string): string {
  if (one.isFine === 'unknown')
    return vscode.l10n.t(
      'Destination: each client names its own; only a client shows whether it is reached.',
    );
  if (one.isFine) return `✓ ${checkName(one.check)}`;
  return `✗ ${checkName(one.check)}: ${describeFault(one.fault)}`;
}

function checkName(check: ForwardCheck): string {
  switch (check) {
    case 'listener':
      return vscode.l10n.t('This machine can listen there');
    case 'connection':
      return vscode.l10n.t('The host is connected');
    case 'permission':
      return vscode.l10n.t('The server allows it');
    case 'destination':
      return vscode.l10n.t('The destination answers');
  }
}
