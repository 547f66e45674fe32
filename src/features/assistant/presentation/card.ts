import type { JsonObject, ToolMessage } from '../../../agentkit/index.ts';
import type { CardBody, CardRow, CardState } from '../../../webview/assistant/protocol.ts';
import type { CallFacts } from './callFacts.ts';
import { foldLines } from './fold.ts';
import { presentReview } from './reviewLine.ts';
import type { AssistantTexts } from './texts.ts';
import { hostLabelOf, numberOf, readResult, resultBody, textOf, type ToolResult } from './toolResult.ts';

/** Commands keep the end of their output, everything else the beginning. Source: agent runtime contract, section 24. */
const tailTools: ReadonlySet<string> = new Set(['ssh_exec_run', 'ssh_exec_output']);

const commandTools: ReadonlySet<string> = new Set(['ssh_exec_run']);

/** Cards of answered calls, by their answer: reading a frozen text again and again would hold up the window. */
const made = new WeakMap<ToolMessage, Pick<CallFacts, 'proposed' | 'review'> & { readonly row: CardRow }>();

/** One call as a card. Reads the frozen text, so it is made for rows in the window only. */
export function presentCard(call: CallFacts, texts: AssistantTexts, nowMs: number): CardRow {
  const known = call.result && made.get(call.result);
  const { proposed, review } = call;
  if (known?.proposed === proposed && known?.review === review && known?.row.id === call.rowId)
    return known.row;
  const row = makeCard(call, texts, nowMs);
  if (call.result !== undefined) made.set(call.result, { proposed, review, row });
  return row;
}

function makeCard(call: CallFacts, texts: AssistantTexts, nowMs: number): CardRow {
  const result = call.result === undefined ? undefined : readResult(call.result.text);
  const fields = result?.kind === 'fields' ? result.fields : undefined;
  const subject = call.proposed?.subject;
  const verdict = judge(call, fields, texts);
  const body = result === undefined ? progressBody(call) : retainedBody(call.toolName, result);
  return {
    kind: 'card',
    id: call.rowId,
    symbol: call.proposed?.presentation.symbol ?? 'tools',
    state: verdict.state,
    title: titleOf(call),
    isCommand: commandTools.has(call.toolName),
    target: subject?.target ?? (fields && hostLabelOf(fields)) ?? '',
    identity: subject?.identity ?? '',
    tier: subject?.tier ?? '',
    tierLabel: texts.tier(subject?.tier ?? ''),
    durationMs: (fields && numberOf(fields, 'duration_ms')) ?? call.result?.durationMs,
    runningMs:
      call.phase === 'running' && call.startedAt !== undefined
        ? Math.max(0, nowMs - call.startedAt)
        : undefined,
    result: verdict.result,
    body,
    fullOutputPath: fields && textOf(fields, 'full_output_path'),
    reason: verdict.reason ?? sentenceOf(result, call),
    review: presentReview(call.review, texts),
    canCancel: call.phase === 'running' && commandTools.has(call.toolName),
  };
}

/** The whole retained text of a card, for an expansion and for Copy. */
export function retainedSections(call: CallFacts): readonly string[] {
  if (call.result === undefined) return progressText(call.progress);
  const result = readResult(call.result.text);
  return result.kind === 'fields' ? resultBody(result.fields).sections : [result.text];
}

/** Whether nobody knows what became of the call: never answered after it was sent, answered so, or a command whose end is not known. */
export function isOutcomeUnknown(call: CallFacts): boolean {
  if (call.phase === 'orphaned') return call.dispatched;
  if (call.result?.outcome === 'unknown') return true;
  if (call.result === undefined || !commandTools.has(call.toolName)) return false;
  const result = readResult(call.result.text);
  if (result.kind !== 'fields') return false;
  const status = textOf(result.fields, 'status');
  return status === 'lost' || (status === 'exited' && numberOf(result.fields, 'exit_code') === undefined);
}

/** The exact command, or the tool's own words with what it works on. */
export function titleOf(call: CallFacts): string {
  const { proposed } = call;
  if (proposed === undefined) return call.toolName;
  if (proposed.subject !== undefined && proposed.subject.target !== '') return proposed.subject.action;
  const command = textOf(proposed.arguments, 'command');
  if (command !== undefined) return command;
  const words = proposed.presentation.activity === '' ? call.toolName : proposed.presentation.activity;
  const about = textOf(proposed.arguments, 'path') ?? textOf(proposed.arguments, 'query');
  return about === undefined || words.includes(about) ? words : `${words} ${about}`;
}

