import * as vscode from 'vscode';
import {
  DisposableBag,
  type ConversationId,
  type Disposable,
  type PermissionMode,
} from '../../../agentkit/index.ts';
import type { AssistantLibrary } from '../../../application/assistant/assistantLibrary.ts';
import type { FeaturePorts } from '../../../application/featurePorts.ts';
import type { HostDirectory } from '../../../application/ports/hosts.ts';
import type { Services } from '../../../application/services.ts';
import { localFault } from '../../../domain/fault.ts';
import { hostOf } from '../../../application/vault/hostArgument.ts';
import type { HostListing } from '../../../domain/host/host.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/** What the two commands work on: the conversation that is shown, or the one that begins with the next message. */
export interface PermissionParts {
  readonly assistant: Pick<AssistantLibrary, 'raised' | 'grants'>;
  readonly hosts: Pick<HostDirectory, 'list' | 'get'>;
  readonly shown: ConversationId | undefined;
  readonly mode: PermissionMode;
  /** The conversation that is shown, made where there is none. Rejects with `run-leased` while another window runs it. */
  begin(): Promise<ConversationId | undefined>;
}

/** What the conversation that is shown may do without being asked, and on which production hosts. */
export function registerPermissionCommands(options: {
  readonly ports: FeaturePorts;
  readonly model: AssistantModel;
  readonly start: () => Promise<Services>;
}): Disposable {
  const { ports, model, start } = options;
  const bag = new DisposableBag();
  const partsNow = async (): Promise<PermissionParts> => {
    const { assistant, hosts } = await start();
    return {
      assistant,
      hosts,
      shown: model.current?.session.id,
      mode: model.mode,
      begin: async () => {
        const session = await model.ensureSession();
        if (session?.snapshot().readOnly === true) throw localFault('run-leased');
        return session?.id;
      },
    };
  };
  bag.add(
    ports.registerCommand(Command.raiseHost, async (argument) => raiseHost(await partsNow(), argument)),
  );
  bag.add(ports.registerCommand(Command.showGrants, async () => showGrants(await partsNow())));
  return bag;
}

/** Raises a production host for the run that works now, or else the next one; a raised one is lowered. */
export async function raiseHost(parts: PermissionParts, argument: unknown): Promise<void> {
  const { assistant, hosts, shown, mode } = parts;
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
  if (!(await confirmRaise(host, mode))) return;
  const conversation = await parts.begin();
  if (conversation !== undefined) assistant.raised.raise(conversation, { id: host.id, label: host.label });
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

async function confirmRaise({ label }: HostListing, mode: PermissionMode): Promise<boolean> {
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
export async function showGrants({ assistant, shown }: PermissionParts): Promise<void> {
  const grants = shown === undefined ? [] : await assistant.grants.list(shown);
  if (shown === undefined || grants.length === 0) {
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
  for (const { id } of picked ?? []) await assistant.grants.revoke(shown, id);
}
