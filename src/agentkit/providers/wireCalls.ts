import { createHash } from 'node:crypto';
import { callId, type CallId } from '../ids.ts';
import { parseJsonObject, type Json, type JsonObject } from '../json.ts';

/**
 * The ids in one answer, where the place of a call tells it from the others: servers that borrow a protocol leave ids empty or repeat them,
 * and such a call gets its own from the runtime.
 */
export class AnswerCallIds {
  readonly #places = new Map<string, number>();

  /** The member `id` of an event about the call at this place, when the id is that call's own. */
  of(id: string | null | undefined, place: number): { readonly id?: CallId } {
    if (!id) return {};
    const owner = this.#places.get(id) ?? place;
    this.#places.set(id, owner);
    return owner === place ? { id: callId(id) } : {};
  }
}

/**
 * The id of a call where a protocol bounds it: as it is when it fits, otherwise one made of its digest. Other providers and people's servers
 * have ids of any length and letter; a call and its result come out the same.
 */
export function wireCallId(id: string, fits: RegExp): string {
  if (fits.test(id)) return id;
  return `call_${createHash('sha256').update(id, 'utf8').digest('hex').slice(0, 32)}`;
}

/** The arguments as text where the protocol sends text, and where a server sent the value itself. */
export function argumentsText(args: Json | undefined): string {
  if (args === undefined || args === null) return '';
  return typeof args === 'string' ? args : JSON.stringify(args);
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