interface Verdict {
  readonly state: CardState;
  readonly result?: string | undefined;
  readonly reason?: string | undefined;
}

function judge(call: CallFacts, fields: JsonObject | undefined, texts: AssistantTexts): Verdict {
  switch (call.phase) {
    case 'proposed':
      return { state: call.review?.kind === 'reviewStarted' ? 'reviewing' : 'proposed' };
    case 'waiting':
      return { state: 'waiting' };
    case 'running':
      return { state: 'running' };
    case 'orphaned':
      return call.dispatched
        ? { state: 'unknown', result: texts.outcomeUnknown(), reason: texts.unknownReason() }
        : { state: 'cancelled', result: texts.notRun(), reason: texts.neverSentReason() };
    case 'finished':
      return judgeFinished(call, fields, texts);
  }
}

function judgeFinished(call: CallFacts, fields: JsonObject | undefined, texts: AssistantTexts): Verdict {
  switch (call.result?.outcome) {
    case 'denied':
      return { state: 'denied' };
    case 'cancelled':
      return { state: 'cancelled' };
    case 'unknown':
      return { state: 'unknown', result: texts.outcomeUnknown() };
    case 'failed':
      return { state: 'failed' };
    case 'succeeded':
    case undefined:
      if (call.result?.isError === true) return { state: 'failed' };
      return fields !== undefined && textOf(fields, 'status') !== undefined && 'exit_code' in fields
        ? judgeCommand(fields, texts)
        : { state: 'succeeded' };
  }
}

/** How a command ended. A missing exit status is unknown, never 0. Source: tools.md section 3. */
function judgeCommand(fields: JsonObject, texts: AssistantTexts): Verdict {
  const code = numberOf(fields, 'exit_code');
  const reason = textOf(fields, 'note');
  switch (textOf(fields, 'status')) {
    case 'exited':
      if (code === undefined) return { state: 'unknown', result: texts.outcomeUnknown(), reason };
      return code === 0
        ? { state: 'succeeded', reason }
        : { state: 'failed', result: texts.exit(code), reason };
    case 'signalled':
      return { state: 'failed', result: texts.signal(textOf(fields, 'signal') ?? '?'), reason };
    case 'cancelled':
      return {
        state: 'cancelled',
        result: fields['timed_out'] === true ? texts.timedOut() : undefined,
        reason,
      };
    case 'lost':
      return { state: 'unknown', result: texts.outcomeUnknown(), reason };
    case 'running':
      return { state: 'succeeded', result: texts.stillRunning(), reason };
    default:
      return { state: 'succeeded', reason };
  }
}

/** The sentence of a call that has no result of its own: why it was denied, failed or is unknown. */
function sentenceOf(result: ToolResult | undefined, call: CallFacts): string | undefined {
  if (result?.kind !== 'sentence' || call.result?.outcome === 'succeeded') return undefined;
  // The same, in the words of the view.
  if (call.result?.outcome === 'denied' && isAdverse(call.review)) return undefined;
  return result.text.length > sentenceLimit ? `${result.text.slice(0, sentenceLimit - 1)}…` : result.text;
}

function isAdverse(review: CallFacts['review']): boolean {
  return review?.kind === 'reviewFailed' || (review?.kind === 'reviewFinished' && !review.allowed);
}

const sentenceLimit = 600;

function retainedBody(toolName: string, result: ToolResult): CardBody | undefined {
  if (result.kind === 'sentence') return undefined;
  const { sections, marker } = resultBody(result.fields);
  return sections.length === 0 && marker === undefined ? undefined : fold(toolName, sections, marker);
}

/** While a command runs its card shows what has arrived. */
function progressBody(call: CallFacts): CardBody | undefined {
  const sections = progressText(call.progress);
  return sections.length === 0 ? undefined : fold(call.toolName, sections, undefined);
}

function progressText(progress: JsonObject | undefined): readonly string[] {
  const text = progress && textOf(progress, 'output');
  return text === undefined || text === '' ? [] : [text];
}

function fold(toolName: string, sections: readonly string[], marker: string | undefined): CardBody {
  const side = tailTools.has(toolName) ? 'tail' : 'head';
  return { ...foldLines(sections, side), side, marker };
}
