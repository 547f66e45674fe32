import { z } from 'zod';
import { AgentError } from '../../agentError.ts';
import { defineTool } from '../../defineTool.ts';
import { countLines } from '../../output/lines.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { pathHint, scratchDescriptor, scratchPathInput } from './scratchTool.ts';
import { readText } from './textFile.ts';

const pageLines = 2_000;

/** Source: tool contract, `scratch_read`. */
export function scratchRead(scratch: ScratchWorkspace): Tool {
  return defineTool({
    input: z.strictObject({
      path: scratchPathInput.describe(pathHint),
      offset: z.int().min(1).max(10_000_000).optional().describe('First line, from 1; 1 when absent.'),
      limit: z.int().min(1).max(pageLines).optional().describe(`Lines; ${pageLines} when absent.`),
    }),
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_read',
      summary:
        'Reads lines of a UTF-8 text file in scratch. Continue with offset = next_offset. A line that is too long to be shown is named in skipped_line.',
      safety: 'locallyReadOnly',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'content', kind: 'text', paging: 'next_offset' },
      presentation: {
        symbol: 'file',
        activity: 'Reading a scratch file',
        presenterId: 'scratchFile',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async execute({ path, offset = 1, limit = pageLines }, { signal }) {
      const bytes = await scratch.read(path, signal);
      const { text, lineEnding } = readText(bytes, path);
      const totalLines = countLines(text);
      if (offset > Math.max(1, totalLines))
        throw new AgentError('offsetPastEnd', { offset: String(offset), total: String(totalLines) });
      const content = linesFrom(text, offset, limit);
      return {
        kind: 'success',
        fields: { path, bytes: bytes.length, offset, line_ending: lineEnding },
        body: {
          content,
          firstLine: offset,
          totalLines,
          hasMore: offset - 1 + countLines(content) < totalLines,
        },
      };
    },
  });
}

function linesFrom(text: string, offset: number, limit: number): string {
  const start = skipLines(text, 0, offset - 1);
  return text.slice(start, skipLines(text, start, limit));
}

function skipLines(text: string, from: number, lines: number): number {
  let position = from;
  for (let skipped = 0; skipped < lines; skipped++) {
    const lineFeed = text.indexOf('\n', position);
    if (lineFeed < 0) return text.length;
    position = lineFeed + 1;
  }
  return position;
}
