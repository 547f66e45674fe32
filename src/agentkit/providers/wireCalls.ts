import { createHash } from 'node:crypto';
import { parseJsonObject, type JsonObject } from '../json.ts';

/**
 * The id of a call where a protocol bounds it: as it is when it fits, otherwise one made of its digest. Other providers and people's servers
 * have ids of any length and letter; a call and its result come out the same.
 */
export function wireCallId(id: string, fits: RegExp): string {
  if (fits.test(id)) return id;
  return `call_${createHash('sha256').update(id, 'utf8').digest('hex').slice(0, 32)}`;
}

/**
 * The arguments of a call as they were made, when they are one JSON object. Providers parse them and refuse the whole request otherwise, so
 * broken text travels inside an object.
 */
export function wireArguments(argumentsText: string): string {
  if (argumentsText.trim() === '') return '{}';
  return parseJsonObject(argumentsText) === undefined ? JSON.stringify(broken(argumentsText)) : argumentsText;
}

/** The same for a protocol that takes the object itself. */
export function wireInput(argumentsText: string): JsonObject {
  if (argumentsText.trim() === '') return {};
  return parseJsonObject(argumentsText) ?? broken(argumentsText);
}

function broken(argumentsText: string): JsonObject {
  return { invalid_arguments: argumentsText };
}
