import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { pathHint, scratchDescriptor, scratchPathInput } from './scratchTool.ts';
import { readText } from './textFile.ts';
import { unifiedDiff } from './unifiedDiff.ts';

/** Source: tool contract, `scratch_diff`. */
export function scratchDiff(scratch: ScratchWorkspace): Tool {
  return defineTool({
    input: z.strictObject({
      path_a: scratchPathInput.describe(pathHint),
      path_b: scratchPathInput.describe(pathHint),
      context: z.int().min(0).max(20).optional().describe('Equal lines around each change; 3 when absent.'),
    }),
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_diff',
      summary:
        'Compares two text files in scratch as a unified diff of whole hunks. Line endings are not compared: see identical and line_ending_a, line_ending_b.',
      safety: 'locallyReadOnly',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'diff', kind: 'text' },
      presentation: {
        symbol: 'diff',
        activity: 'Comparing scratch files',
        presenterId: 'scratchDiff',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async execute({ path_a, path_b, context = 3 }, { signal }) {
      const [a, b] = [await scratch.read(path_a, signal), await scratch.read(path_b, signal)];
      const [textA, textB] = [readText(a, path_a), readText(b, path_b)];
      const body = unifiedDiff(
        { label: path_a, text: textA.text },
        { label: path_b, text: textB.text },
        context,
      );
      if (body === undefined)
        return {
          kind: 'failure',
          sentence:
            'More than 10000 lines differ. Compare parts of the files, or read them with scratch_read.',
        };
      const fields = {
        path_a,
        path_b,
        identical: a.equals(b),
        line_ending_a: textA.lineEnding,
        line_ending_b: textB.lineEnding,
      };
      return { kind: 'success', fields, body };
    },
  });
}
