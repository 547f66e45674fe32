import { chatRequest, type ChatMessage, type ChatRequest, type ChatTool } from './chatCompletions.ts';

export type CheckedRequest =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly violations: readonly string[] };

/**
 * Checks a posted body against what a strict server refuses and what the agent runtime promises about each request.
 * Source: agent runtime contract, sections 2 and 7; the API reference of Chat Completions.
 */
export function checkChatRequest(body: unknown): CheckedRequest {
  const parsed = chatRequest.safeParse(body);
  if (!parsed.success)
    return {
      ok: false,
      violations: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    };
  const request = parsed.data;
  const violations = [
    ...streamViolations(request),
    ...historyViolations(request.messages),
    ...toolViolations(request.tools ?? []),
  ];
  return violations.length === 0 ? { ok: true, request } : { ok: false, violations };
}

function streamViolations(request: ChatRequest): string[] {
  const found: string[] = [];
  if (request.stream !== true) found.push('stream: the runtime always streams');
  if (request.stream_options?.include_usage !== true) found.push('stream_options: usage was not asked for');
  return found;
}

/** Walks the history with the calls that still wait for their result. */
function historyViolations(messages: readonly ChatMessage[]): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  let waiting: string[] = [];
  messages.forEach((message, at) => {
    const say = (problem: string): void => void found.push(`messages.${at}: ${problem}`);
    if (message.role === 'tool') {
      const expected = waiting.shift();
      if (expected === undefined) say(`a result for ${message.tool_call_id} without a call in front of it`);
      else if (expected !== message.tool_call_id)
        say(`a result for ${message.tool_call_id} where that of ${expected} is due`);
      return;
    }
    if (waiting.length > 0) say(`${message.role} comes before the result of ${waiting.join(', ')}`);
    waiting = [];
    if (message.role === 'system' && at > 0) say('system stands behind other messages');
    if (message.role === 'user' && message.content.length === 0) say('an empty user message');
    if (message.role !== 'assistant') return;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0 && (message.content ?? '') === '')
      say('an assistant message without text and calls');
    for (const { id, function: called } of calls) {
      if (id === '' || id.length > 40)
        say(`the call id ${JSON.stringify(id)} is not 1 to 40 characters long`);
      if (seen.has(id)) say(`the call id ${id} was used before`);
      seen.add(id);
      waiting.push(id);
      if (!isJsonObject(called.arguments)) say(`the arguments of ${id} are no JSON object`);
    }
  });
  if (waiting.length > 0) found.push(`messages: nothing answers ${waiting.join(', ')}`);
  return found;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function toolViolations(tools: readonly ChatTool[]): string[] {
  const found: string[] = [];
  tools.forEach(({ function: tool }, at) => {
    const before = tools[at - 1]?.function.name;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name)) found.push(`tools.${at}: ${tool.name} is no function name`);
    if (before !== undefined && before >= tool.name)
      found.push(`tools.${at}: ${tool.name} behind ${before} is not sorted or not unique`);
    if (tool.parameters['type'] !== 'object') found.push(`tools.${at}: ${tool.name} takes no object`);
    found.push(...schemaViolations(tool.parameters, `tools.${at}: ${tool.name}`));
  });
  return found;
}

const schemaTypes = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Whether a schema can be meant at all: known types, required members that exist, members that are schemas. */
function schemaViolations(schema: unknown, place: string): string[] {
  if (!isRecord(schema)) return [`${place}: no schema`];
  const { type, properties, required, items } = schema;
  const found: string[] = [];
  const types: unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  for (const one of types)
    if (typeof one !== 'string' || !schemaTypes.has(one)) found.push(`${place}: unknown type ${String(one)}`);
  if (schema['enum'] !== undefined && !(Array.isArray(schema['enum']) && schema['enum'].length > 0))
    found.push(`${place}: an empty enum`);
  if (properties !== undefined && !isRecord(properties))
    return [...found, `${place}: properties is no object`];
  const members = isRecord(properties) ? properties : {};
  const missing = (Array.isArray(required) ? required : []).filter((name) => !(String(name) in members));
  if (missing.length > 0) found.push(`${place}: required but not described: ${missing.join(', ')}`);
  for (const [name, member] of Object.entries(members))
    found.push(...schemaViolations(member, `${place}.${name}`));
  if (items !== undefined) found.push(...schemaViolations(items, `${place}[]`));
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
