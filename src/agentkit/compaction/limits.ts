/** Source: agent runtime contract, section 22. */
export const compactionLimits = {
  /** Room that is left for the answer and for what a count of ours misses. */
  reserveTokens: 16_384,
  /** Of recent messages, kept word for word. */
  keepTokens: 20_000,
  summaryCharacters: 16_384,
  /** Of one result, in what the summariser reads and nowhere else. */
  resultCharacters: 2_000,
  /** Of the user's own messages, kept word for word behind the summary. */
  userWordsBytes: 20_000,
  /** Of the other facts behind the summary, all together. */
  factsBytes: 16_384,
} as const;

/** What a summary of full length may take, at four characters a token. Cutting away less than this frees nothing. */
export const summaryTokens = compactionLimits.summaryCharacters / 4;

/**
 * The tokens above which a request is compacted. A window of less than twice the reserve would leave no room at all, so there it is
 * half of the window.
 */
export function compactAbove(contextWindow: number): number {
  return Math.max(contextWindow - compactionLimits.reserveTokens, Math.floor(contextWindow / 2));
}

/** Tokens of recent messages to keep; never more than half of what a request may hold, because the rest has to fit beside them. */
export function tokensToKeep(contextWindow: number): number {
  return Math.min(compactionLimits.keepTokens, Math.floor(compactAbove(contextWindow) / 2));
}
