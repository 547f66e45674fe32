import {
  abortReason,
  AnswerCallIds,
  ProviderError,
  type ModelEvent,
  type ModelRequest,
  type ModelStreamPort,
} from '../../agentkit/index.ts';
import type { EditorModel } from '../ports/editorModels.ts';
import { editorMessages, type EditorModelMarks } from './editorMessages.ts';

/** Who stands behind a request: a person who has just done something, or work that nobody waits for. */
export type ModelUse = 'person' | 'background';

export interface EditorModelStreamOptions {
  readonly model: EditorModel;
  readonly marks: EditorModelMarks;
  /** Work in the background never makes the editor ask for consent. */
  readonly use: ModelUse;
}

/**
 * A model of the editor as any other model. The editor reports no figures, so the runtime's own estimates stand, and no finish reason: an
 * answer that ends is complete, and there is no stop by length. Where a provider behind the editor cut an answer off, it shows as one of three
 * things. Text that ends in the middle of a sentence is an answer like any other. A call never comes in halves: it is missing, or has the
 * arguments that the provider made of its half, which the schema of the tool refuses when something required is missing. A provider that
 * says so fails the request, and what had come is discarded.
 * Source: vscode.md 13; agent runtime contract, section 21.
 */
export function editorModelStream(options: EditorModelStreamOptions): ModelStreamPort {
  const { model, marks } = options;
  return {
    ref: editorModelRef(model),
    tag: `editor/language-model/${model.key}`,
    capabilities: { ...marks, reasoning: [], contextWindow: model.maxInputTokens },
    stream: (request, signal) => stream(options, request, signal),
  };
}

/** Differs from every `<provider id>/<model>`: the id of a provider has no colon. */
export function editorModelRef(model: Pick<EditorModel, 'key'>): string {
  return `${refPrefix}${model.key}`;
}

export function isEditorModelRef(ref: string): boolean {
  return ref.startsWith(refPrefix);
}

const refPrefix = 'editor:';

/** In place of a model that the editor does not offer, or not yet. */
export function withdrawnModel(ref: string): ModelStreamPort {
  return {
    ref,
    tag: `editor/language-model/${ref}`,
    capabilities: { tools: false, images: false, reasoning: [] },
    stream: () => failing(new ProviderError({ code: 'withdrawn', retryable: false })),
  };
}

async function* stream(
  { model, marks, use }: EditorModelStreamOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const consent = model.consent();
  if (consent === 'refused' || (consent === 'open' && use === 'background'))
    throw new ProviderError({ code: 'notPermitted', retryable: false });
  const tools = marks.tools ? request.tools : [];
  const ids = new AnswerCallIds();
  let calls = 0;
  for await (const part of model.send({ messages: editorMessages(request, marks), tools }, signal)) {
    if (part.kind === 'text') yield { kind: 'textDelta', text: part.text };
    else {
      const index = calls++;
      const { id, name, input } = part;
      yield { kind: 'toolCallDelta', index, ...ids.of(id, index), name, argumentsText: inputText(input) };
    }
  }
  if (signal.aborted) throw abortReason(signal);
  yield { kind: 'finished', reason: calls > 0 ? 'toolCalls' : 'completed' };
}

/** As JSON. No input at all is none; what JSON cannot say becomes a text that is no JSON, so that the tool refuses the call. */
function inputText(input: unknown): string {
  if (input === undefined || input === null) return '';
  try {
    const text: unknown = JSON.stringify(input);
    return typeof text === 'string' ? text : 'no JSON';
  } catch {
    return 'no JSON';
  }
}

async function* failing(error: ProviderError): AsyncGenerator<ModelEvent, void, undefined> {
  yield await Promise.reject<ModelEvent>(error);
}
