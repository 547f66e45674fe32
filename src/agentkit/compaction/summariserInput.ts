import type { Message } from '../message.ts';
import type { Json } from '../json.ts';
import { compactionLimits } from './limits.ts';

/**
 * What the summariser reads: one line of JSON for each thing that happened, so that nothing inside can pass for a line of its own.
 * Results and arguments are clipped to their ends, here and nowhere else; `textCharacters` also clips what people and the model wrote,
 * for a history that is larger than the window. Source: agent runtime contract, section 22.
 */
export function summariserLines(
  history: { readonly summary: string | undefined; readonly messages: readonly Message[] },
  textCharacters = Infinity,
): readonly string[] {
  const before = history.summary === undefined ? [] : [line({ from: 'summary', text: history.summary })];
  return [...before, ...history.messages.flatMap((message) => messageLines(message, textCharacters))];
}

function messageLines(message: Message, textCharacters: number): readonly string[] {
  const outputCharacters = Math.min(compactionLimits.resultCharacters, textCharacters);
  switch (message.role) {
    case 'user': {
      const from = message.origin.kind === 'person' ? 'user' : message.origin.kind;
      const images = message.images.length;
      return [line({ from, text: clipMiddle(message.text, textCharacters), ...(images > 0 && { images }) })];
    }
    case 'assistant': {
      const { text, calls } = message;
      const said = text === '' ? [] : [line({ from: 'assistant', text: clipMiddle(text, textCharacters) })];
      return [
        ...said,
        ...calls.map(({ id, name, argumentsText }) =>
          line({ from: 'call', id, tool: name, arguments: clipMiddle(argumentsText, outputCharacters) }),
        ),
      ];
    }
    case 'tool': {
      const { callId, text, isError, outcome } = message;
      const ended = outcome ?? (isError ? 'failed' : 'succeeded');
      return [line({ from: 'result', id: callId, outcome: ended, text: clipMiddle(text, outputCharacters) })];
    }
  }
}

/** The lines between our tags; no content can close them. */
export function untrustedLines(lines: readonly string[]): string {
  return `<untrusted-data>\n${lines.join('\n')}\n</untrusted-data>`;
}

/** Drops lines from the middle until at most `count` are left, and says how many. */
export function withoutMiddle(lines: readonly string[], count: number): readonly string[] {
  if (lines.length <= count) return lines;
  const head = Math.floor(count / 2);
  const tail = count - head;
  const left = lines.length - count;
  return [
    ...lines.slice(0, head),
    line({ from: 'note', text: `${String(left)} lines were left out here` }),
    ...lines.slice(lines.length - tail),
  ];
}

/** Both ends of a text of more than `characters`, with a note between; code points, so that no character is cut in half. */
export function clipMiddle(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const points = Array.from(text);
  if (points.length <= characters) return text;
  const head = Math.ceil(characters / 2);
  const tail = characters - head;
  const left = points.length - characters;
  return `${points.slice(0, head).join('')} [${String(left)} characters left out] ${points.slice(points.length - tail).join('')}`;
}

function line(value: Json): string {
  return JSON.stringify(value).replaceAll('</', '<\\/');
}
