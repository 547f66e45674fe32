import { ProviderError, type ProviderErrorCode } from '../model.ts';

/** What an error object says, in the words of no protocol. */
export interface WireError {
  readonly message?: string | undefined;
  /** Types, codes and statuses of the object, in lower case. */
  readonly names: readonly string[];
  /** The HTTP status that the object itself names. */
  readonly status?: number | undefined;
  /** The request holds more than the model can read. */
  readonly isContextLength: boolean;
  /** How long the object asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** Reads the error object of one protocol, alone or as the member `error` of a body; anything else is an error without a word. */
export type ReadWireError = (value: unknown, status: number | undefined) => WireError;

/** What is known about the answer that carried an error object. */
export interface AnswerFacts {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * An error object as a `ProviderError`. Retryable: 408, 429, 5xx, and the overload and server errors that a stream reports after its 200.
 * Source: agent runtime contract, section 21.
 */
export function fromWireError(said: WireError, answer: AnswerFacts = {}): ProviderError {
  const status = answer.status ?? said.status;
  const code = codeOf(said, status);
  return new ProviderError({
    code,
    retryable: code === 'network' || code === 'rateLimited' || code === 'overloaded',
    status,
    retryAfterMs: answer.retryAfterMs ?? said.retryAfterMs,
    detail: said.message,
    cause: answer.cause,
  });
}

function codeOf(said: WireError, status: number | undefined): ProviderErrorCode {
  if (said.isContextLength) return 'contextLength';
  const named = said.names.map((name) => codesByName.get(name)).find((code) => code !== undefined);
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 400 && named === 'unauthorized') return 'unauthorized';
  if (status === 404) return 'notFound';
  if (status === 408) return 'network';
  if (status === 429) return 'rateLimited';
  if (status !== undefined) return status >= 500 ? 'overloaded' : 'badRequest';
  return named ?? 'badRequest';
}

/** What providers call it in a stream, where there is no status. */
const codesByName: ReadonlyMap<string, ProviderErrorCode> = new Map(
  Object.entries({
    unauthorized: [
      'authentication_error',
      'permission_error',
      'unauthenticated',
      'permission_denied',
      'api_key_invalid',
    ],
    notFound: ['not_found_error', 'not_found', 'model_not_found'],
    rateLimited: ['rate_limit_error', 'rate_limit_exceeded', 'too_many_requests', 'resource_exhausted'],
    overloaded: [
      'server_error',
      'api_error',
      'internal',
      'internal_error',
      'internal_server_error',
      'internalservererror',
      'overloaded',
      'overloaded_error',
      'engine_overloaded',
      'unavailable',
      'service_unavailable',
      'service_unavailable_error',
      'deadline_exceeded',
      'timeout',
      'timeout_error',
    ],
  } satisfies Partial<Record<ProviderErrorCode, readonly string[]>>).flatMap(([code, names]) =>
    names.map((name): [string, ProviderErrorCode] => [name, code as ProviderErrorCode]),
  ),
);

export interface AttemptFacts {
  readonly readError: ReadWireError;
  /** The body ended inside an event, so a broken event is a broken stream. */
  readonly endedInsideEvent: boolean;
}

/** What an SDK threw, as a `ProviderError`: ours passes, an error object in the stream is read, everything else is the network. */
export function toProviderError(
  error: unknown,
  { readError, endedInsideEvent }: AttemptFacts,
): ProviderError {
  const ours = findProviderError(error);
  if (ours !== undefined) return ours;
  if (error instanceof SyntaxError)
    return endedInsideEvent
      ? new ProviderError({ code: 'endedEarly', retryable: true, cause: error })
      : new ProviderError({ code: 'malformed', retryable: false, detail: error.message, cause: error });
  const cause = innermost(error);
  if (brokenCompression.test(cause))
    return new ProviderError({
      code: 'malformed',
      retryable: false,
      detail: 'an answer whose compression is broken',
      cause: error,
    });
  const said = errorObject(error);
  if (said !== undefined) return fromWireError(readError(said.value, said.status), { ...said, cause: error });
  return new ProviderError({ code: 'network', retryable: true, detail: cause, cause: error });
}

/** What zlib, Brotli and Zstandard call it. */
const brokenCompression = /^(Z_DATA_ERROR|Z_NEED_DICT|Z_STREAM_ERROR|ERR__ERROR_|ZSTD_error_)/;

/** SDKs wrap what `fetch` threw. */
function findProviderError(error: unknown): ProviderError | undefined {
  if (error instanceof ProviderError) return error;
  return error instanceof Error ? findProviderError(error.cause) : undefined;
}

/**
 * The error object that an SDK found in a stream. Recognised by shape: SDKs are loaded lazily, and names do not survive the bundler. What
 * they make of a failed connection has neither headers nor a status.
 */
function errorObject(
  error: unknown,
): { readonly value: unknown; readonly status: number | undefined } | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = 'status' in error && typeof error.status === 'number' ? error.status : undefined;
  if ('error' in error && 'headers' in error && error.headers !== undefined)
    return { value: error.error, status };
  return status === undefined ? undefined : { value: error.message, status };
}

/** The system's own code where there is one (`ECONNREFUSED`), otherwise the innermost message. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return innermost(error.cause) || error.message;
}
