import type { CallFacts } from './callFacts.ts';
import { titleOf } from './card.ts';
import { noticeButton, presentFailure, type failureTexts } from './failure.ts';
import type { RowSource } from './rowSource.ts';
import type { RunEnd } from './storedRows.ts';
import type { AssistantTexts } from './texts.ts';

export interface EndTexts {
  readonly texts: AssistantTexts;
  readonly failures: ReturnType<typeof failureTexts>;
}

/** The row of the end of a run. */
export function runEndRowId(runId: string): string {
  return `end:${runId}`;
}

/** How a run ended, said once behind its rows. A run that completed needs no words. */
export function presentEnd(end: RunEnd, { texts, failures }: EndTexts): RowSource | undefined {
  const row = { kind: 'notice', id: runEndRowId(end.run.id) } as const;
  switch (end.run.state) {
    case 'failed': {
      if (end.run.failure === undefined) return undefined;
      const { text, action } = presentFailure(end.run.failure, failures, texts);
      return { ...row, level: 'error', text, action: end.isLast ? action : undefined };
    }
    case 'interrupted': {
      const action = noticeButton(end.unknown.length === 0 ? 'retry' : 'suggestCheck', texts);
      const text = interruptedText(end.unknown, texts);
      return { ...row, level: 'warning', text, action: end.isLast ? action : undefined };
    }
    case 'cancelled':
      return { ...row, level: 'info', text: texts.stopped(), action: undefined };
    default:
      return undefined;
  }
}

function interruptedText(unknown: readonly CallFacts[], texts: AssistantTexts): string {
  const [first, ...more] = unknown;
  if (first === undefined) return texts.interrupted();
  const what = quotedTitle(first);
  const where = targetOf(first);
  return more.length === 0
    ? texts.interruptedCall(what, where)
    : texts.interruptedCalls(what, where, more.length);
}

/** A prompt that asks to look before anything is repeated; the person sends it. */
export function checkPrompt(unknown: readonly CallFacts[], texts: AssistantTexts): string {
  if (unknown.length === 0) return texts.goOnPrompt();
  return unknown.map((call) => texts.checkPrompt(quotedTitle(call), targetOf(call))).join('\n');
}

function targetOf(call: CallFacts): string {
  return call.proposed?.subject?.target ?? '';
}

const titleLength = 160;

/** The first line of a call's title in backquotes, which a notice shows as code. The card above has the exact text. */
export function quotedTitle(call: CallFacts): string {
  const [line = ''] = titleOf(call).replaceAll('`', "'").split('\n');
  return `\`${line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line}\``;
}
