import { isFunctionName, isRecord } from './pairing.ts';

export interface OfferedTool {
  readonly name: string;
  readonly parameters: unknown;
}

/** Names that every protocol takes, in sorted order, and schemas that can be meant. */
export function toolViolations(tools: readonly OfferedTool[]): string[] {
  const found: string[] = [];
  tools.forEach((tool, at) => {
    const before = tools[at - 1]?.name;
    if (!isFunctionName(tool.name)) found.push(`tools.${at}: ${tool.name} is no function name`);
    if (before !== undefined && before >= tool.name)
      found.push(`tools.${at}: ${tool.name} behind ${before} is not sorted or not unique`);
    if (!isRecord(tool.parameters) || tool.parameters['type'] !== 'object')
      found.push(`tools.${at}: ${tool.name} takes no object`);
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
