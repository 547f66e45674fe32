import type { Row, NoticeButton } from '../../../webview/assistant/protocol.ts';
import type { CallFacts } from './callFacts.ts';
import { presentCard } from './card.ts';
import { presentPlan } from './planRow.ts';
import { presentQuestions } from './questionsRow.ts';
import type { AssistantTexts } from './texts.ts';

/** What a row is made of, cheap to hold for a whole conversation; the row itself is made when it comes into a window. */
export type RowSource =
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly text: string;
      readonly at: number;
      readonly queued: boolean;
    }
  | {
      readonly kind: 'assistant';
      readonly id: string;
      readonly markdown: string;
      /** Whole; empty in all but the first row of an answer. */
      readonly reasoning: string;
      readonly reasoningMs: number | undefined;
      readonly streaming: boolean;
    }
  | { readonly kind: 'call'; readonly id: string; readonly call: CallFacts }
  | {
      readonly kind: 'notice';
      readonly id: string;
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
      readonly action: NoticeButton | undefined;
    }
  | {
      readonly kind: 'compaction';
      readonly id: string;
      readonly at: number;
      readonly messages: number;
    };

/** This much of the thoughts comes with the row; the rest is asked for. UTF-16 units. */
export const reasoningShown = 8 * 1024;

export function presentRow(source: RowSource, texts: AssistantTexts, nowMs: number): Row {
  switch (source.kind) {
    case 'call':
      return (
        presentPlan(source.call) ?? presentQuestions(source.call) ?? presentCard(source.call, texts, nowMs)
      );
    case 'assistant':
      return {
        kind: 'assistant',
        id: source.id,
        markdown: source.markdown,
        reasoning:
          source.reasoning === ''
            ? undefined
            : {
                text: source.reasoning.slice(0, reasoningShown),
                hasMore: source.reasoning.length > reasoningShown,
                durationMs: source.reasoningMs,
              },
        streaming: source.streaming,
      };
    case 'user':
    case 'notice':
    case 'compaction':
      return source;
  }
}

/** True when both give the same row. */
export function isSameSource(a: RowSource, b: RowSource): boolean {
  if (a.id !== b.id) return false;
  if (a.kind === 'user' && b.kind === 'user')
    return a.text === b.text && a.at === b.at && a.queued === b.queued;
  if (a.kind === 'assistant' && b.kind === 'assistant')
    return (
      a.markdown === b.markdown &&
      a.reasoning === b.reasoning &&
      a.reasoningMs === b.reasoningMs &&
      a.streaming === b.streaming
    );
  if (a.kind === 'notice' && b.kind === 'notice')
    return a.level === b.level && a.text === b.text && a.action?.id === b.action?.id;
  if (a.kind === 'compaction') return b.kind === 'compaction';
  return (
    a.kind === 'call' &&
    b.kind === 'call' &&
    a.call.phase === b.call.phase &&
    a.call.dispatched === b.call.dispatched &&
    a.call.result?.id === b.call.result?.id &&
    a.call.progress === b.call.progress &&
    a.call.review?.kind === b.call.review?.kind &&
    a.call.planState === b.call.planState &&
    (a.call.proposed === undefined) === (b.call.proposed === undefined)
  );
}
