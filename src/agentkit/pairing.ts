import { toolResultMessageId } from './ids.ts';
import type { AssistantMessage, Message, ToolCall, ToolMessage } from './message.ts';
import { callTexts } from './plannedCall.ts';

/**
 * Makes every assistant message with calls be followed directly by exactly one result per call, in call order: results move to their
 * call, calls nobody answered get the sentence that the outcome is unknown, a second result for a call and a result without a call
 * are dropped. A history that is already so comes back equal. Providers refuse everything else, and after a crash the process may
 * have died behind the dispatch, which is why the sentence never says that nothing ran.
 * Source: agent runtime contract, section 7, step 1; seed 1.
 */
export function pairCalls(messages: readonly Message[]): readonly Message[] {
  const results = resultsByCall(messages);
  return messages.flatMap((message): readonly Message[] => {
    switch (message.role) {
      case 'user':
        return [message];
      case 'tool':
        return [];
      case 'assistant':
        return [
          message,
          ...message.calls.map((call) => results.take(message, call) ?? unanswered(message, call)),
        ];
    }
  });
}

/** The answer to a call whose process died before it was answered. Its id is the one the real answer would have had. */
export function unanswered(message: AssistantMessage, call: ToolCall): ToolMessage {
  return {
    role: 'tool',
    id: toolResultMessageId(message.runId, call.id),
    runId: message.runId,
    createdAt: message.createdAt,
    callId: call.id,
    toolName: call.name,
    text: callTexts.unknown,
    isError: true,
    outcome: 'unknown',
  };
}

function resultsByCall(messages: readonly Message[]): {
  take(message: AssistantMessage, call: ToolCall): ToolMessage | undefined;
} {
  const waiting = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (message.role !== 'tool') continue;
    const key = `${message.runId} ${message.callId}`;
    if (!waiting.has(key)) waiting.set(key, message);
  }
  return {
    take(message, call) {
      const key = `${message.runId} ${call.id}`;
      const result = waiting.get(key);
      waiting.delete(key);
      return result;
    },
  };
}
