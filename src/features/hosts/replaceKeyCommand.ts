import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { Services } from '../../application/services.ts';
import type { ActOutcome } from '../../application/trust/hostTrust.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { missingOfAct, type ChangedKey, type TypedAct } from '../../domain/trust/changedKey.ts';
import { fingerprintOf } from '../../domain/trust/hostKey.ts';

/** The only way to go on with a host whose key has changed: compare, type its name, on a production host say why. Source: ssh.md 3.5. */
export async function replaceHostKey(
  services: Pick<Services, 'trust'>,
  listing: Pick<HostListing, 'id' | 'label'>,
): Promise<void> {
  const changed = await services.trust.changedKey(listing.id, neverAborted);
  if (changed === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'No changed key of {0} was seen in this window. Connect to it first; a key that has changed can be replaced then.',
        listing.label,
      ),
    );
    return;
  }
  if (!(await confirmReplacement(changed))) return;
  const act = await askTypedAct(changed, vscode.l10n.t('Replace the host key of {0}', changed.label));
  if (act === undefined) return;
  tellOutcome(await services.trust.replace(changed, act), changed);
}

/** Removes every key that Termind keeps for a host; the next connection asks again. */
export async function forgetHostKey(
  services: Pick<Services, 'trust'> & { readonly connections: Pick<Services['connections'], 'disconnect'> },
  listing: Pick<HostListing, 'id'>,
): Promise<void> {
  const kept = await services.trust.keptKeys(listing.id, neverAborted);
  if (kept.rows.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Termind remembers no key of {0}. Look into your own known_hosts files.', kept.label),
    );
    return;
  }
  const act = await askTypedAct(
    kept,
    vscode.l10n.t('Forget {0} host key(s) of {1}', kept.rows.length, kept.label),
  );
  if (act === undefined) return;
  if ((await services.trust.forget(kept, act)) === 'done') services.connections.disconnect(listing.id);
}

async function confirmReplacement({ label, known, presented }: ChangedKey): Promise<boolean> {
  const keep = vscode.l10n.t('Keep the Known Key');
  const replace = vscode.l10n.t('Replace…');
  const lines = known.map(({ keyType, fingerprint, source, line }) =>
    vscode.l10n.t(
      'Known: {0} {1} ({2})',
      keyType,
      fingerprint,
      line === undefined ? source : `${source}:${String(line)}`,
    ),
  );
  const detail = [
    ...lines,
    vscode.l10n.t('Shown now: {0} {1}', presented.keyType, fingerprintOf(presented.blob)),
    '',
    vscode.l10n.t(
      'Compare the new fingerprint with the machine itself, on its console or with whoever runs it. Unless you have, somebody may be in between.',
    ),
  ].join('\n');
  const title = vscode.l10n.t('Replace the host key of {0}?', label);
  const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, keep, replace);
  return chosen === replace;
}

/** Undefined when the person leaves. */
async function askTypedAct(
  subject: Pick<ChangedKey, 'label' | 'tier'>,
  title: string,
): Promise<TypedAct | undefined> {
  const { label, tier } = subject;
  const typedName = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Type {0} to go on.', label),
    ignoreFocusOut: true,
    validateInput: (text) =>
      missingOfAct({ typedName: text, reason: '' }, subject) === 'name'
        ? vscode.l10n.t('Type {0} to go on.', label)
        : undefined,
  });
  if (typedName === undefined) return undefined;
  if (tier !== 'prod') return { typedName, reason: '' };
  const reason = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('This is a production host. Why does its key change?'),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Write a reason.') : undefined),
  });
  return reason === undefined ? undefined : { typedName, reason };
}

function tellOutcome(outcome: ActOutcome, { label, known }: ChangedKey): void {
  const inFiles = known.filter(({ line }) => line !== undefined).map(({ source }) => source);
  if (outcome !== 'done') {
    const why = vscode.l10n.t(
      'Nothing was replaced: {0} has shown another key meanwhile. Connect again.',
      label,
    );
    void vscode.window.showWarningMessage(why);
  } else if (inFiles.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('The host key of {0} was replaced. Connect again.', label),
    );
  } else {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'Termind takes the new key of {0}. The old one is still in {1}, which Termind does not change: remove it there, or it counts as well.',
        label,
        [...new Set(inFiles)].join(', '),
      ),
    );
  }
}
