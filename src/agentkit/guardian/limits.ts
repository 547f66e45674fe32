/** Source: agent runtime contract, section 12. */
export const reviewLimits = {
  /** For the whole review, whatever it waits for. */
  totalMs: 30_000,
  attempts: 3,
  /** In front of attempt n + 1: this, times n. */
  pauseMs: 200,
  /** Of one review; a turn that makes no call is its last, so these are five turns at most. */
  toolCalls: 4,
  /** Of what the reviewer sees of one call it made. */
  outputBytes: 16 * 1024,
  outputLines: 200,
  /** Of the user's words in one review; UTF-16 units. */
  evidenceCharacters: 32_000,
  /** Of one reason that was found locally; UTF-16 units. */
  signalCharacters: 2_048,
  /** Of everything that a history sends; above that it starts anew. UTF-16 units. */
  historyCharacters: 160_000,
  /** Of one action: nobody reviews what does not fit beside its evidence. UTF-16 units. */
  actionCharacters: 120_000,
  /** Histories that are kept; those that were used last stay. */
  histories: 64,
  verdictBytes: 16 * 1024,
  rationaleBytes: 4_096,
} as const;
