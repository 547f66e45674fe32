/** What agentkit itself can fail with. Provider failures are `ProviderError`s. */
export type AgentErrorCode =
  | 'scratchPathRefused'
  | 'scratchNotFound'
  | 'scratchExists'
  | 'scratchIsDirectory'
  | 'scratchNotDirectory'
  | 'scratchNotEmpty'
  | 'scratchKindDiffers'
  | 'scratchNotText'
  | 'scratchFileTooLarge'
  | 'scratchQuotaBytes'
  | 'scratchQuotaEntries'
  | 'scratchBusy'
  | 'scratchIo'
  | 'scratchRedactedMark'
  | 'offsetPastEnd'
  | 'unknownTool'
  | 'invalidArguments';

const modelText: Record<AgentErrorCode, (facts: Readonly<Record<string, string>>) => string> = {
  scratchPathRefused: (f) => `The scratch path is refused: ${f['reason'] ?? 'not allowed'}.`,
  scratchNotFound: (f) => `Not found in scratch: ${f['path'] ?? ''}`,
  scratchExists: (f) => `Already exists in scratch: ${f['path'] ?? ''}`,
  scratchIsDirectory: (f) => `Is a directory: ${f['path'] ?? ''}`,
  scratchNotDirectory: (f) => `Not a directory: ${f['path'] ?? ''}`,
  scratchNotEmpty: (f) => `The directory is not empty: ${f['path'] ?? ''}`,
  scratchKindDiffers: (f) =>
    `${f['path'] ?? ''} is a ${f['actual'] ?? 'different kind'}, not a ${f['asked'] ?? ''}.`,
  scratchNotText: (f) => `Not UTF-8 text: ${f['path'] ?? ''}`,
  scratchFileTooLarge: (f) =>
    `A scratch file holds at most ${f['limit'] ?? ''} bytes; this one would have ${f['bytes'] ?? ''}.`,
  scratchQuotaBytes: (f) =>
    `Scratch is full: ${f['used'] ?? ''} of ${f['quota'] ?? ''} bytes are used and ${f['needed'] ?? ''} more are needed. Delete files that are no longer needed.`,
  scratchQuotaEntries: (f) =>
    `Scratch is full: ${f['used'] ?? ''} of ${f['quota'] ?? ''} files exist. Delete files that are no longer needed.`,
  scratchBusy: () => 'Scratch is busy in another window.',
  scratchIo: (f) => `Scratch could not be used: ${f['reason'] ?? 'input/output error'}.`,
  scratchRedactedMark: () =>
    'The content contains [redacted], which would overwrite the real value. Pull the file with scratch_pull, change it with scratch_replace and push it with scratch_push.',
  offsetPastEnd: (f) =>
    `The offset ${f['offset'] ?? ''} is past the end; there are ${f['total'] ?? ''} lines.`,
  unknownTool: (f) => `There is no tool named ${f['name'] ?? ''}.`,
  invalidArguments: (f) => `Invalid arguments: ${f['problem'] ?? ''}`,
};

/** A failure with a code and facts; the message is the model's text, views have their own. Strings are never parsed. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: AgentErrorCode;
  readonly facts: Readonly<Record<string, string>>;

  constructor(code: AgentErrorCode, facts: Readonly<Record<string, string>> = {}, cause?: unknown) {
    super(modelText[code](facts), { cause });
    this.code = code;
    this.facts = facts;
  }
}
