import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { pathHint, scratchDescriptor, scratchPathInput, transferFields } from './scratchTool.ts';

const input = z.strictObject({
  from: scratchPathInput.describe(pathHint),
  to: scratchPathInput.describe('The whole new path, not the folder to put it in.'),
  overwrite: z.boolean().optional().describe('Replaces a file at the target; false when absent.'),
});

/** Source: tool contract, `scratch_copy`. */
export function scratchCopy(scratch: ScratchWorkspace): Tool {
  return defineTool({
    input,
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_copy',
      summary: 'Copies a file or folder within scratch. A folder at the target is never replaced.',
      safety: 'locallyContained',
      presentation: {
        symbol: 'copy',
        activity: 'Copying in scratch',
        presenterId: 'scratchTransfer',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    async execute({ from, to, overwrite = false }, { signal }) {
      return { kind: 'success', fields: transferFields(await scratch.copy({ from, to, overwrite }, signal)) };
    },
  });
}

/** Source: tool contract, `scratch_move`. */
export function scratchMove(scratch: ScratchWorkspace): Tool {
  return defineTool({
    input,
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_move',
      summary: 'Moves or renames a file or folder within scratch, also when scratch is full.',
      safety: 'locallyContained',
      presentation: {
        symbol: 'arrow-right',
        activity: 'Moving in scratch',
        presenterId: 'scratchTransfer',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    async execute({ from, to, overwrite = false }, { signal }) {
      return { kind: 'success', fields: transferFields(await scratch.move({ from, to, overwrite }, signal)) };
    },
  });
}
