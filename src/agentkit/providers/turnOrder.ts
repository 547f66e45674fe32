import { messageId, uuidFromDigest } from '../ids.ts';
import type { ModelItem } from '../model.ts';
import { isBlank } from './wireText.ts';

/**
 * The items as turns: it never begins or ends with an answer, and two answers are never neighbours. Anthropic and Gemini refuse everything
 * else, and a history that was cut begins with an answer, a Retry behind a stopped answer ends with one. A message of ours stands in each
 * such place, and always in the same ones, so that the next request still begins with this one. Answers that show nothing are left out.
 */
export function asTurns(items: readonly ModelItem[]): readonly ModelItem[] {
  const visible = items.filter(
    (item) => item.role !== 'assistant' || !isBlank(item.text) || item.calls.length > 0,
  );
  const turns: ModelItem[] = [];
  visible.forEach((item, at) => {
    if (item.role === 'assistant' && at === 0) turns.push(filler(item, '[Earlier messages are not shown.]'));
    turns.push(item);
    const next = visible[at + 1];
    const awaitsAnswer = item.role === 'assistant' && item.calls.length === 0;
    if (awaitsAnswer && (next === undefined || next.role === 'assistant'))
      turns.push(filler(item, 'Continue.'));
  });
  return turns;
}

function filler({ id }: ModelItem, text: string): ModelItem {
  return { role: 'user', id: messageId(uuidFromDigest(`filler:${text}:${id}`)), text, images: [] };
}
