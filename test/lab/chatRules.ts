import { chatRequest, type ChatMessage, type ChatRequest } from './chatCompletions.ts';
import { checkBody } from './wires/checkBody.ts';
import { CallWalk, isJsonObject } from './wires/pairing.ts';
import { toolViolations } from './wires/toolRules.ts';
import type { Checked } from './wires/wire.ts';

/**
 * Checks a posted body against what a strict server refuses and what the agent runtime promises about each request.
 * Source: agent runtime contract, sections 2 and 7; the API reference of Chat Completions.
 */
export function checkChatRequest(body: unknown): Checked<ChatRequest> {
  return checkBody(chatRequest, body, (request) => [
    ...streamViolations(request),
    ...historyViolations(request.messages),
    ...toolViolations(
      (request.tools ?? []).map(({ function: { name, parameters } }) => ({ name, parameters })),
    ),
  ]);
}

function streamViolations(request: ChatRequest): string[] {
  const found: string[] = [];
  if (request.stream !== true) found.push('stream: the runtime always streams');
  if (request.stream_options?.include_usage !== true) found.push('stream_options: usage was not asked for');
  return found;
}

function historyViolations(messages: readonly ChatMessage[]): string[] {
  const found: string[] = [];
  let place = 'messages.0';
  const say = (problem: string): void => void found.push(`${place}: ${problem}`);
  const walk = new CallWalk(say);
  messages.forEach((message, at) => {
    place = `messages.${at}`;
    if (message.role === 'tool') return walk.result(message.tool_call_id);
    walk.other(message.role);
    if (message.role === 'system' && at > 0) say('system stands behind other messages');
    if (message.role === 'user' && message.content.length === 0) say('an empty user message');
    if (message.role !== 'assistant') return;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0 && (message.content ?? '') === '')
      say('an assistant message without text and calls');
    for (const { id, function: called } of calls) {
      if (id === '' || id.length > 40)
        say(`the call id ${JSON.stringify(id)} is not 1 to 40 characters long`);
      walk.call(id, called.name);
      if (!isJsonObject(called.arguments)) say(`the arguments of ${id} are no JSON object`);
    }
  });
  place = 'messages';
  walk.end();
  return found;
}
