import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { refuseRedactedMark } from './redactedMark.ts';
import { byteFields, contentInput, pathHint, scratchDescriptor, scratchPathInput } from './scratchTool.ts';

/** Source: tool contract, `scratch_write`. */
export function scratchWrite(scratch: ScratchWorkspace): Tool {
  return defineTool({
    input: z.strictObject({
      path: scratchPathInput.describe(pathHint),
      content: contentInput.describe('The whole file.'),
    }),
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_write',
      summary:
        'Writes a whole text file in scratch; creates its folders and overwrites. Nothing on any host changes.',
      safety: 'locallyContained',
      presentation: {
        symbol: 'new-file',
        activity: 'Writing a scratch file',
        presenterId: 'scratchFile',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    async execute({ path, content }, { signal }) {
      const bytes = Buffer.from(content, 'utf8');
      const written = await scratch.update(
        path,
        (current) => {
          refuseRedactedMark(content, current);
          return bytes;
        },
        signal,
      );
      const fields = {
        path: written.path,
        bytes: written.bytes,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        created: written.created,
        ...byteFields(written.totals),
      };
      return { kind: 'success', fields };
    },
  });
}
