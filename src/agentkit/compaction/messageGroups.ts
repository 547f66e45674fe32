import type { Message } from '../message.ts';

/** One user message, or one answer with the results of its calls. Requests are cut between groups and nowhere else. */
export type MessageGroup = readonly [Message, ...Message[]];

/** The groups of a paired history, in order. */
export function messageGroups(messages: readonly Message[]): readonly MessageGroup[] {
  const groups: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === 'tool' && last !== undefined) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

/**
 * How many groups from the front are summarised, given the tokens of each. From the newest back, groups stay as long as they fit into
 * `keep` together; the first that does not is summarised whole, with all before it. The newest stays although it is larger than
 * that, unless it alone is more than `most`. Source: agent runtime contract, section 22.
 */
export function groupsToSummarise(
  tokens: readonly number[],
  limits: { readonly keep: number; readonly most: number },
): number {
  const newest = tokens.length - 1;
  let kept = 0;
  for (let at = newest; at >= 0; at--) {
    const size = tokens[at] ?? 0;
    const isKept = at === newest ? size <= limits.most : kept + size <= limits.keep;
    if (!isKept) return at + 1;
    kept += size;
  }
  return 0;
}
