import { codedError } from './codedError.ts';
import type { RunFailure } from './events.ts';
import { ProviderError, type ProviderErrorCode } from './model.ts';

type Facts = Readonly<Record<string, string>>;
const fact = (facts: Facts, name: string): string => facts[name] ?? '';

/** Why a run ended as failed or interrupted. Views translate by code; the sentences are the model's and the log's. */
export type RunFailureCode =
  | 'modelNetwork'
  | 'modelTimeout'
  | 'modelUnauthorized'
  | 'modelRateLimited'
  | 'modelRetryTooLong'
  | 'modelOverloaded'
  | 'modelContextLength'
  | 'modelBadRequest'
  | 'modelNotFound'
  | 'modelMalformed'
  | 'modelOtherService'
  | 'modelEndedEarly'
  | 'modelNotPermitted'
  | 'modelBlocked'
  | 'modelWithdrawn'
  | 'modelError'
  | 'outputLimit'
  | 'storeFailed'
  | 'leaseLost'
  | 'loopStopped'
  | 'ceilingReached'
  | 'internal';

const sentences: Record<RunFailureCode, (facts: Facts) => string> = {
  modelNetwork: () => 'The model provider could not be reached.',
  modelTimeout: (f) => `The model provider sent nothing for ${fact(f, 'seconds')} seconds.`,
  modelUnauthorized: () => 'The model provider refused the key.',
  modelRateLimited: () => 'The model provider refused further requests for now.',
  modelRetryTooLong: (f) =>
    `The model provider asks to wait ${fact(f, 'seconds')} seconds before the next request.`,
  modelOverloaded: () => 'The model provider is overloaded or failed.',
  modelContextLength: () => 'The conversation is longer than the model can read.',
  modelBadRequest: () => 'The model provider refused the request.',
  modelNotFound: () => 'The model provider does not know this model or address.',
  modelMalformed: () => 'The model provider sent an answer that cannot be read.',
  modelOtherService: () => 'Something answers at the address of the model provider, and it is no model.',
  modelEndedEarly: () => 'The answer of the model ended before it was complete.',
  modelNotPermitted: () => 'The user has not allowed the use of this model.',
  modelBlocked: () => 'The use of this model is blocked for now.',
  modelWithdrawn: () => 'This model is no longer offered.',
  modelError: () => 'The model ended its answer with an error.',
  outputLimit: () => 'The reply was cut off by the output limit in the middle of its tool calls.',
  storeFailed: (f) => `The conversation could not be saved: ${fact(f, 'reason')}`,
  leaseLost: () => 'Another window took over this conversation.',
  loopStopped: (f) => `The same calls gave the same results ${fact(f, 'repeats')} times in a row.`,
  ceilingReached: (f) => `The ceiling of ${fact(f, 'limit')} ${fact(f, 'unit')} for one run was reached.`,
  internal: (f) => `Internal error: ${fact(f, 'reason')}`,
};

/** Ends the run. Thrown inside the runtime only; `run()` never rejects with it. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
  readonly failure: RunFailure;

  constructor(code: RunFailureCode, facts: Facts = {}, cause?: unknown) {
    super(sentences[code](facts), { cause });
    this.failure = { code, message: this.message, facts };
  }
}

/** Ends the run as cancelled. Thrown inside the runtime only. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';

  constructor() {
    super('stopped by the user');
  }
}

const byProviderCode: Record<ProviderErrorCode, RunFailureCode> = {
  network: 'modelNetwork',
  timeout: 'modelTimeout',
  unauthorized: 'modelUnauthorized',
  rateLimited: 'modelRateLimited',
  overloaded: 'modelOverloaded',
  contextLength: 'modelContextLength',
  badRequest: 'modelBadRequest',
  notFound: 'modelNotFound',
  malformed: 'modelMalformed',
  otherService: 'modelOtherService',
  endedEarly: 'modelEndedEarly',
  notPermitted: 'modelNotPermitted',
  blocked: 'modelBlocked',
  withdrawn: 'modelWithdrawn',
};

/** `detail` of the facts is foreign text, already bounded; views quote it. */
export function providerFailure(error: ProviderError): RunFailed {
  const facts: Record<string, string> = {};
  if (error.detail !== '') facts['detail'] = error.detail;
  if (error.status !== undefined) facts['status'] = String(error.status);
  if (error.waitedMs !== undefined) facts['seconds'] = String(Math.round(error.waitedMs / 1000));
  return new RunFailed(byProviderCode[error.code], facts, error);
}

/** `cause` of the facts is the store's own code, such as `store-busy`. */
export function storeFailure(error: unknown): RunFailed {
  const known = codedError(error);
  const reason = known?.sentence ?? (error instanceof Error ? error.message : 'unknown cause');
  return new RunFailed('storeFailed', { reason, ...(known && { cause: known.code }) }, error);
}

/** What any error thrown inside a run means for the run. */
export function toRunFailed(error: unknown): RunFailed {
  if (error instanceof RunFailed) return error;
  if (error instanceof ProviderError) return providerFailure(error);
  return new RunFailed('internal', { reason: error instanceof Error ? error.message : String(error) }, error);
}
