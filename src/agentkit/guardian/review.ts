import type { ClockPort } from '../clock.ts';
import type { MessageId } from '../ids.ts';
import type { Usage } from '../message.ts';
import { ProviderError, type ModelItem, type ModelRequest, type ModelStreamPort } from '../model.ts';
import { singleAttempt } from '../singleAttempt.ts';
import type { AssembledTurn } from '../turnAssembly.ts';
import type { Investigation } from './investigation.ts';
import { reviewLimits } from './limits.ts';
import { ReviewFailed } from './reviewFailure.ts';
import { invalidResultNote, reviewPolicy } from './reviewPolicy.ts';
import { readVerdict, verdictSchema, type Verdict } from './verdict.ts';

export interface ReviewOptions {
  readonly model: ModelStreamPort;
  readonly clock: ClockPort;
  readonly investigation: Investigation;
  /** Everything up to the end of the prompt of this review. */
  readonly items: readonly ModelItem[];
  readonly cacheKey: string;
  readonly newItemId: () => MessageId;
  /** Models that were found to refuse a form for the answer, by reference; grows. */
  readonly withoutSchema: Set<string>;
  /** Told once for each answer. */
  readonly onUsage: (usage: Usage | undefined) => void;
}

/**
 * Gets one verdict: at most three attempts, each of which goes on until the reviewer answers instead of looking at something. What an
 * attempt looked at stays for the next; an invalid answer does not. Rejects with `ReviewFailed`, with a `ProviderError` that no further
 * attempt would change, and with the reason of `signal`. Source: agent runtime contract, section 12.
 */
export async function review(options: ReviewOptions, signal: AbortSignal): Promise<Verdict> {
  for (let attempt = 1; ; attempt++) {
    const result = await attemptVerdict(options, attempt, signal);
    if (!(result instanceof ReviewFailed)) return result;
    if (attempt === reviewLimits.attempts) throw result;
    await options.clock.sleep(reviewLimits.pauseMs * attempt, signal);
  }
}

async function attemptVerdict(
  options: ReviewOptions,
  attempt: number,
  signal: AbortSignal,
): Promise<Verdict | ReviewFailed> {
  const { investigation } = options;
  try {
    for (;;) {
      const turn = await ask(options, attempt, signal);
      options.onUsage(turn.usage);
      if (turn.calls.length === 0) return verdictOf(turn) ?? new ReviewFailed('invalidVerdict');
      if (turn.stop === 'length' || investigation.tools.length === 0)
        return new ReviewFailed('invalidVerdict');
      await investigation.look(turn, signal);
    }
  } catch (error) {
    if (error instanceof ProviderError && error.retryable) return new ReviewFailed('unreachable', error);
    throw error;
  }
}

/** Only an answer that came to its own end is one. */
function verdictOf({ stop, text }: AssembledTurn): Verdict | undefined {
  return stop === 'completed' ? readVerdict(text) : undefined;
}

async function ask(options: ReviewOptions, attempt: number, signal: AbortSignal): Promise<AssembledTurn> {
  const { model, clock, withoutSchema } = options;
  const request = requestOf(options, attempt);
  const { totalMs } = reviewLimits;
  if (!withoutSchema.has(model.ref))
    try {
      const responseSchema = { name: 'security_review', schema: verdictSchema };
      return await singleAttempt({ model, clock, request: { ...request, responseSchema }, totalMs }, signal);
    } catch (error) {
      // Not every endpoint takes a schema, or takes one beside tools.
      if (!(error instanceof ProviderError) || error.code !== 'badRequest') throw error;
      withoutSchema.add(model.ref);
    }
  return singleAttempt({ model, clock, request, totalMs }, signal);
}

function requestOf(options: ReviewOptions, attempt: number): ModelRequest {
  const { items, investigation, cacheKey, newItemId } = options;
  const note: readonly ModelItem[] =
    attempt === 1 ? [] : [{ role: 'user', id: newItemId(), text: invalidResultNote, images: [] }];
  return {
    system: reviewPolicy,
    items: [...items, ...investigation.items, ...note],
    tools: investigation.tools,
    cacheKey,
  };
}
