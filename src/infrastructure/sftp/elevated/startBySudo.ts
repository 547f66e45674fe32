import { untilAborted, type ClockPort } from '../../../agentkit/index.ts';
import { SudoDialogue, type SudoFault, type SudoPassword } from '../../../application/exec/sudoDialogue.ts';
import type { ByteStream } from '../../../application/ports/connection.ts';
import type { OpenElevatedRequest } from '../../../application/ports/remoteFiles.ts';
import type { TermindError } from '../../../domain/fault.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { quotePosix } from '../../../domain/ssh/quote.ts';
import { showUntrusted } from '../../../domain/ssh/untrustedText.ts';

const keptWords = 4_096;
/** A server that has told a status closes the channel at once; one that does not is not waited for. */
const lastWordsMs = 5_000;
/** Lines of sudo that follow the one that says why, and say nothing themselves. */
const consequences =
  /error initializing audit plugin|unable to (?:load plugins|initialize policy plugin)|^This incident (?:has been|will be) reported/;
const reasons: Readonly<Record<SudoFault, string>> = {
  refused: 'the password was not accepted',
  noPrompt: 'it did not ask for a password and did not start it',
  needsTerminal: 'it wants a terminal',
};

export interface SudoStart {
  readonly request: Pick<OpenElevatedRequest, 'channels' | 'user' | 'password'>;
  /** Behind `sudo … --`; its words are quoted. */
  readonly command: string;
  /** What it writes to stderr when it runs. */
  readonly hasStarted: RegExp;
}

/**
 * Starts a command with the rights of the user and resolves when its input is its own. Rejects with `sudo-refused`, `cancelled` or the fault
 * of the channel, and leaves no channel open then. The caller owns the stream; the passwords stay the caller's. Source: ssh.md 8.6 and 1.9.
 */
export async function startBySudo(
  { request: { channels, user, password }, command, hasStarted }: SudoStart,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<ByteStream> {
  const as = user === undefined ? '' : ` -u ${quotePosix(user)}`;
  const line = `sudo -S -p ${password.marker}${as} -- ${command}`;
  const stream = await channels.bytes('exec', { command: line }, signal);
  const dialogue = dialogueOver(stream, password, clock);
  try {
    await untilAborted(started({ stream, dialogue, hasStarted }, clock), signal);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    dialogue.dispose();
  }
}

function dialogueOver(stream: ByteStream, password: SudoPassword, clock: ClockPort): SudoDialogue {
  return new SudoDialogue({
    password,
    clock,
    write: (bytes) => written(stream, bytes),
    onStuck: () => stream.destroy(),
  });
}

async function started(
  {
    stream,
    dialogue,
    hasStarted,
  }: { readonly stream: ByteStream; readonly dialogue: SudoDialogue; readonly hasStarted: RegExp },
  clock: ClockPort,
): Promise<void> {
  let words = '';
  let tellStarted: () => void = () => {};
  const runs = new Promise<'started'>((resolve) => (tellStarted = () => resolve('started')));
  const listening = stream.onStderr((bytes) => {
    words = (words + Buffer.from(dialogue.push(bytes, 'stderr')).toString('utf8')).slice(-keptWords);
    if (hasStarted.test(words)) tellStarted();
  });
  try {
    const mayFollow = dialogue.inputMayFollow.then((may) => (may ? 'started' : 'refused'));
    const outcome = await Promise.race([runs, mayFollow, stream.exit]);
    if (outcome === 'started') return;
    if (outcome !== 'refused' || dialogue.fault(undefined) === undefined) await closed(stream, clock);
    const code = typeof outcome === 'object' && outcome.kind === 'code' ? outcome.code : undefined;
    throw refused(dialogue.fault(code), words);
  } finally {
    listening.dispose();
  }
}

/** A status may come in front of the words that say why. Nobody wants what else the stream holds. */
async function closed(stream: ByteStream, clock: ClockPort): Promise<void> {
  if (stream.closed) return;
  await new Promise<void>((resolve) => {
    const timer = clock.after(lastWordsMs, () => resolve());
    stream.once('close', () => {
      timer.dispose();
      resolve();
    });
    stream.resume();
  });
}

function refused(fault: SudoFault | undefined, words: string): TermindError {
  const lines = words.trim().split('\n');
  const last = lines.findLast((line) => line.trim() !== '' && !consequences.test(line)) ?? lines.at(-1) ?? '';
  const said = last === '' ? 'it ended without a word' : showUntrusted(last);
  return fileError('sudo-refused', { reason: fault === undefined ? said : reasons[fault] });
}

/** Resolves when the bytes are taken. */
export function written(stream: ByteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error == null ? resolve() : reject(error)));
  });
}
