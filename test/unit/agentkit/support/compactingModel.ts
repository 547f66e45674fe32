import type { ModelCapabilities, ModelRequest, ModelStreamPort } from '../../../../src/agentkit/index.ts';
import { answer, scriptedStream, type Step } from './scriptedStream.ts';

export interface CompactingModel extends ModelStreamPort {
  /** Requests for answers, in order. */
  readonly turns: readonly ModelRequest[];
  /** Requests for summaries, in order. */
  readonly summaries: readonly ModelRequest[];
}

/** A model that plays one script for the turns and another for summaries. */
export function compactingModel(
  script: {
    readonly turns: readonly (readonly Step[])[];
    readonly summaries?: readonly (readonly Step[])[];
  },
  about: Partial<ModelCapabilities> & { readonly tag?: string } = {},
): CompactingModel {
  const turns = scriptedStream(script.turns, about);
  const summaries = scriptedStream(script.summaries ?? Array(9).fill(answer('## Goal\nAll is well.')), about);
  return {
    ref: turns.ref,
    tag: turns.tag,
    capabilities: turns.capabilities,
    turns: turns.requests,
    summaries: summaries.requests,
    stream: (request, signal) =>
      isSummaryRequest(request) ? summaries.stream(request, signal) : turns.stream(request, signal),
  };
}

export function isSummaryRequest(request: ModelRequest): boolean {
  return request.system.startsWith('You write the summary');
}
