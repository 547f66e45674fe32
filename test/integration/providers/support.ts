import {
  messageId,
  ProviderError,
  type ModelEvent,
  type ModelItem,
  type ModelRequest,
  type ModelStreamPort,
} from '../../../src/agentkit/index.ts';

export function user(text: string): ModelItem {
  return { role: 'user', id: messageId(`user:${text}`), text, images: [] };
}

export function request(parts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You operate servers.',
    items: [user('How busy?')],
    tools: [],
    cacheKey: 'chat-1',
    ...parts,
  };
}

export interface Reading {
  /** Without `alive`, which says how the bytes arrived and not what. */
  readonly events: readonly ModelEvent[];
  readonly failure: ProviderError | undefined;
}

/** Reads one attempt to its end. */
export async function read(
  model: ModelStreamPort,
  asked: ModelRequest = request(),
  signal: AbortSignal = AbortSignal.timeout(45_000),
): Promise<Reading> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(asked, signal)) if (event.kind !== 'alive') events.push(event);
    return { events, failure: undefined };
  } catch (error) {
    if (error instanceof ProviderError) return { events, failure: error };
    throw error;
  }
}

/** A failure as plain facts, to be compared whole. */
export function facts(failure: ProviderError | undefined): Record<string, unknown> | undefined {
  if (failure === undefined) return undefined;
  const { code, retryable, status, retryAfterMs, detail } = failure;
  return { code, retryable, status, retryAfterMs, detail };
}
