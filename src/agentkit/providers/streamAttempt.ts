import { abortReason } from '../clock.ts';
import type { ModelEvent } from '../model.ts';
import { beat, ByteWatch } from './byteWatch.ts';
import type { ProviderOptions } from './providerOptions.ts';
import { toProviderError, type ReadWireError } from './wireErrors.ts';
import { wireFetch } from './wireFetch.ts';

/** The clocks of the runtime decide; the clock of an SDK is set out of the way. */
export const noTimeoutMs = 86_400_000;

export interface AttemptParts<Chunk> {
  /** Sends the request through the SDK and this `fetch`. */
  readonly open: (fetch: typeof globalThis.fetch, signal: AbortSignal) => Promise<AsyncIterable<Chunk>>;
  readonly read: (chunk: Chunk) => Iterable<ModelEvent>;
  readonly readError: ReadWireError;
  /** The header that carries a key, lower case. Not sent without one. */
  readonly authorization: (apiKey: string) => Readonly<Record<string, string>>;
}

/**
 * One attempt of one adapter: exactly one request. Yields `alive` for bytes that are no event yet. Throws `ProviderError`, or the signal's
 * reason once it is aborted.
 */
export async function* streamAttempt<Chunk>(
  options: ProviderOptions,
  parts: AttemptParts<Chunk>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const watch = new ByteWatch();
  const { readError } = parts;
  try {
    const apiKey = (await options.apiKey()) ?? '';
    const fetch = wireFetch({
      fetch: options.fetch ?? globalThis.fetch,
      headers: { ...(apiKey !== '' && parts.authorization(apiKey)), ...options.headers },
      readError,
      now: options.now ?? Date.now,
    });
    const chunks = await parts.open(closingEvents(watch.watch(fetch)), signal);
    for await (const chunk of watch.interleave(chunks)) {
      if (chunk === beat) yield { kind: 'alive' };
      else yield* parts.read(chunk);
    }
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw toProviderError(error, { readError, endedInsideEvent: watch.endedInsideEvent });
  }
  if (signal.aborted) throw abortReason(signal);
}

/** SDKs drop a last event that lacks its empty line, or take the body for a broken one. Here it is read as all others are. */
function closingEvents(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const closing = new TransformStream<Uint8Array, Uint8Array>({
      flush: (controller) => controller.enqueue(Buffer.from('\n\n')),
    });
    const { status, statusText, headers } = response;
    return new Response(response.body?.pipeThrough(closing), { status, statusText, headers });
  };
}
