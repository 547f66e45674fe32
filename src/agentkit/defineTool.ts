import { z } from 'zod';
import { isJsonObject, parseJsonObject, sortKeys, toJsonObject, type Json, type JsonObject } from './json.ts';
import type { Tool, ToolDefinition } from './tool.ts';

/**
 * Makes a tool of one strict zod object: the object checks the arguments and prints the schema, so the two cannot differ.
 * The schema uses only the keywords of the agent runtime contract, section 1, plus `description`, with sorted keys. Throws when
 * the object needs another structure (unions, records, nullable members) or allows unknown members: a programming error.
 */
export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  const { input, descriptor } = definition;
  const inputSchema = printSchema(input, descriptor.name);
  return {
    descriptor: { modes: ['planning', 'acting'], concurrency: 'sequential', ...descriptor, inputSchema },
    validate(raw) {
      const result = input.safeParse(withoutOptionalNulls(raw, inputSchema));
      if (result.success) return { ok: true, value: toJsonObject(result.data) };
      return { ok: false, problem: describeIssues(result.error.issues) };
    },
    ...(definition.preflight && {
      preflight: async (args, context) => (await definition.preflight?.(input.parse(args), context)) ?? {},
    }),
    execute: async (args, context) => definition.execute(input.parse(args), context),
  };
}

const keywords: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'required',
  'additionalProperties',
  'properties',
  'items',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'description',
]);
/** Checked by zod alone and left out of the schema: they refine a value and never change its structure. */
const refinements: ReadonlySet<string> = new Set([
  '$schema',
  'default',
  'format',
  'pattern',
  'minItems',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);

function printSchema(input: z.ZodObject, toolName: string): JsonObject {
  const printed = parseJsonObject(JSON.stringify(z.toJSONSchema(input, { io: 'input' })));
  const schema = printed && sortKeys(keepKeywords(printed, toolName));
  if (!isJsonObject(schema)) throw new Error(`${toolName}: the input has no JSON Schema`);
  return schema;
}

function keepKeywords(node: JsonObject, path: string): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === 'const') kept['enum'] = [value];
    else if (key === 'properties' && isJsonObject(value)) kept[key] = keepProperties(value, path);
    else if (key === 'items' && isJsonObject(value)) kept[key] = keepKeywords(value, `${path}[]`);
    else if (keywords.has(key)) kept[key] = value;
    else if (!refinements.has(key)) throw new Error(`${path}: the schema keyword "${key}" is not supported`);
  }
  if (typeof kept['type'] !== 'string') throw new Error(`${path}: a schema names exactly one type`);
  if (kept['type'] === 'object' && kept['additionalProperties'] !== false)
    throw new Error(`${path}: an object schema refuses unknown members`);
  dropSafeIntegerBounds(kept);
  return kept;
}

function keepProperties(properties: JsonObject, path: string): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (!isJsonObject(schema)) throw new Error(`${path}.${name}: not a schema`);
    kept[name] = keepKeywords(schema, `${path}.${name}`);
  }
  return kept;
}

/** zod prints the safe integer range for every integer; it says nothing to a model. */
function dropSafeIntegerBounds(schema: Record<string, Json>): void {
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
}

/** `null` for an optional property counts as omitted, at every level; a required property is never null. */
function withoutOptionalNulls(value: Json, schema: JsonObject): Json {
  const { items } = schema;
  if (Array.isArray(value) && isJsonObject(items))
    return value.map((item: Json) => withoutOptionalNulls(item, items));
  const properties = schema['properties'];
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  // Without a prototype, so that a member `__proto__` is one more unknown member and not where the others come from.
  const kept = Object.create(null) as Record<string, Json>;
  for (const [name, member] of Object.entries(value)) {
    const known = properties[name];
    if (member === null && known !== undefined && !required.includes(name)) continue;
    kept[name] = isJsonObject(known) ? withoutOptionalNulls(member, known) : member;
  }
  return kept;
}

const shownIssues = 3;

/** `command: must have at most 32768 bytes in UTF-8; env[0].name: …`. Names where and what, never the value. */
function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .slice(0, shownIssues)
    .map((issue) => {
      const where = issue.path.map((part) =>
        typeof part === 'number' ? `[${String(part)}]` : `.${String(part)}`,
      );
      const path = where.join('').replace(/^\./, '');
      return path === '' ? issue.message : `${path}: ${issue.message}`;
    })
    .join('; ');
}
