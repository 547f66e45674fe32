import { parseJsonObject, sortedJson, type JsonObject } from '../json.ts';

const opening = '<untrusted-data>\n';
const closing = '\n</untrusted-data>';

/** How a result object becomes text: inside our tags for a model of ours, or bare for an outside caller (section 20). */
export type Framing = 'envelope' | 'json';

/**
 * The object as compact JSON with sorted keys, with every `</` written `<\/`, so that no content can close the envelope.
 * Source: agent runtime contract, section 8.2.
 */
export function resultText(result: JsonObject, framing: Framing): string {
  const json = sortedJson(result).replaceAll('</', '<\\/');
  return framing === 'envelope' ? opening + json + closing : json;
}

/** UTF-8 bytes of that text; the envelope costs 35. */
export function resultBytes(result: JsonObject, framing: Framing): number {
  return Buffer.byteLength(resultText(result, framing), 'utf8');
}

/** The object inside an enveloped text, for cards; undefined for an error sentence and everything else that is not ours. */
export function readResultText(text: string): JsonObject | undefined {
  if (!text.startsWith(opening) || !text.endsWith(closing)) return undefined;
  return parseJsonObject(text.slice(opening.length, -closing.length));
}
