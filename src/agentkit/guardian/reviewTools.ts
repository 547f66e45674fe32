import { createHash } from 'node:crypto';
import { sortedJson } from '../json.ts';
import type { ModelTool } from '../model.ts';
import { createToolRegistry, toModelTool, type ToolRegistry } from '../toolRegistry.ts';

/** What a reviewer may use: the tools that are declared read-only and registered for reviews, and no others. */
export function reviewTools(registry: ToolRegistry): ToolRegistry {
  const additional = registry.tools.filter(
    ({ descriptor }) =>
      descriptor.modes.includes('reviewing') &&
      descriptor.safety === 'locallyReadOnly' &&
      descriptor.alwaysAskUser !== true,
  );
  return createToolRegistry({ builtIn: [], additional });
}

/** Their schemas, those of tools that only reviews have included. */
export function reviewModelTools({ tools }: ToolRegistry): readonly ModelTool[] {
  return tools.map(toModelTool);
}

/** Names a tool set: histories of reviews belong to one. */
export function toolSetMark(tools: readonly ModelTool[]): string {
  const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return createHash('sha256').update(sortedJson(listed), 'utf8').digest('hex');
}
