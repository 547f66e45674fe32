import type { ApprovalRequest, ReviewMaterial, ReviewVerdict, SecurityReviewer } from '../approval.ts';
import type { ClockPort } from '../clock.ts';
import { messageId, type ConversationId, type MessageId, type RunId } from '../ids.ts';
import type { Usage } from '../message.ts';
import type { ModelItem, ModelStreamPort } from '../model.ts';
import type { Redactor } from '../redactor.ts';
import type { ToolServices } from '../services.ts';
import type { OutputPolicies } from '../tool.ts';
import type { ToolRegistry } from '../toolRegistry.ts';
import { CircuitBreaker } from './circuitBreaker.ts';
import { Investigation } from './investigation.ts';
import { reviewLimits } from './limits.ts';
import { actionText } from './reviewAction.ts';
import { reviewExecutor } from './reviewExecutor.ts';
import { review } from './review.ts';
import { ReviewFailed, toReviewFailed } from './reviewFailure.ts';
import { ReviewHistories } from './reviewHistory.ts';
import { reviewPrompt } from './reviewPrompt.ts';
import { reviewModelTools, reviewTools, toolSetMark } from './reviewTools.ts';
import { verdictText, type Verdict } from './verdict.ts';

export interface GuardianOptions {
  readonly clock: ClockPort;
  readonly redactor: Redactor;
  /** Of the run that is reviewed; what is not read-only and registered for reviewing stays out. */
  readonly registry: ToolRegistry;
  readonly outputPolicies: OutputPolicies;
  /** Lent to what a review looks at; nothing in it may ask a person or connect to a host. */
  readonly services: ToolServices;
  /** Told what went wrong beside a review. Never told any content. */
  readonly log: (message: string, cause: unknown) => void;
}

export interface ReviewedRun {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  /** Who reviews, as the person chose it; undefined when they chose none. Asked for each review. */
  readonly openReviewer: () => OpenedReviewer | undefined;
}

export interface OpenedReviewer {
  readonly model: ModelStreamPort;
  /** Of one request; undefined when the model has no price. */
  readonly price: ((usage: Usage) => number) | undefined;
}

/**
 * The security review of "Approve for me", for all runs of a window: asks a model of the person's choice about one action, over their own
 * words, and lets nothing but a valid allow be one. Holds the histories of its conversations in memory. Source: agent runtime contract,
 * section 12; seed 1.
 */
export class Guardian {
  readonly #options: GuardianOptions;
  readonly #registry: ToolRegistry;
  readonly #histories = new ReviewHistories();
  readonly #withoutSchema = new Set<string>();

  constructor(options: GuardianOptions) {
    this.#options = options;
    this.#registry = reviewTools(options.registry);
  }

  /** The reviewer of one run, with the circuit breaker of that run. */
  reviewerOf(run: ReviewedRun): SecurityReviewer {
    const breaker = new CircuitBreaker();
    return {
      review: async (request, material, signal) => {
        if (breaker.isOpen) throw new ReviewFailed('breakerOpen');
        try {
          const verdict = await this.#reviewInTime(run, { request, material }, signal);
          breaker.record(material.answerId, verdict.outcome === 'allow' ? 'favourable' : 'adverse');
          return toReviewVerdict(verdict, request);
        } catch (error) {
          const failure = toReviewFailed(error, signal);
          if (failure.code === 'internal')
            this.#options.log('a security review failed by a fault of its own', error);
          if (failure.code !== 'cancelled' && failure.code !== 'noReviewer')
            breaker.record(material.answerId, 'adverse');
          throw failure;
        }
      },
    };
  }

  /** The conversation is gone, and what was reviewed in it with it. */
  forget(conversationId: ConversationId): void {
    this.#histories.forget(`${conversationId} `);
  }

  async #reviewInTime(run: ReviewedRun, asked: AskedReview, signal: AbortSignal): Promise<Verdict> {
    const deadline = new AbortController();
    const timer = this.#options.clock.after(reviewLimits.totalMs, () =>
      deadline.abort(new ReviewFailed('timeout')),
    );
    try {
      return await this.#review(run, asked, AbortSignal.any([signal, deadline.signal]));
    } finally {
      timer.dispose();
    }
  }

  async #review(run: ReviewedRun, { request, material }: AskedReview, signal: AbortSignal): Promise<Verdict> {
    signal.throwIfAborted();
    const { conversationId } = run;
    const reviewer = run.openReviewer();
    if (reviewer === undefined) throw new ReviewFailed('noReviewer');
    const { model, price } = reviewer;
    const tools = model.capabilities.tools ? reviewModelTools(this.#registry) : [];
    const action = actionText(request);
    const key = `${conversationId} ${toolSetMark(tools)}`;
    const words = material.evidence;
    const { history, prompt } = this.#histories.start(key, words, (fresh) => reviewPrompt(fresh, action));
    const newItemId = itemIds(request);
    const question: ModelItem = { role: 'user', id: newItemId(), text: prompt, images: [] };
    const verdict = await review(
      {
        model,
        clock: this.#options.clock,
        investigation: new Investigation({ executor: this.#executor(run), tools, newItemId }),
        items: [...history.items, question],
        cacheKey: `${conversationId}:review`,
        newItemId,
        withoutSchema: this.#withoutSchema,
        onUsage: (usage) => {
          if (usage !== undefined && price !== undefined) material.onCost(price(usage));
        },
      },
      signal,
    );
    this.#histories.append(key, { history, words, items: [question, answerItem(verdict, newItemId())] });
    return verdict;
  }

  #executor({ runId, conversationId }: ReviewedRun): ReturnType<typeof reviewExecutor> {
    const { outputPolicies, services, redactor, clock, log } = this.#options;
    const registry = this.#registry;
    return reviewExecutor({
      runId,
      conversationId,
      registry,
      outputPolicies,
      services,
      redactor,
      clock,
      log,
    });
  }
}

interface AskedReview {
  readonly request: ApprovalRequest;
  readonly material: ReviewMaterial;
}

function toReviewVerdict(verdict: Verdict, { digest }: ApprovalRequest): ReviewVerdict {
  const { outcome, rationale, risk, authorization } = verdict;
  return { allowed: outcome === 'allow', rationale, risk, authorization, digest };
}

/** What stands for the answer in later reviews: the verdict as it was read, and nothing else. */
function answerItem(verdict: Verdict, id: MessageId): ModelItem {
  return { role: 'assistant', id, text: verdictText(verdict), reasoning: '', calls: [], providerItems: [] };
}

/** Differ in all reviews. */
function itemIds({ id }: ApprovalRequest): () => MessageId {
  let count = 0;
  return () => messageId(`review:${id}:${String(++count)}`);
}
