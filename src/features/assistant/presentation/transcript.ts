import type { AgentEvent, AgentEventBody, RunFailure, StoredRun } from '../../../agentkit/index.ts';
import type { ConversationSnapshot } from '../../../application/assistant/assistantLibrary.ts';
import type { DeltaOp, Row } from '../../../webview/assistant/protocol.ts';
import { answerRows, answerRowId } from './answerRows.ts';
import { callRowId, type CallFacts } from './callFacts.ts';
import { presentEnd, type EndTexts } from './runEnd.ts';
import { isSameSource, presentRow, reasoningShown, type RowSource } from './rowSource.ts';
import { firstCut } from './segments.ts';
import { searchRows } from './searchRows.ts';
import { promptRow, storedRows } from './storedRows.ts';

type AssistantSource = Extract<RowSource, { kind: 'assistant' }>;
type Body<K extends AgentEventBody['kind']> = Extract<AgentEventBody, { kind: K }>;

/** The answer that streams in now. */
interface Streaming {
  readonly messageId: string;
  readonly startedAt: number;
  /** Ids of its rows, in order; empty before the first text. */
  readonly rowIds: string[];
}

/**
 * The rows of one conversation, kept up to date: from the store with `reset`, from live events with `apply`, which returns what has
 * changed for the screens. Rows are made on demand, so a long conversation costs nothing but its texts.
 */
export class Transcript {
  readonly #texts: EndTexts;
  #order: string[] = [];
  #sources = new Map<string, RowSource>();
  readonly #live = new Map<string, CallFacts>();
  #streaming: Streaming | undefined;

  constructor(texts: EndTexts) {
    this.#texts = texts;
  }

  /** Row ids in order. */
  get ids(): readonly string[] {
    return this.#order;
  }

  source(id: string): RowSource | undefined {
    return this.#sources.get(id);
  }

