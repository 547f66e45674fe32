import type { Json, JsonObject } from '../json.ts';
import { jsonBytes } from './itemsBody.ts';

const outcomeFields: ReadonlySet<string> = new Set(['id', 'host', 'status', 'exit_code', 'signal']);
const givenPaths = /^(?:from|to|(?:.*_)?path(?:_.*)?)$/;

/** Ids, the host, paths the caller gave and how it ended; the tools' schemas bound each of them. */
function isKept(name: string): boolean {
  return outcomeFields.has(name) || name.endsWith('_id') || givenPaths.test(name);
}

/**
 * Drops metadata until `excess` is not positive: the `droppable` fields in their order, then other metadata by size, largest
 * first, ties by name. Ids, `host`, given paths, `status`, `exit_code` and `signal` go only when nothing else is left and the rest
 * still exceeds the ceiling, which a tool that keeps to its own bounds never causes. What went is named in `omitted_fields`, as
 * many names as fit. Source: agent runtime contract, section 8.6.
 *
 * `excess` says by how many bytes the result with these metadata is too large.
 */
export function dropOversize(
  fields: JsonObject,
  droppable: readonly string[],
  excess: (fields: JsonObject) => number,
): JsonObject {
  if (excess(fields) <= 0) return fields;
  const kept = new Map<string, Json>(Object.entries(fields));
  const omitted: string[] = [];
  for (const name of dropOrder(fields, droppable)) {
    kept.delete(name);
    omitted.push(name);
    const reduced = { ...Object.fromEntries(kept), omitted_fields: omitted };
    if (excess(reduced) <= 0) return reduced;
  }
  while (omitted.length > 0 && excess({ omitted_fields: omitted }) > 0) omitted.pop();
  return { omitted_fields: omitted };
}

function dropOrder(fields: JsonObject, droppable: readonly string[]): readonly string[] {
  const first = droppable.filter((name) => Object.hasOwn(fields, name));
  const bySize = Object.entries(fields)
    .filter(([name]) => !first.includes(name))
    .map(([name, value]) => ({ name, bytes: jsonBytes(value), kept: isKept(name) }))
    .sort((a, b) => Number(a.kept) - Number(b.kept) || b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  return [...first, ...bySize.map(({ name }) => name)];
}
