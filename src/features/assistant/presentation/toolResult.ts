import type { Json, JsonObject } from '../../../agentkit/index.ts';

/** The frozen text of a call, read for a card. A sentence is what a failed call was answered with. */
export type ToolResult =
  | { readonly kind: 'fields'; readonly fields: JsonObject }
  | { readonly kind: 'sentence'; readonly text: string };

const opening = '<untrusted-data>\n';
const closing = '\n</untrusted-data>';

/** Reads the envelope. Whatever is not one is a sentence. Source: agent runtime contract, section 8.2. */
export function readResult(frozenText: string): ToolResult {
  if (frozenText.startsWith(opening) && frozenText.endsWith(closing)) {
    const fields = parseObject(frozenText.slice(opening.length, -closing.length));
    if (fields !== undefined) return { kind: 'fields', fields };
  }
  return { kind: 'sentence', text: frozenText };
}

/** Fields as a frozen text, for what no call answered and is shown like a call. */
export function envelopeOf(fields: JsonObject): string {
  return opening + JSON.stringify(fields) + closing;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null && !isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The retained text of a result: one section, or two when it was cut in the middle. Empty when the tool has no body. */
export interface ResultBody {
  readonly sections: readonly string[];
  readonly marker: string | undefined;
  readonly fullOutputPath: string | undefined;
}

/** Fields that hold a text body, in the order in which a result is searched. Source: tools.md section 2. */
const textFields = ['output', 'content', 'text', 'diff', 'plan'];

export function resultBody(fields: JsonObject): ResultBody {
  const name =
    textFields.find((field) => typeof fields[field] === 'string') ??
    Object.keys(fields).find((field) => isArray(fields[field] ?? null));
  const sections = name === undefined ? [] : [fields[name], fields[`${name}_tail`]].map(sectionText);
  return {
    sections: sections.filter((text) => text !== ''),
    marker: textOf(fields, 'marker'),
    fullOutputPath: textOf(fields, 'full_output_path'),
  };
}

function sectionText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value !== undefined && isArray(value) ? value.map((item) => `${itemLine(item)}\n`).join('') : '';
}

/** One list item on one line: its own words where it has them, otherwise its JSON. */
function itemLine(item: Json): string {
  if (typeof item === 'string') return item;
  if (typeof item !== 'object' || item === null || isArray(item)) return JSON.stringify(item);
  const label =
    textOf(item, 'label') ?? textOf(item, 'path') ?? textOf(item, 'name') ?? textOf(item, 'command');
  if (label === undefined) return JSON.stringify(item);
  const user = textOf(item, 'user');
  const address = textOf(item, 'address');
  const facts = [
    address === undefined ? undefined : user === undefined ? address : `${user}@${address}`,
    textOf(item, 'tier'),
    textOf(item, 'status'),
    typeof item['bytes'] === 'number' ? `${item['bytes']} B` : undefined,
  ];
  return [label, ...facts.filter((fact) => fact !== undefined)].join('  ');
}

/** The value of a text field; undefined when it is absent or something else. */
export function textOf(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** The value of a number field; undefined when it is absent or something else. */
export function numberOf(fields: JsonObject, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
}

/** `label` of the `host` field. */
export function hostLabelOf(fields: JsonObject): string | undefined {
  const host = fields['host'];
  if (host === undefined || typeof host !== 'object' || host === null || isArray(host)) return undefined;
  return textOf(host, 'label');
}
