/** A JSON value. `null` exists at this boundary only; inside, absent is `undefined`. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** JSON Schema as the providers take it. Ours are printed from zod; those of MCP servers arrive as data. */
export type JsonSchema = JsonObject;

/** Compact JSON with keys sorted by UTF-16 code unit at every level. Source: agent runtime contract, sections 2 and 8.2. */
export function sortedJson(value: Json): string {
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const object = value as JsonObject;
  const sorted: Record<string, Json> = Object.create(null) as Record<string, Json>;
  for (const key of Object.keys(object).sort()) sorted[key] = sortKeys(object[key] as Json);
  return sorted;
}
