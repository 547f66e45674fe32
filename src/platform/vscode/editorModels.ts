import * as vscode from 'vscode';
import { z } from 'zod';
import {
  abortReason,
  DisposableBag,
  Emitter,
  ProviderError,
  untilAborted,
  type Disposable,
  type ProviderErrorCode,
} from '../../agentkit/index.ts';
import type {
  EditorAnswerPart,
  EditorConsent,
  EditorMessage,
  EditorModel,
  EditorModelRequest,
  EditorModelsPort,
  EditorPart,
} from '../../application/ports/editorModels.ts';
import type { LogPort } from '../../application/ports/prompts.ts';

export interface EditorModelsOptions {
  readonly access: vscode.LanguageModelAccessInformation;
  readonly log: LogPort;
}

/**
 * The editor's language models. The list is read at once and whenever the editor says that it changed; reading it asks nobody for consent
 * and sends nothing. The caller disposes. Source: vscode.md 13.
 */
export function editorModels({ access, log }: EditorModelsOptions): EditorModelsPort & Disposable {
  const bag = new DisposableBag();
  const changed = bag.add(new Emitter<void>((error) => log.error('models', 'a listener failed', error)));
  let known: readonly EditorModel[] = [];
  const read = async (): Promise<void> => {
    try {
      const models = await vscode.lm.selectChatModels();
      if (bag.isClosed) return;
      known = models.map((model) => toEditorModel(model, access));
      changed.fire();
    } catch (error) {
      log.error('models', 'the models of the editor were not read', error);
    }
  };
  bag.add(vscode.lm.onDidChangeChatModels(() => void read()));
  void read();
  return { list: () => known, onDidChange: changed.event, dispose: () => bag.dispose() };
}

function toEditorModel(
  model: vscode.LanguageModelChat,
  access: vscode.LanguageModelAccessInformation,
): EditorModel {
  return {
    key: `${model.vendor}/${model.id}`,
    name: model.name,
    maxInputTokens: model.maxInputTokens,
    consent: () => consentOf(access.canSendRequest(model)),
    send: (request, signal) => send(model, request, signal),
  };
}

/** Editors up to 1.139 say yes to every model, also to one that asks in a dialog of its own when a request comes. */
function consentOf(mayBeSent: boolean | undefined): EditorConsent {
  if (mayBeSent === undefined) return 'open';
  return mayBeSent ? 'given' : 'refused';
}

async function* send(
  model: vscode.LanguageModelChat,
  request: EditorModelRequest,
  signal: AbortSignal,
): AsyncGenerator<EditorAnswerPart, void, undefined> {
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) throw abortReason(signal);
    const options: vscode.LanguageModelChatRequestOptions = {
      justification: vscode.l10n.t('You chose this model to answer in Termind.'),
      tools: request.tools.map((tool) => ({ ...tool, inputSchema: { ...tool.inputSchema } })),
    };
    // Neither a dialog of the editor nor a provider has to heed the token.
    const asked = model.sendRequest(request.messages.map(toMessage), options, cancellation.token);
    const { stream } = await untilAborted(Promise.resolve(asked), signal);
    const parts = stream[Symbol.asyncIterator]();
    for (;;) {
      const next = await untilAborted(parts.next(), signal);
      if (next.done === true) return;
      const known = toAnswerPart(next.value);
      if (known !== undefined) yield known;
    }
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw toProviderError(error);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancellation.cancel();
    cancellation.dispose();
  }
}

function toMessage({ role, parts }: EditorMessage): vscode.LanguageModelChatMessage {
  const roles = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(
    role === 'assistant' ? roles.Assistant : roles.User,
    parts.map(toInputPart),
  );
}

function toInputPart(part: EditorPart): vscode.LanguageModelInputPart {
  switch (part.kind) {
    case 'text':
      return new vscode.LanguageModelTextPart(part.text);
    case 'image':
      return vscode.LanguageModelDataPart.image(
        Buffer.from(part.image.base64, 'base64'),
        part.image.mediaType,
      );
    case 'call':
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
    case 'result':
      return new vscode.LanguageModelToolResultPart(part.callId, [
        new vscode.LanguageModelTextPart(part.text),
      ]);
  }
}

function toAnswerPart(part: unknown): EditorAnswerPart | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', text: part.value };
  if (!(part instanceof vscode.LanguageModelToolCallPart)) return undefined;
  return { kind: 'call', ...callNames.parse(part), input: part.input };
}

/** As the other extension wrote them. */
const callNames = z
  .object({ callId: z.string().catch(''), name: z.string().catch('') })
  .transform(({ callId: id, name }) => ({ id, name }));

const codes: Readonly<Record<string, ProviderErrorCode>> = {
  NoPermissions: 'notPermitted',
  Blocked: 'blocked',
  NotFound: 'withdrawn',
};

/** What the editor refuses it refuses again, and another request could open another dialog: nothing here is tried again. */
function toProviderError(error: unknown): ProviderError {
  const code = error instanceof vscode.LanguageModelError ? codes[error.code] : undefined;
  const detail = error instanceof Error ? error.message : undefined;
  return new ProviderError({ code: code ?? 'overloaded', retryable: false, detail, cause: error });
}
