import { type Json, type Message, readResultText } from '../../../agentkit/index.ts';

/** Answers that hold a handle and nothing that somebody would look for. */
const secretTool = 'request_user_secret';

/**
 * What a reader of the conversation reads in this message; empty when it holds nothing to read. Reasoning, arguments, images and
 * handles are not part of it.
 */
export function messageText(message: Message): string {
  if (message.role !== 'tool') return withoutControls(message.text);
  if (message.toolName === secretTool) return '';
  const result = readResultText(message.text);
  return withoutControls(result === undefined ? message.text : readable(result).join('\n'));
}

/** One line a value, `name: value`; a list repeats the name. */
function readable(value: Json, name = ''): readonly string[] {
  if (value === null || value === '') return [];
  if (typeof value !== 'object') return [name === '' ? String(value) : `${name}: ${String(value)}`];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, part]) => readable(part, isList ? name : key));
}

function withoutControls(text: string): string {
  return text.replaceAll(/(?![\t\n\r])\p{Cc}/gu, ' ');
}

/** Separates characters that are words by themselves. No message text holds it: it is a control character. */
const separator = '\u001F';

/** Scripts without spaces between words, and Hangul, whose words change their ends. */
const unspaced =
  /(?:\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul}|\p{sc=Thai}|\p{sc=Lao}|\p{sc=Khmer}|\p{sc=Myanmar})\p{M}*/gu;

/** The text with each such character as a word of its own, so that any part of a sentence is found as a phrase. */
export function separated(text: string): string {
  return text
    .replaceAll(unspaced, `${separator}$&${separator}`)
    .replaceAll(`${separator}${separator}`, separator);
}

/** Takes the separators out again. */
export function joined(text: string): string {
  return text.replaceAll(separator, '');
}
