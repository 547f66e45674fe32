import type { ClockPort } from '../../agentkit/index.ts';
import type { ByteStream } from '../../application/ports/connection.ts';
import {
  optionalOperations,
  type FilesOpenerPort,
  type FilesWay,
  type OpenElevatedRequest,
  type OpenFilesRequest,
  type OptionalOperation,
  type RemoteFiles,
} from '../../application/ports/remoteFiles.ts';
import { isTermindError, type Fault, type TermindError } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { openElevated } from './elevated/openElevated.ts';
import { programStart } from './serverProgram.ts';
import { SftpClient } from './sftpClient.ts';
import { ShellFiles } from './shell/shellFiles.ts';
import { untilMarker } from './untilMarker.ts';

/** What came of one way: files, or why it leads nowhere here. Everything that says nothing about the host rejects instead. */
type Way = { readonly files: RemoteFiles } | { readonly missing: Fault; readonly hasShell: boolean };

/** Opens the files of a host by the first way that works there. Source: ssh.md 8.4; SFTP-1, SFTP-2. */
export class FilesOpener implements FilesOpenerPort {
  readonly #clock: ClockPort;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  async open(request: OpenFilesRequest, signal: AbortSignal): Promise<RemoteFiles> {
    const known = request.known?.way;
    if (known === 'none') throw fileError('sftp-missing', { subsystem: 'sftp' }, { outcome: 'not-sent' });
    if (known === 'shell') return this.#byShell(request);
    const bySubsystem = (): Promise<Way> => this.#bySubsystem(request, signal);
    const byProgram = (): Promise<Way> => this.#byProgram(request, signal);
    let hasShell = false;
    const faults: Fault[] = [];
    for (const open of known === 'command' ? [byProgram, bySubsystem] : [bySubsystem, byProgram]) {
      const way = await open();
      if ('files' in way) return way.files;
      hasShell ||= way.hasShell;
      faults.push(way.missing);
    }
    if (hasShell) {
      request.onLearned({ way: 'shell' });
      return this.#byShell(request);
    }
    const [first] = faults.filter(({ code }) => code !== 'sftp-missing');
    if (first !== undefined) throw faultError(first);
    request.onLearned({ way: 'none' });
    throw fileError('sftp-missing', { subsystem: 'sftp' });
  }

  openElevated(request: OpenElevatedRequest, signal: AbortSignal): Promise<RemoteFiles> {
    return openElevated(request, this.#clock, signal);
  }

  async #bySubsystem(request: OpenFilesRequest, signal: AbortSignal): Promise<Way> {
    try {
      const stream = await request.channels.bytes('sftp', this.#place(request), signal);
      return { files: await this.#start(stream, { request, way: 'subsystem' }, signal) };
    } catch (error) {
      return { missing: tellsNone(error), hasShell: false };
    }
  }

  async #byProgram(request: OpenFilesRequest, signal: AbortSignal): Promise<Way> {
    const { command, marker } = programStart(request.known?.program);
    let stream: ByteStream;
    try {
      stream = await request.channels.bytes('exec', { ...this.#place(request), command }, signal);
    } catch (error) {
      if (isTermindError(error) && error.fault.code === 'limited-host')
        return { missing: missing().fault, hasShell: false };
      throw error;
    }
    try {
      const found = await untilMarker(stream, { marker, clock: this.#clock }, signal);
      if (found.k === 'ended') throw missing();
      if (found.rest === '') {
        stream.destroy();
        return { missing: missing().fault, hasShell: true };
      }
      const files = await this.#start(stream, { request, way: 'command' }, signal);
      request.onLearned({ way: 'command', program: found.rest });
      return { files };
    } catch (error) {
      stream.destroy();
      return { missing: tellsNone(error), hasShell: false };
    }
  }

  #byShell({ channels, lost, mayWriteByShell }: OpenFilesRequest): RemoteFiles {
    return new ShellFiles({ channels, lost, clock: this.#clock, mayWrite: mayWriteByShell });
  }

  #start(
    stream: ByteStream,
    { request, way }: { readonly request: OpenFilesRequest; readonly way: FilesWay },
    signal: AbortSignal,
  ): Promise<RemoteFiles> {
    const refused = new Set((request.known?.refused ?? []).filter(isOptionalOperation));
    const onRefused = (operation: OptionalOperation): void => {
      refused.add(operation);
      request.onLearned({ refused: [...refused] });
    };
    return SftpClient.start(stream, { clock: this.#clock, way, refused: [...refused], onRefused }, signal);
  }

  #place({ queueMs }: OpenFilesRequest): { readonly queueMs?: number } {
    return queueMs === undefined ? {} : { queueMs };
  }
}

function missing(): TermindError {
  return fileError('sftp-missing', { subsystem: 'sftp' });
}

/** The fault of an answer that says that there is no SFTP this way. Everything else is thrown on: it says nothing about the host. */
function tellsNone(error: unknown): Fault {
  if (isTermindError(error) && ['sftp-missing', 'sftp-noise', 'sftp-ended'].includes(error.fault.code))
    return error.fault;
  throw error;
}

function isOptionalOperation(name: string): name is OptionalOperation {
  return optionalOperations.some((operation) => operation === name);
}
