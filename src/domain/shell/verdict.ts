/** One simple command of a proven line, as the shell will run it. Patterns stay as written. */
export interface ProvenCommand {
  readonly program: string;
  readonly arguments: readonly string[];
}

/**
 * Evidence that a command line changes nothing, or the first thing that was not proven, as one sentence for the card.
 * Source: agent runtime contract, section 11, "Command proof".
 */
export type Verdict =
  | { readonly proof: 'readOnly'; readonly commands: readonly ProvenCommand[] }
  | { readonly proof: 'none'; readonly reason: string };

export function notProven(reason: string): Verdict {
  return { proof: 'none', reason };
}
