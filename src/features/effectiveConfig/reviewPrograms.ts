import * as vscode from 'vscode';
import type { ProgramConsent, ProgramFileState } from '../../application/ports/hosts.ts';
import type { ConfigServices } from './configServices.ts';
import { openLine } from './openLine.ts';

interface FileItem extends vscode.QuickPickItem {
  readonly path: string;
  readonly line: number;
  readonly isDecided: boolean;
}

/** Lists the files of the SSH configuration that run programs, with what was decided, and takes decisions back. Source: ssh.md 4.3. */
export async function reviewPrograms({ sshConfig, programConsents }: ConfigServices): Promise<void> {
  const files = await sshConfig.programs();
  const current = new Set(files.map(({ path }) => path));
  const gone = programConsents.list().filter(({ path }) => !current.has(path));
  if (files.length + gone.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Your SSH configuration runs no programs.'));
    return;
  }
  const picked = await vscode.window.showQuickPick([...files.map(fileItem), ...gone.map(goneItem)], {
    title: vscode.l10n.t('Programs in the SSH Configuration'),
    placeHolder: vscode.l10n.t('Choose a file'),
    matchOnDetail: true,
  });
  if (picked === undefined) return;
  const show = vscode.l10n.t('Show the Lines');
  const withdraw = vscode.l10n.t('Withdraw the Decision');
  const choices = [...(current.has(picked.path) ? [show] : []), ...(picked.isDecided ? [withdraw] : [])];
  const chosen = await vscode.window.showQuickPick(choices, { title: picked.label });
  if (chosen === show) await openLine.open(picked);
  if (chosen === withdraw) await programConsents.remove(picked.path);
}

function fileItem({ path, commands, consent }: ProgramFileState): FileItem {
  return {
    label: path,
    description: consentText(consent),
    detail: commands.map(({ line, command }) => `${String(line)}: ${command}`).join(' · '),
    path,
    line: commands[0]?.line ?? 1,
    isDecided: consent !== undefined,
  };
}

function goneItem({ path, ...consent }: ProgramConsent): FileItem {
  return {
    label: path,
    description: consentText({ path, ...consent }),
    detail: vscode.l10n.t('It runs no programs any more.'),
    path,
    line: 1,
    isDecided: true,
  };
}

function consentText(consent: ProgramConsent | undefined): string {
  if (consent === undefined) return vscode.l10n.t('not decided for what it holds now');
  const day = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium' }).format(consent.at);
  return consent.isAllowed
    ? vscode.l10n.t('allowed on {0}', day)
    : vscode.l10n.t('not allowed since {0}', day);
}
