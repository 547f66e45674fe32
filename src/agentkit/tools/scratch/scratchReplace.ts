import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AgentError } from '../../agentError.ts';
import type { ClockPort } from '../../clock.ts';
import { defineTool } from '../../defineTool.ts';
import { countLines } from '../../output/lines.ts';
import { codePoints } from '../../schemas.ts';
import type { ScratchWorkspace, ScratchWritten } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { refuseRedactedMark } from './redactedMark.ts';
import { replacementEdits, type Replacement } from './replacements.ts';
import { contentInput, pathHint, scratchDescriptor, scratchPathInput } from './scratchTool.ts';
import { editText, readText, type TextEdit, type TextFile } from './textFile.ts';
import { unifiedDiff } from './unifiedDiff.ts';

const diffContext = 3;
/** More than the calls that run at once. */
const mostAttempts = 20;

const replacement = z.strictObject({
  old_text: codePoints(131_072)
    .refine((text) => text.trim() !== '', { error: 'must not be blank' })
    .meta({ minLength: 1, maxLength: 131_072 })
    .describe(
      'Text as it stands in the file, or a regular expression with regex (^ and $ per line, (?i) in front).',
    ),
  new_text: contentInput.describe('May be empty. With regex, $1 inserts a group and \\$ is a dollar.'),
  regex: z.boolean().optional(),
  count: z.int().min(0).max(10_000).optional().describe('Absent: exactly one match. 0: all. n: the first n.'),
});

/** Source: tool contract, `scratch_replace`. */
export function scratchReplace(scratch: ScratchWorkspace, clock: ClockPort): Tool {
  return defineTool({
    input: z.strictObject({
      path: scratchPathInput.describe(pathHint),
      replacements: z
        .array(replacement)
        .min(1)
        .max(32)
        .describe('All match the file as it was; all or nothing.'),
    }),
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_replace',
      summary:
        'Edits a text file in scratch and returns the diff. Line endings and a byte order mark stay as they are. Nothing on any host changes.',
      safety: 'locallyContained',
      body: { field: 'diff', kind: 'text' },
      presentation: {
        symbol: 'edit',
        activity: 'Editing a scratch file',
        presenterId: 'scratchDiff',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    async execute({ path, replacements }, { signal }) {
      const { file, edits, bytes, written } = await replace(scratch, { path, replacements, clock, signal });
      const after = readText(bytes, path);
      const diff = unifiedDiff(
        { label: path, text: file.text },
        { label: path, text: after.text },
        diffContext,
      );
      const firstPlace = edits[0]?.start ?? 0;
      const fields = {
        path: written.path,
        edits_applied: replacements.length,
        replacements_applied: edits.length,
        first_changed_line: countLines(file.text.slice(0, firstPlace + 1)),
        bytes: written.bytes,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        line_ending: file.lineEnding,
        total_bytes: written.totals.bytes,
      };
      return { kind: 'success', fields, body: diff ?? { content: '', totalLines: null, hasMore: true } };
    },
  });
}

interface Replaced {
  /** As it was. */
  readonly file: TextFile;
  readonly edits: readonly TextEdit[];
  readonly bytes: Buffer;
  readonly written: ScratchWritten;
}

class ChangedMeanwhile extends Error {}

/** A pattern runs while scratch is free for others, so a file that changed meanwhile is matched again. */
async function replace(
  scratch: ScratchWorkspace,
  request: {
    readonly path: string;
    readonly replacements: readonly Replacement[];
    readonly clock: ClockPort;
    readonly signal: AbortSignal;
  },
): Promise<Replaced> {
  const { path, replacements, signal } = request;
  for (let attempt = 1; ; attempt++) {
    const before = await scratch.read(path, signal);
    const file = readText(before, path);
    const edits = await replacementEdits(file.text, replacements, request);
    const changed = editText(file, edits);
    if (changed === file.raw)
      throw new AgentError('invalidArguments', { problem: 'the replacements change nothing' });
    const bytes = Buffer.from(changed, 'utf8');
    const change = (current: Buffer | undefined): Buffer => {
      if (current === undefined || !current.equals(before)) throw new ChangedMeanwhile();
      refuseRedactedMark(changed, current);
      return bytes;
    };
    try {
      return { file, edits, bytes, written: await scratch.update(path, change, signal) };
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      if (attempt === mostAttempts)
        throw new AgentError('scratchIo', { reason: `${path} is being changed by others all the time` });
    }
  }
}