  row(id: string, nowMs: number): Row | undefined {
    const source = this.#sources.get(id);
    return source === undefined ? undefined : presentRow(source, this.#texts.texts, nowMs);
  }

  /** Calls that run now. */
  runningCalls(): readonly CallFacts[] {
    return [...this.#live.values()].filter((call) => call.phase === 'running');
  }

  /** Calls of a run whose outcome nobody knows. */
  unknownCalls(runId: string): readonly CallFacts[] {
    const calls: CallFacts[] = [];
    for (const id of this.#order) {
      const source = this.#sources.get(id);
      if (source?.kind !== 'call' || source.call.runId !== runId) continue;
      const { call } = source;
      if (call.result?.outcome === 'unknown' || (call.phase === 'orphaned' && call.dispatched))
        calls.push(call);
    }
    return calls;
  }

  /** Takes the stored rows, with what streams in now behind them. True when a screen has to be drawn anew. */
  reset(snapshot: ConversationSnapshot): boolean {
    if (this.#streaming === undefined && snapshot.streaming !== undefined) this.#resume(snapshot.streaming);
    const rows = storedRows(snapshot, this.#live, (end) => presentEnd(end, this.#texts));
    const known = new Set(rows.map((row) => row.id));
    const queued = rows.findIndex((row) => row.kind === 'user' && row.queued);
    const liveRows = this.#order
      .filter((id) => !known.has(id) && (this.#streaming?.rowIds.includes(id) === true || this.#live.has(id)))
      .flatMap((id) => this.#sources.get(id) ?? []);
    rows.splice(queued < 0 ? rows.length : queued, 0, ...liveRows);
    const isSame =
      rows.length === this.#order.length &&
      rows.every((row, index) => {
        const before = this.#sources.get(this.#order[index] ?? '');
        return before !== undefined && isSameSource(before, row);
      });
    this.#order = rows.map((row) => row.id);
    this.#sources = new Map(rows.map((row) => [row.id, row]));
    return !isSame;
  }

  /** Takes one live event. The changes are in order and refer to each other. */
  apply(event: AgentEvent): DeltaOp[] {
    const { body } = event;
    switch (body.kind) {
      case 'runStarted':
      case 'steeringDelivered':
        return this.#prompt(body.kind === 'runStarted' ? body.prompt : body.message, event.at);
      case 'messageStarted':
        this.#streaming = { messageId: body.messageId, startedAt: event.at, rowIds: [] };
        return [];
      case 'messageDelta':
        return this.#text(body, event.at);
      case 'reasoningDelta':
        return this.#reasoning(body, event.at);
      case 'modelRetryScheduled':
        return this.#dropStreaming();
      case 'messageFinished':
        return this.#answer(body, event.at);
      case 'toolProposed':
        return this.#call(event, body.call.callId, {
          toolName: body.call.toolName,
          phase: 'proposed',
          proposed: body.call,
        });
      case 'approvalRequested':
        return this.#call(event, body.request.callId, { phase: 'waiting' });
      case 'userInputRequested':
        return this.#call(event, body.callId, { phase: 'waiting' });
      case 'reviewStarted':
      case 'reviewFinished':
      case 'reviewFailed':
        return this.#call(event, body.callId, { review: body });
      case 'toolStarted':
        return this.#call(event, body.callId, {
          toolName: body.toolName,
          phase: 'running',
          dispatched: true,
          startedAt: event.at,
        });
      case 'toolProgress':
        return this.#call(event, body.callId, { progress: body.partial });
      case 'toolFinished':
        return this.#call(event, body.message.callId, {
          toolName: body.message.toolName,
          phase: 'finished',
          progress: undefined,
          result: { ...body.message, outcome: body.outcome },
        });
      case 'runFinished':
        return this.#end(event, body);
      default:
        return [];
    }
  }

  #prompt(message: Body<'steeringDelivered'>['message'], nowMs: number): DeltaOp[] {
    const row = promptRow(message);
    if (row === undefined) return [];
    const waiting = this.#sources.get(row.id);
    const ops: DeltaOp[] = [];
    if (waiting?.kind === 'user' && waiting.queued) ops.push(this.#remove(row.id));
    return [...ops, this.#upsert(row, nowMs)];
  }

  #text(body: Body<'messageDelta'>, nowMs: number): DeltaOp[] {
    const streaming = this.#streamingOf(body.messageId, nowMs);
    const ops: DeltaOp[] = [];
    let text = body.text;
    let row = this.#lastStreamingRow(streaming);
    if (row !== undefined && row.reasoning !== '' && row.reasoningMs === undefined) {
      row = { ...row, reasoningMs: Math.max(0, nowMs - streaming.startedAt) };
      ops.push(this.#upsert(row, nowMs));
    }
    while (text !== '') {
      if (row === undefined) {
        row = this.#newStreamingRow(streaming, '');
        ops.push(this.#upsert(row, nowMs));
      }
      const whole: string = row.markdown + text;
      const cut = firstCut(whole);
      if (cut === undefined) {
        this.#sources.set(row.id, { ...row, markdown: whole });
        ops.push({ op: 'appendMarkdown', id: row.id, text });
        break;
      }
      ops.push(this.#upsert({ ...row, markdown: whole.slice(0, cut), streaming: false }, nowMs));
      text = whole.slice(cut);
      row = undefined;
    }
    return ops;
  }

  #reasoning(body: Body<'reasoningDelta'>, nowMs: number): DeltaOp[] {
    if (body.text === '') return [];
    const streaming = this.#streamingOf(body.messageId, nowMs);
    const [firstId] = streaming.rowIds;
    const before = firstId === undefined ? undefined : this.#sources.get(firstId);
    if (before?.kind !== 'assistant') {
      const row = this.#newStreamingRow(streaming, body.text);
      return [this.#upsert(row, nowMs)];
    }
    const row = { ...before, reasoning: before.reasoning + body.text };
    this.#sources.set(row.id, row);
    if (before.reasoning === '') return [this.#upsert(row, nowMs)];
    if (row.reasoning.length <= reasoningShown)
      return [{ op: 'appendReasoning', id: row.id, text: body.text }];
    return before.reasoning.length <= reasoningShown ? [this.#upsert(row, nowMs)] : [];
  }

  #answer(body: Body<'messageFinished'>, nowMs: number): DeltaOp[] {
    const { message } = body;
    const streamed = this.#streaming?.messageId === message.id ? this.#streaming.rowIds : [];
    this.#streaming = undefined;
    const first = this.#sources.get(message.id);
    const measured = first?.kind === 'assistant' ? first.reasoningMs : undefined;
    const rows = answerRows({
      ...message,
      reasoningMs: message.reasoningMs ?? measured,
      streaming: false,
    });
    const kept = new Set(rows.map((row) => row.id));
    return [
      ...streamed.filter((id) => !kept.has(id)).map((id) => this.#remove(id)),
      ...rows
        .filter((row) => {
          const before = this.#sources.get(row.id);
          return before === undefined || !isSameSource(before, row);
        })
        .map((row) => this.#upsert(row, nowMs)),
      ...searchRows(message).map((row) => this.#upsert(row, nowMs)),
    ];
  }

  /** A failed attempt is shown no longer; the next one starts from nothing. */
  #dropStreaming(): DeltaOp[] {
    const dropped = this.#streaming?.rowIds.map((id) => this.#remove(id)) ?? [];
    this.#streaming = undefined;
    return dropped;
  }

  #call(event: AgentEvent, callId: string, change: Partial<CallFacts>): DeltaOp[] {
    const rowId = callRowId(event.runId, callId);
    const known = this.#live.get(rowId);
    const call: CallFacts = {
      rowId,
      runId: event.runId,
      callId,
      toolName: '',
      phase: 'proposed',
      dispatched: false,
      ...known,
      ...change,
    };
    this.#live.set(rowId, call);
    return [this.#upsert({ kind: 'call', id: rowId, call }, event.at)];
  }

  #end(event: AgentEvent, body: Body<'runFinished'>): DeltaOp[] {
    const ops = this.#dropStreaming();
    this.#live.clear();
    const run = endedRun(event, body.state, body.failure);
    const row = presentEnd({ run, unknown: this.unknownCalls(event.runId), isLast: true }, this.#texts);
    return row === undefined ? ops : [...ops, this.#upsert(row, event.at)];
  }

  /** Takes up an answer whose beginning this transcript did not see. */
  #resume(answer: NonNullable<ConversationSnapshot['streaming']>): void {
    const rows = answerRows({ ...answer, streaming: true });
    this.#streaming = {
      messageId: answer.id,
      startedAt: answer.since,
      rowIds: rows.map((row) => row.id),
    };
    for (const row of rows) this.#upsert(row, answer.since);
  }

  #streamingOf(messageId: string, nowMs: number): Streaming {
    if (this.#streaming?.messageId !== messageId)
      this.#streaming = { messageId, startedAt: nowMs, rowIds: [] };
    return this.#streaming;
  }

  #lastStreamingRow(streaming: Streaming): AssistantSource | undefined {
    const source = this.#sources.get(streaming.rowIds.at(-1) ?? '');
    return source?.kind === 'assistant' && source.streaming ? source : undefined;
  }

  #newStreamingRow(streaming: Streaming, reasoning: string): AssistantSource {
    const id = answerRowId(streaming.messageId, streaming.rowIds.length);
    streaming.rowIds.push(id);
    return { kind: 'assistant', id, markdown: '', reasoning, reasoningMs: undefined, streaming: true };
  }

  /** Stores a row, a new one in front of what waits in the inbox (waiting rows themselves last). */
  #upsert(source: RowSource, nowMs: number): DeltaOp {
    if (!this.#sources.has(source.id)) {
      const last = this.#order.findLastIndex((id) => !this.#isQueued(id));
      this.#order.splice(last + 1, 0, source.id);
    }
    this.#sources.set(source.id, source);
    const index = this.#order.lastIndexOf(source.id);
    return {
      op: 'upsert',
      row: presentRow(source, this.#texts.texts, nowMs),
      after: this.#order[index - 1],
    };
  }

  #remove(id: string): DeltaOp {
    const index = this.#order.lastIndexOf(id);
    if (index >= 0) this.#order.splice(index, 1);
    this.#sources.delete(id);
    return { op: 'remove', id };
  }

  #isQueued(id: string): boolean {
    const source = this.#sources.get(id);
    return source?.kind === 'user' && source.queued;
  }
}

function endedRun(event: AgentEvent, state: StoredRun['state'], failure: RunFailure | undefined): StoredRun {
  return {
    id: event.runId,
    state,
    startedAt: event.at,
    endedAt: event.at,
    ...(failure === undefined ? {} : { failure }),
  };
}
