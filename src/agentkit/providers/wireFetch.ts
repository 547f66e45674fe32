import { z } from 'zod';
import { parseJsonObject } from '../json.ts';
import { ProviderError } from '../model.ts';
import { parseRetryAfter } from '../modelRetry.ts';
import { fromWireError, type ReadWireError } from './wireErrors.ts';

export interface WireFetchOptions {
  readonly fetch: typeof globalThis.fetch;
  /** These, and what the SDK has to say about the body and itself, are all that is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly readError: ReadWireError;
  readonly now: () => number;
}

/**
 * The `fetch` under an SDK. It sends no header that the SDK found in the environment, follows no redirect with the key, and answers nothing
 * but event streams: everything else becomes the `ProviderError` that it means, with its `Retry-After`, before the SDK can read it its own
 * way.
 */
export function wireFetch(options: WireFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = ownHeaders(init?.headers, options.headers);
    const response = await options.fetch(input, { ...init, headers, redirect: 'manual' });
    if (response.ok && response.body !== null && !isDocument(response)) return response;
    throw await refusal(response, options);
  };
}

const fromSdk = /^(accept|content-type|user-agent|anthropic-version|x-goog-api-client|x-stainless-.*)$/;

function ownHeaders(
  given: ConstructorParameters<typeof Headers>[0],
  own: Readonly<Record<string, string>>,
): Headers {
  const headers = new Headers([...new Headers(given)].filter(([name]) => fromSdk.test(name)));
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

/** An error answer, an error object that some servers send with 200, or a page of something else on that address. */
async function refusal(response: Response, { readError, now }: WireFetchOptions): Promise<ProviderError> {
  const text = await startOf(response);
  const body = parseJsonObject(text);
  const error = body?.['error'] ?? undefined;
  if (response.ok && error === undefined) {
    const detail =
      response.body === null ? 'an answer without content' : `an answer of type ${typeOf(response)}`;
    return new ProviderError({ code: 'otherService', retryable: false, detail });
  }
  const status = response.ok ? undefined : response.status;
  const said = readError(body ?? {}, status);
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now());
  const words = isPage(response) ? '' : text;
  const message = said.message ?? (response.headers.has('location') ? redirected : words);
  return fromWireError({ ...said, message }, { status, retryAfterMs });
}

function typeOf({ headers }: Response): string {
  return headers.get('content-type') ?? '';
}

/** Servers that borrow a protocol give their streams several types, but never these. */
function isDocument(response: Response): boolean {
  return /^(application\/json|application\/xml|text\/xml)\b/i.test(typeOf(response)) || isPage(response);
}

/** Its markup is no sentence. */
function isPage(response: Response): boolean {
  return /^(text\/html|application\/xhtml\+xml)\b/i.test(typeOf(response));
}

const redirected = 'a redirect, which is not followed';

const maxRefusalBytes = 65_536;

/** An error object is short; what is longer is read to that limit and not kept. Of a body that breaks, what came before. */
async function startOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body ?? []) {
      const chunk = z.instanceof(Uint8Array).parse(piece);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxRefusalBytes) break;
    }
  } catch {
    // The status says what happened.
  }
  return Buffer.concat(chunks).subarray(0, maxRefusalBytes).toString('utf8');
}
