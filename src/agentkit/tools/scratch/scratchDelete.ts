import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { entryFields, pathHint, scratchDescriptor, scratchPathInput } from './scratchTool.ts';

/** Source: tool contract, `scratch_delete`. */
export function scratchDelete(scratch: ScratchWorkspace): Tool {
  return defineTool({
    input: z.strictObject({
      path: scratchPathInput.describe(pathHint),
      kind: z.enum(['file', 'directory']).describe('What it is; anything else is refused.'),
    }),
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_delete',
      summary: 'Deletes one file or one empty folder in scratch.',
      safety: 'locallyContained',
      presentation: {
        symbol: 'trash',
        activity: 'Deleting in scratch',
        presenterId: 'scratchFile',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    async execute({ path, kind }, { signal }) {
      const totals = await scratch.delete(path, { kind }, signal);
      return { kind: 'success', fields: { path, kind, deleted: true, ...entryFields(totals) } };
    },
  });
}
