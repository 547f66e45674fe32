import { z } from 'zod';
import { AgentError } from '../../agentError.ts';
import type { ClockPort } from '../../clock.ts';
import { defineTool } from '../../defineTool.ts';
import type { JsonObject } from '../../json.ts';
import { codePoints } from '../../schemas.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { shownMatches } from './matchPreview.ts';
import { parsePattern, PatternRunner, type Pattern, type PatternMatch } from './patternRunner.ts';
import { pathHint, scratchDescriptor, scratchPathInput } from './scratchTool.ts';
import { decodeText } from './textFile.ts';

const usualMatches = 20;

const input = z.strictObject({
  query: codePoints(4_096)
    .refine((text) => text.trim() !== '', { error: 'must not be blank' })
    .refine((text) => !/[\r\n]/.test(text), { error: 'must be one line' })
    .meta({ minLength: 1, maxLength: 4_096 })
    .describe('Text to find, or a regular expression with regex.'),
  path: scratchPathInput
    .optional()
    .describe(`${pathHint} A file or a folder; the whole of scratch when absent.`),
  regex: z.boolean().optional().describe('The query is a regular expression; false when absent.'),
  case_sensitive: z
    .boolean()
    .optional()
    .describe('When absent: true only when the query has a capital letter.'),
  limit: z.int().min(1).max(100).optional().describe(`Matches shown; ${usualMatches} when absent.`),
});

/** Source: tool contract, `scratch_search`. */
export function scratchSearch(scratch: ScratchWorkspace, clock: ClockPort): Tool {
  return defineTool({
    input,
    descriptor: {
      ...scratchDescriptor,
      name: 'scratch_search',
      summary:
        'Finds lines in the text files of scratch, folders with all they hold. One match a line, with a preview around it. No pages: narrow the query or the path, or use scratch_read.',
      safety: 'locallyReadOnly',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'matches', kind: 'items' },
      presentation: {
        symbol: 'search',
        activity: 'Searching scratch',
        presenterId: 'scratchSearch',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async execute(args, { signal }) {
      const pattern = patternOf(args);
      const search = args.regex === true ? new PatternSearch(pattern, clock) : new TextSearch(pattern);
      const limit = args.limit ?? usualMatches;
      const matches: JsonObject[] = [];
      const counts = { matching_lines: 0, searched_files: 0, skipped_binary_files: 0 };
      try {
        for (const path of await filesAt(scratch, args.path ?? '', signal)) {
          const text = textOf(await scratch.read(path, signal));
          if (text === undefined) {
            counts.skipped_binary_files++;
            continue;
          }
          counts.searched_files++;
          const found = await search.matches(text, signal);
          counts.matching_lines += found.length;
          matches.push(...shownMatches(path, text, found.slice(0, limit - matches.length)));
        }
      } finally {
        search.dispose();
      }
      return {
        kind: 'success',
        fields: { ...counts, case_sensitive: pattern.isCaseSensitive },
        body: {
          content: matches,
          totalLines: counts.matching_lines,
          hasMore: matches.length < counts.matching_lines,
        },
      };
    },
  });
}

function patternOf(args: z.output<typeof input>): Pattern {
  const { query, regex = false } = args;
  const letters = regex ? query.replace(/\\./gs, '') : query;
  const isCaseSensitive = args.case_sensitive ?? /\p{Lu}/u.test(letters);
  const pattern = parsePattern(regex ? query : escapeLiteral(query), isCaseSensitive);
  if (pattern === undefined)
    throw new AgentError('invalidArguments', { problem: 'query: is not a regular expression' });
  return pattern;
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

async function filesAt(
  scratch: ScratchWorkspace,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const at = await scratch.stat(path, signal);
  if (at.kind === 'file') return [at.path];
  const { entries } = await scratch.list(path, { recursive: true }, signal);
  return entries.filter(({ kind }) => kind === 'file').map((entry) => entry.path);
}

/** Undefined for a file that is no text: not UTF-8, or with a NUL. */
function textOf(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : decodeText(bytes)?.text;
}

interface LineSearch {
  /** At most one match for each line. */
  matches(text: string, signal: AbortSignal): Promise<readonly PatternMatch[]>;
  dispose(): void;
}

/** A pattern may run for ever, so it runs in a thread of its own. */
class PatternSearch implements LineSearch {
  readonly #runner: PatternRunner;

  constructor(pattern: Pattern, clock: ClockPort) {
    this.#runner = new PatternRunner(pattern, clock);
  }
  matches(text: string, signal: AbortSignal): Promise<readonly PatternMatch[]> {
    return this.#runner.run({ text, most: Infinity, perLine: true }, signal);
  }
  dispose(): void {
    this.#runner.dispose();
  }
}

/** A literal text cannot. */
class TextSearch implements LineSearch {
  readonly #pattern: RegExp;

  constructor({ source, isCaseSensitive }: Pattern) {
    this.#pattern = new RegExp(source, isCaseSensitive ? 'gu' : 'giu');
  }
  async matches(text: string): Promise<readonly PatternMatch[]> {
    const matches: PatternMatch[] = [];
    this.#pattern.lastIndex = 0;
    for (let match; (match = this.#pattern.exec(text)) !== null;) {
      matches.push({ start: match.index, end: match.index + match[0].length, groups: [] });
      const lineFeed = text.indexOf('\n', match.index);
      if (lineFeed < 0) break;
      this.#pattern.lastIndex = lineFeed + 1;
    }
    return matches;
  }
  dispose(): void {}
}
