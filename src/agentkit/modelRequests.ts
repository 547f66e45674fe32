import type { AgentRuntimeOptions } from './agentRuntimeOptions.ts';
import { Compactor } from './compaction/compactor.ts';
import { isTooLong, Summariser } from './compaction/summariser.ts';
import { ContextMeter } from './contextMeter.ts';
import { buildItems } from './contextPipeline.ts';
import type { AgentEventBody } from './events.ts';
import type { MessageId } from './ids.ts';
import type { Message, Usage } from './message.ts';
import type { ModelRequest } from './model.ts';
import type { RunLedger } from './runLedger.ts';
import type { CompactionRecord } from './runStore.ts';
import { withExpiredSecrets } from './secrets/expiredSecrets.ts';
import { defaultStreamClocks } from './streamClocks.ts';
import type { ToolRegistry } from './toolRegistry.ts';
import { TurnDriver, type DrivenTurn } from './turnDriver.ts';

export interface ModelRequestsOptions {
  readonly run: AgentRuntimeOptions;
  readonly registry: ToolRegistry;
  readonly ledger: RunLedger;
  /** The transcript as it is now; every call is answered whenever this is asked. */
  readonly messages: () => readonly Message[];
  /** Stores the transcript. */
  readonly save: () => Promise<void>;
  /** Of requests beside the turns. */
  readonly countUsage: (usage: Usage | undefined) => void;
  readonly newMessageId: () => MessageId;
  readonly emit: (body: AgentEventBody) => void;
  readonly log: (message: string, cause: unknown) => void;
}

/** One answer and the request it answers. */
export interface AskedTurn {
  readonly request: ModelRequest;
  readonly driven: DrivenTurn;
}

/** Makes the requests of a run and keeps them inside the window of the model. */
export class ModelRequests {
  readonly #options: ModelRequestsOptions;
  readonly #meter = new ContextMeter();
  readonly #driver: TurnDriver;
  readonly #compactor: Compactor;
  #isCalibrated = false;

  constructor(options: ModelRequestsOptions) {
    this.#options = options;
    this.#driver = this.#createDriver(options.emit);
    this.#compactor = this.#createCompactor();
  }

  /** In front of a turn: summarises what is old when the next request would leave too little of the window. */
  async fit(signal: AbortSignal): Promise<void> {
    if (this.#options.run.model.capabilities.contextWindow === undefined) return;
    if (!this.#isCalibrated) this.#calibrate();
    const request = this.#request();
    if (this.#compactor.isDue(request)) await this.#compact(request, 'due', signal);
  }

  /** Asks the model. A request that the provider finds too long is compacted once and made again. Rejects as `TurnDriver.drive` does. */
  async ask(messageId: MessageId, signal: AbortSignal): Promise<AskedTurn> {
    const request = this.#request();
    try {
      return { request, driven: await this.#driver.drive(request, messageId, signal) };
    } catch (error) {
      if (!isTooLong(error) || !(await this.#compact(request, 'refused', signal))) throw error;
    }
    const shorter = this.#request();
    return { request: shorter, driven: await this.#driver.drive(shorter, messageId, signal) };
  }

  /** What a turn used: the provider's figures, or ours where it gave none. */
  measure(
    request: ModelRequest,
    reported: Usage | undefined,
  ): { readonly usage: Usage; readonly contextTokens: number } {
    const { inputTokens } = reported ?? {};
    if (inputTokens !== undefined && reported?.estimated !== true) this.#calibrateBy(request, inputTokens);
    const ours = this.#meter.request(request);
    return {
      usage: reported ?? { inputTokens: ours, estimated: true },
      contextTokens: inputTokens === undefined ? ours : inputTokens + (reported?.outputTokens ?? 0),
    };
  }

  /** Everything that is summarised is stored before. */
  async #compact(request: ModelRequest, why: 'due' | 'refused', signal: AbortSignal): Promise<boolean> {
    await this.#options.save();
    const messages = this.#options.messages().map(withExpiredSecrets);
    return this.#compactor.compact({ messages, request, why }, signal);
  }

  #request(
    messages: readonly Message[] = this.#options.messages(),
    compactions: readonly CompactionRecord[] = this.#compactor.records,
  ): ModelRequest {
    const { conversation, model, policies, reasoning, transforms } = this.#options.run;
    const items = buildItems({
      messages,
      compactions,
      tag: model.tag,
      contextBlock: (field, text) => policies.contextBlock(field, text),
    });
    const request: ModelRequest = {
      system: conversation.systemPrompt,
      items,
      tools: this.#options.registry.modelTools(),
      cacheKey: conversation.id,
      ...(reasoning !== undefined && { reasoning }),
    };
    return (transforms ?? []).reduce((shaped, transform) => transform.transform(shaped), request);
  }

  /** By the last answer of the history whose request the provider counted. */
  #calibrate(): void {
    this.#isCalibrated = true;
    const messages = this.#options.messages();
    const at = messages.findLastIndex(
      (message) =>
        message.role === 'assistant' &&
        message.usage?.inputTokens !== undefined &&
        message.usage.estimated !== true,
    );
    const answer = messages[at];
    if (answer?.role !== 'assistant' || answer.usage?.inputTokens === undefined) return;
    const records = this.#compactor.records.filter((record) => record.createdAt <= answer.createdAt);
    this.#calibrateBy(this.#request(messages.slice(0, at), records), answer.usage.inputTokens);
  }

  #calibrateBy(request: ModelRequest, inputTokens: number): void {
    this.#isCalibrated = true;
    this.#meter.calibrate(request, inputTokens);
  }

  #createDriver(emit: (body: AgentEventBody) => void): TurnDriver {
    const { model, clock, clocks, random, redactor } = this.#options.run;
    return new TurnDriver({
      model,
      clock,
      clocks: clocks ?? defaultStreamClocks,
      random: random ?? Math.random,
      ledger: this.#options.ledger,
      redactor,
      emit,
    });
  }

  #createCompactor(): Compactor {
    const { conversation, model, store, redactor, clock, policies } = this.#options.run;
    const { newMessageId, emit, log, countUsage } = this.#options;
    // The summary is no answer: views see only that a request failed and is repeated.
    const driver = this.#createDriver((body) => {
      if (body.kind === 'modelRetryScheduled' || body.kind === 'modelRetryRecovered') emit(body);
    });
    return new Compactor({
      conversationId: conversation.id,
      records: conversation.compactions,
      tag: model.tag,
      contextWindow: model.capabilities.contextWindow,
      meter: this.#meter,
      summariser: new Summariser({ driver, meter: this.#meter, onUsage: countUsage }),
      standingFacts: async () => policies.standingFacts?.() ?? [],
      store,
      redactor,
      clock,
      newMessageId,
      emit,
      log,
    });
  }
}
