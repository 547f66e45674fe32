import { parseJsonObject, sortedJson } from './json.ts';
import type { AssistantMessage, UserMessage } from './message.ts';
import type { Redactor } from './redactor.ts';

/** The message as it is stored and replayed. Ids, tool messages and provider items are left alone: they are frozen or opaque. */
export function redactMessage<T extends UserMessage | AssistantMessage>(message: T, redactor: Redactor): T;
export function redactMessage(
  message: UserMessage | AssistantMessage,
  redactor: Redactor,
): UserMessage | AssistantMessage {
  const text = redactor.redact(message.text);
  if (message.role === 'user') return { ...message, text, context: redactor.redactJson(message.context) };
  return {
    ...message,
    text,
    reasoning: redactor.redact(message.reasoning),
    calls: message.calls.map((call) => ({
      ...call,
      argumentsText: redactArguments(call.argumentsText, redactor),
    })),
    ...(message.searches && {
      searches: message.searches.map(({ query, detail }) => ({
        query: redactor.redact(query),
        detail: redactor.redactJson(detail),
      })),
    }),
  };
}

/** Arguments keep their exact bytes unless something in them is a secret. */
export function redactArguments(argumentsText: string, redactor: Redactor): string {
  const parsed = parseJsonObject(argumentsText);
  if (parsed === undefined) return redactor.redact(argumentsText);
  const redacted = redactor.redactJson(parsed);
  return sortedJson(redacted) === sortedJson(parsed) ? argumentsText : JSON.stringify(redacted);
}
