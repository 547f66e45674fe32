import { CallWalk } from './wires/pairing.ts';

/** A message of the editor's language models, as far as the rules look at it. */
interface Message {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly (
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'image' }
    | { readonly kind: 'call'; readonly id: string; readonly name: string }
    | { readonly kind: 'result'; readonly callId: string }
  )[];
}

/**
 * What the providers behind the editor refuse: they are those of the other protocols, and the editor passes on what it gets.
 * Source: vscode.md 17, "Unanswered calls".
 */
export function editorViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  let place = 'messages.0';
  const say = (problem: string): void => void found.push(`${place}: ${problem}`);
  const walk = new CallWalk(say);
  messages.forEach(({ role, parts }, at) => {
    place = `messages.${at}`;
    const before = messages[at - 1];
    if (parts.length === 0) say('an empty message');
    if (at === 0 && role !== 'user') say('the first message is no user message');
    if (role === 'assistant' && before?.role === 'assistant') say('two answers are neighbours');
    for (const part of parts) {
      if (part.kind === 'text' && part.text.trim() === '') say('a text without a visible character');
      if (part.kind === 'call' && role === 'user') say('a call of the user');
      if (part.kind === 'result' && role === 'assistant') say('a result of the assistant');
      if (part.kind === 'call') walk.call(part.id, part.name);
      else if (part.kind === 'result') walk.result(part.callId);
      else walk.other(part.kind);
    }
    if (role === 'user') walk.other('the end of the user message');
  });
  place = 'messages';
  if (messages.at(-1)?.role !== 'user') say('the last message is no user message');
  walk.end();
  return found;
}
