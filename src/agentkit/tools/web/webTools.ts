import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { fetchTool } from './fetchTool.ts';
import { scratchFetch } from './scratchFetch.ts';
import type { SearchPort, WebPorts } from './webPorts.ts';
import { webSearch } from './webSearch.ts';

/** The built-in group `web`. What is not there contributes no tool. Source: agent runtime contract, section 1. */
export function webTools(ports: {
  readonly web?: WebPorts | undefined;
  readonly scratch: ScratchWorkspace;
  readonly search?: SearchPort | undefined;
}): readonly Tool[] {
  const { web, scratch, search } = ports;
  return [
    ...(web === undefined ? [] : [fetchTool(web), scratchFetch(web, scratch)]),
    ...(search === undefined ? [] : [webSearch(search)]),
  ];
}
