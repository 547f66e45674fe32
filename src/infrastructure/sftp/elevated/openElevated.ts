import { randomUUID } from 'node:crypto';
import type { ClockPort } from '../../../agentkit/index.ts';
import type { ByteStream } from '../../../application/ports/connection.ts';
import type { OpenElevatedRequest, RemoteFiles } from '../../../application/ports/remoteFiles.ts';
import { root } from '../../../domain/files/remoteUser.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { quotePosix } from '../../../domain/ssh/quote.ts';
import { programQuestion } from '../serverProgram.ts';
import { SftpClient } from '../sftpClient.ts';
import { ShellFiles } from '../shell/shellFiles.ts';
import { untilMarker } from '../untilMarker.ts';
import { ElevatedShell } from './elevatedShell.ts';
import { StagedContent } from './stagedContent.ts';
import { startBySudo } from './startBySudo.ts';

/** What OpenSSH's server writes to stderr at its start, when it is told to log there. Source: sftp-server(8), `-e` and `-l`. */
const serverRuns = /session opened for local user/;

/** See `FilesOpenerPort.openElevated`. */
export async function openElevated(
  request: OpenElevatedRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<RemoteFiles> {
  try {
    const program = await findProgram(request, clock, signal);
    return await (program === undefined
      ? openByShell(request, clock, signal)
      : openByProgram(request, { program, clock }, signal));
  } catch (error) {
    throw signal.aborted ? fileError('cancelled', {}, { cause: error }) : error;
  } finally {
    request.password.first?.dispose();
  }
}

async function openByProgram(
  request: OpenElevatedRequest,
  { program, clock }: { readonly program: string; readonly clock: ClockPort },
  signal: AbortSignal,
): Promise<RemoteFiles> {
  const command = `${quotePosix(program)} -e -l INFO`;
  const stream = await startBySudo({ request, command, hasStarted: serverRuns }, clock, signal);
  return orDestroyed(stream, () =>
    SftpClient.start(stream, { clock, way: 'command', refused: [], onRefused: () => {} }, signal),
  );
}

/** One shell with these rights, asked for once, that runs the plain commands of `ShellFiles`. */
async function openByShell(
  request: OpenElevatedRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<RemoteFiles> {
  const marker = `termind-shell-${randomUUID()}`;
  const command = `sh -c ${quotePosix(`printf "%s\\n" ${marker} >&2; exec sh`)}`;
  const stream = await startBySudo({ request, command, hasStarted: new RegExp(marker) }, clock, signal);
  const shell = new ElevatedShell(stream, clock);
  const { user = root, channels, lost, ordinary, leftovers } = request;
  const own = new ShellFiles({ channels, lost, clock, mayWrite: true });
  const files = new ShellFiles({
    runner: shell,
    lost: Promise.race([lost, shell.ended]),
    // Nobody but root reads what is left for it with the rights of somebody else.
    mayWrite: user === root,
    staged: new StagedContent({ ordinary, withoutSftp: own, leftovers }),
  });
  void files.ended.then(() => {
    shell.close();
    own.close();
  });
  return files;
}

/** Undefined where there is none. */
async function findProgram(
  { channels }: OpenElevatedRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { command, marker } = programQuestion();
  const stream = await channels.bytes('exec', { command }, signal);
  try {
    const found = await untilMarker(stream, { marker, clock }, signal);
    if (found.k === 'ended') throw fileError('sftp-missing', { subsystem: 'sftp' });
    return found.rest.startsWith('/') ? found.rest : undefined;
  } finally {
    stream.destroy();
  }
}

async function orDestroyed<T>(stream: ByteStream, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    stream.destroy();
    throw error;
  }
}
