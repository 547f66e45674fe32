import { sortedJson, toJsonObject } from '../json.ts';

/**
 * The same body with sorted keys at every level and nothing absent, so that the same history is the same bytes.
 * Source: agent runtime contract, section 2.
 */
export function sortedBody<T extends object>(body: T): T {
  return JSON.parse(sortedJson(toJsonObject(body))) as T;
}
