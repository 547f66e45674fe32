import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../../agentkit/index.ts';
import type { FeaturePorts } from '../../../application/featurePorts.ts';
import type { Services } from '../../../application/services.ts';
import { hostOf } from '../../../application/vault/hostArgument.ts';
import type { HostListing } from '../../../domain/host/host.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

interface PermissionOptions {
  readonly ports: FeaturePorts;
  readonly model: AssistantModel;
  readonly start: () => Promise<Services>;
}

/** What the conversation that is shown may do without being asked, and on which production hosts. */
export function registerPermissionCommands(options: PermissionOptions): Disposable {
  const { ports } = options;
  const bag = new DisposableBag();
  bag.add(ports.registerCommand(Command.raiseHost, (argument) => raiseHost(options, argument)));
  bag.add(ports.registerCommand(Command.showGrants, () => showGrants(options)));
  return bag;
}

/** Raises a production host for the run that works now, or else the next one; a raised one is lowered. */
async function raiseHost({ model, start }: PermissionOptions, argument: unknown): Promise<void> {
  const { assistant, hosts } = await start();
  const shown = model.current?.session.id;
  const raised = new Set(shown === undefined ? [] : assistant.raised.list(shown).map(({ id }) => id));
  const host = (await hostOf(hosts, argument)) ?? (await pickProduction(await hosts.list(), raised));
  if (host === undefined) return;
  if (host.tier !== 'prod') {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('{0} is no production host: the assistant asks there as usual.', host.label),
    );
    return;
  }
  if (shown !== undefined && raised.has(host.id)) return assistant.raised.lower(shown, host.id);
  if (!(await confirmRaise(host, model))) return;
  const session = await model.ensureSession();
  if (session !== undefined) assistant.raised.raise(session.id, { id: host.id, label: host.label });
}

async function pickProduction(
  all: readonly HostListing[],
  raised: ReadonlySet<string>,
): Promise<HostListing | undefined> {
  const production = all.filter(({ tier }) => tier === 'prod');
  if (production.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('No host is marked as production. Set the environment of a host in the Hosts view.'),
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    production.map((host) => ({
      label: raised.has(host.id) ? `$(unlock) ${host.label}` : host.label,
      description: raised.has(host.id) ? vscode.l10n.t('raised, choose to lower it') : host.address,
      host,
    })),
    {
      title: vscode.l10n.t('Raise Production Host'),
      placeHolder: vscode.l10n.t('Which host may this request change?'),
    },
  );
  return picked?.host;
}

async function confirmRaise({ label }: HostListing, { mode }: AssistantModel): Promise<boolean> {
  const keep = vscode.l10n.t('Keep Read-Only');
  const raise = vscode.l10n.t('Raise');
  const asks = {
    ask: vscode.l10n.t('You still decide about everything that is not proven to only read.'),
    review: vscode.l10n.t('The security review decides about what is not proven to only read.'),
    full: vscode.l10n.t('This conversation has full access: everything will run there without asking.'),
  };
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Let the assistant change {0}, a production host?', label),
    {
      modal: true,
      detail: `${vscode.l10n.t('It counts for this conversation, for the running request or else the next one, and ends with it.')} ${asks[mode]}`,
    },
    keep,
    raise,
  );
  return answer === raise;
}

/** The grants of the conversation; choosing some takes them back. */
async function showGrants({ model, start }: PermissionOptions): Promise<void> {
  const { assistant } = await start();
  const session = model.current?.session;
  const grants = session === undefined ? [] : await assistant.grants.list(session.id);
  if (session === undefined || grants.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Nothing is allowed for this conversation as a whole. Every call is decided by itself.'),
    );
    return;
  }
  const time = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
  const picked = await vscode.window.showQuickPick(
    grants.map(({ id, shape, givenAt }) => ({
      label: shape.action,
      description: shape.target,
      detail: vscode.l10n.t('{0}, allowed {1}', shape.tool, time.format(givenAt)),
      id,
    })),
    {
      title: vscode.l10n.t('Allowed in This Conversation'),
      placeHolder: vscode.l10n.t('Choose what is to be asked about again'),
      canPickMany: true,
      matchOnDescription: true,
    },
  );
  for (const { id } of picked ?? []) await assistant.grants.revoke(session.id, id);
}
