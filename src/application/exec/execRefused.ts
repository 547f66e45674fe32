/** Why a command was not sent. */
export type ExecRefusal =
  | 'tooManyRunning'
  | 'tooManyOnHost'
  | 'noPrelude'
  | 'connectionWait'
  | 'controlCharacters'
  | 'directoryRefused'
  | 'secretNotFound'
  | 'secretMismatch'
  | 'refused'
  | 'noPrompt'
  | 'needsTerminal'
  | 'otherHost';

const modelText: Record<ExecRefusal, (facts: Readonly<Record<string, string>>) => string> = {
  tooManyRunning: (f) =>
    `There are too many running commands in this conversation (${f['limit'] ?? ''}). Nothing was sent. Wait for one with ssh_exec_output or end one with ssh_exec_cancel.`,
  tooManyOnHost: () =>
    'There are too many running commands on this host, so no channel became free in time. Nothing was sent. Wait for one with ssh_exec_output or end one with ssh_exec_cancel.',
  noPrelude: () =>
    'The login shell of this host is not known to be a POSIX shell, so cwd and env cannot be applied safely. Nothing was sent. Leave them out.',
  connectionWait: (f) =>
    `The connection was not ready within ${f['minutes'] ?? ''} minutes; the user may not have answered a question about it. Nothing was sent.`,
  controlCharacters: () =>
    'The command contains control characters other than line feed and tab. Nothing was sent.',
  otherHost: () =>
    'The host leads somewhere else than was shown when this was decided, so nothing was sent. Call list_hosts and try again.',
  secretNotFound: () =>
    'The secret_handle is unknown or was used already. Nothing was sent. Ask for a new one with request_user_secret.',
  secretMismatch: (f) =>
    `The secret_handle is not for ${f['purpose'] ?? ''} on this host by this tool. Nothing was sent. A sudo secret needs a command that begins with a plain sudo without options of its own for prompts, for example sudo sh -c '...'; any other command needs a secret for command_input.`,
  refused: (f) => `sudo refused the password, so the command did not run: ${f['text'] ?? ''}.`,
  noPrompt: () =>
    'sudo asked for no password within 10 seconds and nothing was printed, so the command was cancelled. It may wait for something else than a password.',
  needsTerminal: (f) =>
    `sudo on this host requires a terminal, so the command did not run: ${f['text'] ?? ''}.`,
  directoryRefused: (f) =>
    `The folder ${f['cwd'] ?? ''} could not be entered, so nothing ran: ${f['text'] ?? ''}.`,
};

/** A command that was not run. The message is the model's sentence. */
export class ExecRefusedError extends Error {
  override readonly name = 'ExecRefusedError';
  readonly code: ExecRefusal;

  constructor(code: ExecRefusal, facts: Readonly<Record<string, string>> = {}, cause?: unknown) {
    super(modelText[code](facts), { cause });
    this.code = code;
  }
}
