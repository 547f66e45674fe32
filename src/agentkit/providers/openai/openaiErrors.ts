import { z } from 'zod';
import { parseRetryAfter } from '../../modelRetry.ts';
import { ProviderError, type ProviderErrorCode } from '../../model.ts';

/** The error object of the OpenAI protocol, as far as any compatible server keeps to it. */
const wireError = z.object({
  message: z.string().nullish(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});
type WireError = z.infer<typeof wireError>;

/** The parts of the SDK's `APIError` that decide. Recognised by shape: the SDK is loaded lazily. */
const apiError = z.object({
  status: z.number().optional(),
  error: z.unknown().optional(),
  headers: z.instanceof(Headers).optional(),
});

export interface ErrorContext {
  /** Milliseconds since 1970, for a `Retry-After` that names a date. */
  readonly now: number;
  /** The body ended inside an event, so a broken event is a broken stream. */
  readonly endedInsideEvent: boolean;
}

/**
 * What the SDK threw, as a `ProviderError`. Retryable: 408, 429, 5xx, network failures, an early end, and the overload and server
 * errors a stream reports after its 200. Source: agent runtime contract, section 21.
 */
export function toProviderError(error: unknown, context: ErrorContext): ProviderError {
  if (error instanceof ProviderError) return error;
  const nested = error instanceof Error && error.cause instanceof ProviderError ? error.cause : undefined;
  if (nested !== undefined) return nested;
  if (error instanceof SyntaxError)
    return context.endedInsideEvent
      ? new ProviderError({ code: 'endedEarly', retryable: true, cause: error })
      : new ProviderError({ code: 'malformed', retryable: false, detail: error.message, cause: error });
  const answered = isApiError(error) ? apiError.safeParse(error).data : undefined;
  if (answered === undefined) return networkError(error);
  const { status, headers } = answered;
  const wire = wireError.safeParse(answered.error).data ?? {};
  const retryAfterMs = parseRetryAfter(headers?.get('retry-after'), context.now);
  return classify(wire, { status, retryAfterMs, cause: error });
}

/** An error object that arrived where an answer was expected. */
export function fromWireError(value: unknown, cause: unknown): ProviderError {
  return classify(wireError.safeParse(value).data ?? {}, {
    status: undefined,
    retryAfterMs: undefined,
    cause,
  });
}

function classify(
  wire: WireError,
  facts: {
    readonly status: number | undefined;
    readonly retryAfterMs: number | undefined;
    readonly cause: unknown;
  },
): ProviderError {
  const status = facts.status ?? numericCode(wire);
  const code = codeOf(wire, status);
  const retryable = code === 'network' || code === 'rateLimited' || code === 'overloaded';
  const detail = wire.message ?? (facts.cause instanceof Error ? facts.cause.message : undefined);
  return new ProviderError({ ...facts, code, status, retryable, detail });
}

function codeOf(wire: WireError, status: number | undefined): ProviderErrorCode {
  if (isContextLength(wire, status)) return 'contextLength';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'notFound';
  if (status === 408) return 'network';
  if (status === 429) return 'rateLimited';
  if (status !== undefined) return status >= 500 ? 'overloaded' : 'badRequest';
  const names = [wire.type, wire.code].map((name) => String(name ?? '').toLowerCase());
  if (names.some((name) => rateLimitNames.has(name))) return 'rateLimited';
  return names.some((name) => overloadNames.has(name)) ? 'overloaded' : 'badRequest';
}

const rateLimitNames: ReadonlySet<string> = new Set([
  'rate_limit_error',
  'rate_limit_exceeded',
  'too_many_requests',
]);
const overloadNames: ReadonlySet<string> = new Set([
  'server_error',
  'internal_error',
  'internal_server_error',
  'internalservererror',
  'overloaded',
  'overloaded_error',
  'engine_overloaded',
  'service_unavailable',
  'service_unavailable_error',
  'timeout',
]);

/**
 * OpenAI names it by code. Servers that borrow the protocol only say it in words: vLLM and OpenRouter ("maximum context length"),
 * llama.cpp ("exceeds the available context size").
 */
function isContextLength(wire: WireError, status: number | undefined): boolean {
  if (wire.code === 'context_length_exceeded' || wire.type === 'exceed_context_size_error') return true;
  const mayBe = status === undefined || status === 400 || status === 413;
  return mayBe && /maximum context length|available context size/i.test(wire.message ?? '');
}

function numericCode(wire: WireError): number | undefined {
  const code = Number(wire.code ?? Number.NaN);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
}

/** The SDK's `APIError` about an answer. What it makes of a failed connection has no headers; names do not survive the bundler. */
function isApiError(error: unknown): boolean {
  return error instanceof Error && 'error' in error && 'headers' in error && error.headers !== undefined;
}

function networkError(error: unknown): ProviderError {
  return new ProviderError({ code: 'network', retryable: true, detail: innermost(error), cause: error });
}

/** The system's own code where there is one (`ECONNREFUSED`), otherwise the innermost message. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return innermost(error.cause) || error.message;
}
