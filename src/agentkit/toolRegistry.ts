import { sortKeys, isJsonObject } from './json.ts';
import type { ModelCapabilities, ModelTool } from './model.ts';
import type { Tool, ToolDescriptor } from './tool.ts';
import { webSearchTool } from './tools/web/webSearch.ts';

/** `${namespace}.${name}` for tools of an MCP server, otherwise the name. Policies and the order of the list go by it. */
export function qualifiedName(descriptor: ToolDescriptor): string {
  return descriptor.namespace === undefined ? descriptor.name : `${descriptor.namespace}.${descriptor.name}`;
}

/** The tools of a run, fixed. Lists are sorted by qualified name, so the request prefix is byte-stable. */
export interface ToolRegistry {
  readonly tools: readonly Tool[];
  /** By the name the model uses. */
  find(name: string): Tool | undefined;
  /** The schemas for planning and acting; the same in both, because modes are enforced at execution. */
  modelTools(): readonly ModelTool[];
  /** Names that did not fit into a request, in the order given. */
  readonly leftOut: readonly string[];
}

/** More schemas than this in one request are refused by providers. Source: agent runtime contract, section 20. */
export const maxToolsPerRequest = 128;

/**
 * Collects tools in the order built-in, additional, MCP. The first holder of a name keeps it, so an additional tool never shadows
 * a built-in one and a remote tool shadows neither. MCP tools come in the user's server order and fill what is left of the limit.
 * Source: agent runtime contract, sections 1, 2 and 20; seed 1, "AgentToolCatalog".
 */
export function createToolRegistry(groups: {
  readonly builtIn: readonly Tool[];
  readonly additional: readonly Tool[];
  readonly mcp?: readonly Tool[];
}): ToolRegistry {
  const byName = new Map<string, Tool>();
  const leftOut: string[] = [];
  for (const tool of [...groups.builtIn, ...groups.additional])
    if (!byName.has(tool.descriptor.name)) byName.set(tool.descriptor.name, tool);
  for (const tool of groups.mcp ?? []) {
    if (byName.has(tool.descriptor.name)) continue;
    if (byName.size < maxToolsPerRequest) byName.set(tool.descriptor.name, tool);
    else leftOut.push(tool.descriptor.name);
  }
  const tools = [...byName.values()].sort(byQualifiedName);
  const modelTools = tools.filter(({ descriptor }) => !isForReviewsOnly(descriptor)).map(toModelTool);
  return { tools, find: (name) => byName.get(name), modelTools: () => modelTools, leftOut };
}

/** What a model can use: nothing where it calls no tools, and no search of ours where its provider searches. Source: section 3.1; tool contract, section 7. */
export function toolsFor(registry: ToolRegistry, { tools, nativeSearch }: ModelCapabilities): ToolRegistry {
  if (!tools) return noTools;
  if (nativeSearch !== true || registry.find(webSearchTool) === undefined) return registry;
  return {
    tools: registry.tools.filter(({ descriptor }) => descriptor.name !== webSearchTool),
    find: (name) => (name === webSearchTool ? undefined : registry.find(name)),
    modelTools: () => registry.modelTools().filter(({ name }) => name !== webSearchTool),
    leftOut: registry.leftOut,
  };
}

/** The registry of a model without tool capability. */
const noTools: ToolRegistry = createToolRegistry({ builtIn: [], additional: [] });

function byQualifiedName(a: Tool, b: Tool): number {
  const [left, right] = [qualifiedName(a.descriptor), qualifiedName(b.descriptor)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function isForReviewsOnly(descriptor: ToolDescriptor): boolean {
  return descriptor.modes.every((mode) => mode === 'reviewing');
}

/** A tool as a request offers it, with sorted keys. */
export function toModelTool({ descriptor }: Tool): ModelTool {
  const schema = sortKeys(descriptor.inputSchema);
  return {
    name: descriptor.name,
    description: descriptor.summary,
    inputSchema: isJsonObject(schema) ? schema : {},
  };
}
