import * as vscode from 'vscode';
import {
  kindDefaults,
  providerKey,
  providerKinds,
  type ProviderKind,
} from '../../../application/providerKinds.ts';
import type { Services } from '../../../application/services.ts';
import { Setting } from '../../../ids.ts';
import { baseUrlOf, withProvider, type ProviderDraft } from '../model/providerDraft.ts';
import { keyHolders } from '../model/keyHolders.ts';

/** Where secrets go; the settings never hold one. */
type Secrets = Services['credentials'];

/** Asks for a model in five steps and adds it. Resolves with its reference, or undefined when the person leaves. */
export async function addProvider(secrets: Secrets): Promise<string | undefined> {
  const draft = await askProvider();
  if (draft === undefined) return undefined;
  const key = await askKey(vscode.l10n.t('Add Model (5 of 5)'), draft.label);
  if (key === undefined) return undefined;
  const configuration = vscode.workspace.getConfiguration();
  const { setting, id } = withProvider(configuration.get(Setting.providers), draft);
  if (key !== '') await secrets.set(providerKey(id), key);
  await configuration.update(Setting.providers, setting, vscode.ConfigurationTarget.Global);
  return `${id}/${draft.model}`;
}

/** Replaces or removes the key of one provider, or that of the search service. */
export async function setProviderKey(secrets: Secrets): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  const holders = keyHolders(
    { providers: configuration.get(Setting.providers), webSearch: configuration.get(Setting.webSearch) },
    vscode.l10n.t('Web search'),
  );
  if (holders.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('No model is set up yet. Add one with "Termind: Add Model Provider…".'),
    );
    return;
  }
  const title = vscode.l10n.t('Set Provider Key');
  const [only, ...others] = holders;
  const chosen =
    others.length === 0
      ? only
      : (
          await vscode.window.showQuickPick(
            holders.map((holder) => ({ label: holder.label, description: holder.id, holder })),
            { title, placeHolder: vscode.l10n.t('Whose key?') },
          )
        )?.holder;
  if (chosen === undefined) return;
  const key = await askKey(title, chosen.label);
  if (key === undefined) return;
  if (key === '') await secrets.delete(chosen.key);
  else await secrets.set(chosen.key, key);
}

async function askProvider(): Promise<ProviderDraft | undefined> {
  const kind = await vscode.window.showQuickPick(
    providerKinds.map((protocol) => ({ ...describeKind(protocol), protocol })),
    {
      title: vscode.l10n.t('Add Model (1 of 5)'),
      placeHolder: vscode.l10n.t('What does the endpoint speak?'),
      ignoreFocusOut: true,
    },
  );
  if (kind === undefined) return undefined;
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add Model (2 of 5)'),
    prompt: vscode.l10n.t('Address of the endpoint, up to the version'),
    placeHolder: 'https://api.example.com/v1',
    value: kindDefaults[kind.protocol].baseUrl,
    ignoreFocusOut: true,
    validateInput: (value) =>
      baseUrlOf(value) === undefined
        ? vscode.l10n.t('Write an http or https address without user, password or query.')
        : undefined,
  });
  const baseUrl = address === undefined ? undefined : baseUrlOf(address);
  if (baseUrl === undefined) return undefined;
  const model = await askText(vscode.l10n.t('Add Model (3 of 5)'), {
    prompt: vscode.l10n.t('Name of the model, as the endpoint knows it'),
    maxLength: 256,
  });
  if (model === undefined) return undefined;
  const label = await askText(vscode.l10n.t('Add Model (4 of 5)'), {
    prompt: vscode.l10n.t('What to call it in Termind'),
    maxLength: 120,
    value: model,
  });
  return label === undefined ? undefined : { label, kind: kind.protocol, baseUrl, model };
}

function describeKind(kind: ProviderKind): { readonly label: string; readonly detail: string } {
  switch (kind) {
    case 'openai-chat':
      return {
        label: vscode.l10n.t('OpenAI Chat Completions'),
        detail: vscode.l10n.t('Also spoken by many other services and by local servers'),
      };
    case 'openai-responses':
      return {
        label: vscode.l10n.t('OpenAI Responses'),
        detail: vscode.l10n.t('Models of OpenAI, with their reasoning kept between requests'),
      };
    case 'anthropic':
      return {
        label: vscode.l10n.t('Anthropic Messages'),
        detail: vscode.l10n.t('Claude models, with their thinking and prompt caching'),
      };
    case 'gemini':
      return {
        label: vscode.l10n.t('Google Gemini'),
        detail: vscode.l10n.t('Gemini models, with their thoughts'),
      };
  }
}

async function askText(
  title: string,
  options: { readonly prompt: string; readonly maxLength: number; readonly value?: string },
): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: options.prompt,
    value: options.value ?? '',
    ignoreFocusOut: true,
    validateInput: (value) => {
      if (value.trim() === '') return vscode.l10n.t('This cannot be empty.');
      return value.length > options.maxLength
        ? vscode.l10n.t('At most {0} characters.', options.maxLength)
        : undefined;
    },
  });
  return text?.trim();
}

/** Empty = no key. */
function askKey(title: string, label: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t(
      "Key for {0}; empty for none. It is kept in the editor's secret storage only.",
      label,
    ),
    password: true,
    ignoreFocusOut: true,
  });
}
