import { isAborted, untilAborted, type ClockPort } from '../clock.ts';
import type { ContextMeter } from '../contextMeter.ts';
import { toItem } from '../contextPipeline.ts';
import type { AgentEventBody } from '../events.ts';
import type { ConversationId, MessageId } from '../ids.ts';
import type { Message } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import { pairCalls } from '../pairing.ts';
import type { Redactor } from '../redactor.ts';
import { storeFailure } from '../runFailure.ts';
import type { CompactionRecord, RunStorePort } from '../runStore.ts';
import { compactionView, type CompactionView } from './compactionView.ts';
import { compactAbove, compactionLimits, summaryTokens, tokensToKeep } from './limits.ts';
import { groupsToSummarise, messageGroups, type MessageGroup } from './messageGroups.ts';
import { standingFactsText, type StandingFact } from './standingFacts.ts';
import type { Summariser, SummaryOrder } from './summariser.ts';

export interface CompactorOptions {
  readonly conversationId: ConversationId;
  /** Of the stored conversation. */
  readonly records: readonly CompactionRecord[];
  /** Tag of the model that is asked. */
  readonly tag: string;
  /** Tokens; undefined = unknown, and then only a provider's own complaint compacts. */
  readonly contextWindow: number | undefined;
  readonly meter: ContextMeter;
  readonly summariser: Summariser;
  readonly standingFacts: () => Promise<readonly StandingFact[]>;
  readonly store: Pick<RunStorePort, 'recordCompaction'>;
  readonly redactor: Redactor;
  readonly clock: ClockPort;
  readonly newMessageId: () => MessageId;
  readonly emit: (body: AgentEventBody) => void;
  readonly log: (message: string, cause: unknown) => void;
}

/**
 * Keeps requests inside the window of the model: the older part of the history is summarised and stays as it is in the store and in
 * views. Works between turns only, when every call is answered. Source: agent runtime contract, section 22.
 */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #records: CompactionRecord[];
  /** A summary that failed is not tried again before every turn. */
  #hasFailed = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#records = [...options.records];
  }

  get records(): readonly CompactionRecord[] {
    return this.#records;
  }

  /** Whether this request leaves too little of the window. */
  isDue(request: ModelRequest): boolean {
    const { contextWindow, meter } = this.#options;
    if (contextWindow === undefined || this.#hasFailed) return false;
    return meter.request(request) > compactAbove(contextWindow);
  }

  /**
   * Summarises what is old in `messages`, which are all stored. `refused`: the provider found `request` too long, so whatever our count
   * says, something has to go. False when there is nothing to cut or the model gave no summary; the request is then as long as
   * before. Throws `RunFailed` `storeFailed`, and the signal's reason.
   */
  async compact(
    order: {
      readonly messages: readonly Message[];
      readonly request: ModelRequest;
      readonly why: 'due' | 'refused';
    },
    signal: AbortSignal,
  ): Promise<boolean> {
    const paired = pairCalls(order.messages);
    const view = compactionView(paired, this.#records);
    const cut = this.#cut(view, order);
    const boundary = cut.at(-1)?.at(-1);
    if (boundary === undefined) return false;
    const old = { summary: view.record?.summary, messages: cut.flat() };
    const summary = await this.#summarise(old, order.request, signal);
    if (summary === undefined) return false;
    const summarised = paired.slice(0, paired.indexOf(boundary) + 1);
    const facts = standingFactsText(await this.#standingFacts(signal), summarised);
    await this.#record({ boundary, ...summary, facts });
    return true;
  }

  /** The groups to summarise, from the front. */
  #cut(
    view: CompactionView,
    order: { readonly request: ModelRequest; readonly why: 'due' | 'refused' },
  ): readonly MessageGroup[] {
    const groups = messageGroups(view.messages);
    const tokens = groups.map((group) => this.#tokens(group));
    const all = sum(tokens);
    const { contextWindow: window, meter } = this.#options;
    const keep = window === undefined ? compactionLimits.keepTokens : tokensToKeep(window);
    const around = meter.request({ ...order.request, items: [] });
    const most = window === undefined ? Infinity : window - around;
    if (order.why === 'refused') {
      const count = groupsToSummarise(tokens, { keep: Math.min(keep, all / 2), most });
      return groups.slice(0, Math.max(count, 1));
    }
    const count = groupsToSummarise(tokens, { keep, most });
    return sum(tokens.slice(0, count)) > summaryTokens ? groups.slice(0, count) : [];
  }

  #tokens(group: MessageGroup): number {
    const items = group.flatMap((message) => toItem(message, this.#options.tag) ?? []);
    return this.#options.meter.items(items);
  }

  async #summarise(
    old: Pick<SummaryOrder, 'summary' | 'messages'>,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ readonly messageId: MessageId; readonly summary: string } | undefined> {
    const { summariser, newMessageId, contextWindow, meter, conversationId, log } = this.#options;
    const messageId = newMessageId();
    const maxTokens = contextWindow === undefined ? meter.request(request) / 2 : compactAbove(contextWindow);
    const order = { ...old, maxTokens, messageId, cacheKey: conversationId };
    try {
      return { messageId, summary: await summariser.summarise(order, signal) };
    } catch (error) {
      if (isAborted(signal)) throw error;
      this.#hasFailed = true;
      log('a conversation could not be summarised', error);
      return undefined;
    }
  }

  /** Without the facts of the editor side rather than not at all: the user's own words are there in any case. */
  async #standingFacts(signal: AbortSignal): Promise<readonly StandingFact[]> {
    try {
      return await untilAborted(this.#options.standingFacts(), signal);
    } catch (error) {
      if (isAborted(signal)) throw error;
      this.#options.log('the standing facts could not be read', error);
      return [];
    }
  }

  async #record(made: {
    readonly messageId: MessageId;
    readonly boundary: Message;
    readonly summary: string;
    readonly facts: string;
  }): Promise<void> {
    const { store, conversationId, redactor, clock, emit } = this.#options;
    const record: CompactionRecord = {
      messageId: made.messageId,
      boundary: made.boundary.id,
      summary: redactor.redact(made.summary),
      facts: redactor.redact(made.facts),
      createdAt: clock.now(),
    };
    await store
      .recordCompaction(conversationId, record)
      .catch((error: unknown) => Promise.reject(storeFailure(error)));
    this.#records.push(record);
    emit({ kind: 'compactionFinished', messageId: record.messageId, record });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
