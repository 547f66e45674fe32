import { parseJsonObject, type JsonObject } from '../json.ts';
import type { Message } from '../message.ts';
import type { ModelItem } from '../model.ts';
import { resultText } from '../output/envelope.ts';

/** Stands for a handle wherever it must not be. */
export const expiredHandle = 'expired';

export const userSecretTool = 'request_user_secret';
/** The argument under which a tool takes a handle. */
const handleField = 'secret_handle';

/** What a tool that asked for a secret answers while its run goes on. */
export function secretResultFields(handle: string): JsonObject {
  return { [handleField]: handle, single_use: true };
}

const expiredText = resultText(secretResultFields(expiredHandle), 'envelope');

/**
 * The message as it is stored and logged and as later runs send it: a handle is good in its run only, so it is never in a store.
 * Source: agent runtime contract, sections 3.1 (step 2) and 13.
 */
export function withExpiredSecrets<T extends Message | ModelItem>(message: T): T {
  if (message.role === 'tool' && message.toolName === userSecretTool && !message.isError)
    return { ...message, text: expiredText };
  if (message.role !== 'assistant') return message;
  const calls = message.calls.map((call) => ({
    ...call,
    argumentsText: withoutHandleArgument(call.argumentsText),
  }));
  return { ...message, calls };
}

/** The same bytes unless the arguments hold a handle. */
function withoutHandleArgument(argumentsText: string): string {
  const parsed = parseJsonObject(argumentsText);
  if (parsed === undefined || !(handleField in parsed)) return argumentsText;
  return JSON.stringify(withoutHandle(parsed));
}

/** The arguments of a call as cards and stores get them. */
export function withoutHandle(args: JsonObject): JsonObject {
  if (!(handleField in args)) return args;
  const { [handleField]: _, ...rest } = args;
  return rest;
}
