import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { byteFields, entryFields, pathHint, scratchDescriptor, scratchPathInput } from './scratchTool.ts';

/** Source: tool contract, `scratch_list`. */
export function scratchList(scratch: ScratchWorkspace): Tool {
  return defineTool({
    input: z.strictObject({
      path: scratchPathInput.optional().describe(`${pathHint} The whole of scratch when absent.`),
      recursive: z.boolean().optional().describe('Also what lies below; false when absent.'),
    }),
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_list',
      summary:
        "Lists files in scratch, a folder on the user's own machine that all conversations share, with how full it is. No pages: narrow the path.",
      safety: 'locallyReadOnly',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'entries', kind: 'items' },
      presentation: {
        symbol: 'list-tree',
        activity: 'Listing scratch',
        presenterId: 'scratchList',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async execute({ path = '', recursive = false }, { signal }) {
      const { entries, totals } = await scratch.list(path, { recursive }, signal);
      const content = entries.map(({ path: at, kind, bytes, modifiedAt }) => ({
        path: at,
        kind,
        bytes,
        modified_at: new Date(modifiedAt).toISOString(),
      }));
      const fields = { ...byteFields(totals), ...entryFields(totals), entry_quota: totals.fileQuota };
      return { kind: 'success', fields, body: { content } };
    },
  });
}
