import * as vscode from 'vscode';
import { z } from 'zod';
import type {
  ProgramConsent,
  ProgramConsentPromptPort,
  ProgramConsentStorePort,
  ProgramFile,
} from '../../application/ports/hosts.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import type { PromptQueue } from './promptQueue.ts';

const prefix = 'termind.programConsent:';
const stored = z.object({
  path: z.string(),
  contentHash: z.string(),
  isAllowed: z.boolean(),
  at: z.number(),
});

/** Decisions about programs in the editor's own memory, one entry for each file. What cannot be read counts as not decided. */
export function programConsentStore(memento: vscode.Memento): ProgramConsentStorePort {
  const get = (path: string): ProgramConsent | undefined => stored.safeParse(memento.get(prefix + path)).data;
  return {
    get,
    list: () =>
      memento.keys().flatMap((key) => (key.startsWith(prefix) ? (get(key.slice(prefix.length)) ?? []) : [])),
    put: async (consent) => memento.update(prefix + consent.path, consent),
    remove: async (path) => memento.update(prefix + path, undefined),
  };
}

/** More commands than a dialog can show are counted. */
const shownCommands = 12;

/** Asks in a dialog of the window's queue; closing it is no answer. Source: ssh.md 4.3. */
export function programConsentPrompt(queue: PromptQueue): ProgramConsentPromptPort {
  return {
    ask: ({ file, host }, signal) => queue.next(signal, undefined, () => ask(file, host)),
  };
}

async function ask(file: ProgramFile, host: string): Promise<'allow' | 'deny' | undefined> {
  const deny = vscode.l10n.t('Connect Without Them');
  const allow = vscode.l10n.t('Allow for This File');
  const lines = file.commands
    .slice(0, shownCommands)
    .map(
      ({ line, command }) =>
        `${String(line)}: ${showUntrusted(command, { maxCharacters: 2_000, maxLines: 1 })}`,
    );
  const more = file.commands.length - lines.length;
  const detail = [
    vscode.l10n.t('Lines with "Match exec" run a program on this computer to decide which settings apply:'),
    lines.join('\n') + (more > 0 ? `\n${vscode.l10n.t('and {0} more', more)}` : ''),
    vscode.l10n.t(
      'You are asked again when the file changes. Without them the settings behind these lines do not apply.',
    ),
  ].join('\n\n');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0} runs programs. May it, to connect to {1}?', file.path, host),
    { modal: true, detail },
    deny,
    allow,
  );
  if (chosen === allow) return 'allow';
  return chosen === deny ? 'deny' : undefined;
}
