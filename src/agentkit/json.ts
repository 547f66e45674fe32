/** A JSON value. `null` exists at this boundary only; inside, absent is `undefined`. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** JSON Schema as the providers take it. Ours are printed from zod; those of MCP servers arrive as data. */
export type JsonSchema = JsonObject;

/** Compact JSON with keys sorted by UTF-16 code unit at every level. Source: agent runtime contract, sections 2 and 8.2. */
export function sortedJson(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${sortedJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

/** The same value with keys in that order, so that whoever prints it prints the same bytes; only keys like `10` keep the language's order. */
export function sortKeys(value: Json): Json {
  if (isJsonArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const sorted: Record<string, Json> = Object.create(null) as Record<string, Json>;
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys(value[key] ?? null);
  return sorted;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The object as JSON would carry it: absent members are gone, nothing is shared with the original. */
export function toJsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Whoever walks over a value, here and in SDKs, goes one call deeper with each level. */
const deepest = 128;

/** Parses text that must hold one JSON object; undefined when it is anything else, or nested deeper than 128 levels. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) && isWithin(value, deepest) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member: Json) => isWithin(member, levels - 1));
}
