import type { ClockPort } from '../../agentkit/index.ts';
import { untilAborted } from '../../agentkit/index.ts';
import { SudoDialogue, type SudoFault } from '../../application/exec/sudoDialogue.ts';
import type { ByteStream } from '../../application/ports/connection.ts';
import type { OpenElevatedRequest, RemoteFiles } from '../../application/ports/remoteFiles.ts';
import type { TermindError } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { quotePosix } from '../../domain/ssh/quote.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { programQuestion } from './serverProgram.ts';
import { SftpClient } from './sftpClient.ts';
import { untilMarker } from './untilMarker.ts';

/** What OpenSSH's server writes to stderr at its start, when it is told to log there. Source: sftp-server(8), `-e` and `-l`. */
const hasStarted = /session opened for local user/;
const keptWords = 4_096;
const reasons: Readonly<Record<SudoFault, string>> = {
  refused: 'the password was not accepted',
  noPrompt: 'it did not ask for a password and did not start it',
  needsTerminal: 'it wants a terminal',
};

/** See `FilesOpenerPort.openElevated`. */
export async function openElevated(
  request: OpenElevatedRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<RemoteFiles> {
  const { channels, user, password } = request;
  let stream: ByteStream | undefined;
  let dialogue: SudoDialogue | undefined;
  try {
    const program = await findProgram(request, clock, signal);
    const as = user === undefined ? '' : ` -u ${quotePosix(user)}`;
    const command = `sudo -S -p ${password.marker}${as} -- ${quotePosix(program)} -e -l INFO`;
    stream = await channels.bytes('exec', { command }, signal);
    const input = stream;
    dialogue = new SudoDialogue({
      password,
      clock,
      write: (bytes) => written(input, bytes),
      onStuck: () => input.destroy(),
    });
    await untilAborted(serverStarted(stream, dialogue), signal);
    const options = { clock, way: 'command', refused: [], onRefused: () => {} } as const;
    return await SftpClient.start(stream, options, signal);
  } catch (error) {
    stream?.destroy();
    throw signal.aborted ? fileError('cancelled', {}, { cause: error }) : error;
  } finally {
    dialogue?.dispose();
    password.first.dispose();
  }
}

async function findProgram(
  { channels }: OpenElevatedRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<string> {
  const { command, marker } = programQuestion();
  const stream = await channels.bytes('exec', { command }, signal);
  try {
    const found = await untilMarker(stream, { marker, clock }, signal);
    if (found.k === 'found' && found.rest.startsWith('/')) return found.rest;
    throw fileError('sftp-missing', { subsystem: 'sftp' });
  } finally {
    stream.destroy();
  }
}

/** Resolves when the server runs and its input is its own. */
async function serverStarted(stream: ByteStream, dialogue: SudoDialogue): Promise<void> {
  let words = '';
  let tellStarted: () => void = () => {};
  const started = new Promise<'started'>((resolve) => (tellStarted = () => resolve('started')));
  const listening = stream.onStderr((bytes) => {
    words = (words + Buffer.from(dialogue.push(bytes, 'stderr')).toString('utf8')).slice(-keptWords);
    if (hasStarted.test(words)) tellStarted();
  });
  try {
    const mayFollow = dialogue.inputMayFollow.then((may) => (may ? 'started' : 'refused'));
    const outcome = await Promise.race([started, mayFollow, stream.exit]);
    if (outcome === 'started') return;
    const code = typeof outcome === 'object' && outcome.kind === 'code' ? outcome.code : undefined;
    throw refused(dialogue.fault(code), words);
  } finally {
    listening.dispose();
  }
}

function refused(fault: SudoFault | undefined, words: string): TermindError {
  const last = words.trim().split('\n').at(-1) ?? '';
  const said = last === '' ? 'it ended without a word' : showUntrusted(last);
  return fileError('sudo-refused', { reason: fault === undefined ? said : reasons[fault] });
}

function written(stream: ByteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error == null ? resolve() : reject(error)));
  });
}
