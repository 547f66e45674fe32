import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { duplexPair } from 'node:stream';
import { systemClock } from '../../../src/agentkit/index.ts';
import { FileSaver } from '../../../src/application/files/save/fileSaver.ts';
import type { SaveFiles, SaveRequest } from '../../../src/application/files/save/fileSaving.ts';
import type { HostCommands } from '../../../src/application/ports/hostCommands.ts';
import type { RemoteFiles } from '../../../src/application/ports/remoteFiles.ts';
import type { Transport } from '../../../src/application/ports/transport.ts';
import { stampOf } from '../../../src/domain/files/contentStamp.ts';
import { pathOfText } from '../../../src/domain/files/remotePath.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { KeptSaveFiles } from '../../../src/infrastructure/files/keptSaveFiles.ts';
import { SftpClient } from '../../../src/infrastructure/sftp/sftpClient.ts';
import { thisProcess } from '../../../src/infrastructure/store/leases.ts';
import {
  serveScriptedSftp,
  sftpType,
  upstreamOf,
  withoutExtension,
  withoutExtensions,
  type SftpPacket,
  type SftpScript,
  type SftpUpstream,
} from '../../lab/scriptedSftp.ts';
import { silentLog } from '../../support/silentLog.ts';
import { never } from '../ssh/sshBench.ts';

/** Where the link is cut: in front of a request or in front of its answer. Requests count from 0 on one channel. */
export interface Cut {
  readonly at: number;
  readonly side: 'request' | 'answer';
}

/** The files of a save over channels of a server, with what stands between them. */
export class LabFiles implements SaveFiles {
  /** The packets of each channel. */
  readonly sessions: (readonly SftpPacket[])[] = [];
  readonly #connect: () => Promise<SftpUpstream>;
  readonly #scripts: readonly (SftpScript & { readonly cut?: Cut })[];
  readonly #stops: (() => void)[] = [];
  #files: RemoteFiles | undefined;
  /** Channels that may still be opened. */
  #left: number;

  /** One script for each channel; none is opened behind the last one. Without scripts they are all plain. */
  constructor(
    connect: () => Promise<SftpUpstream>,
    scripts?: readonly (SftpScript & { readonly cut?: Cut })[],
  ) {
    this.#connect = connect;
    this.#scripts = scripts ?? [];
    this.#left = scripts?.length ?? Infinity;
  }

  async use<T>(work: (files: RemoteFiles) => Promise<T>): Promise<T> {
    if (this.#files?.isEnded !== false) this.#files = await this.#open();
    return work(this.#files);
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  async #open(): Promise<RemoteFiles> {
    if (this.#left-- <= 0) throw new Error('the host is not reachable');
    const { cut, ...script } = this.#scripts[this.sessions.length] ?? {};
    const server = await this.#connect();
    const [stream, far] = duplexPair();
    const served = serveScriptedSftp(
      far,
      cut === undefined ? script : cutting(script, cut, () => served.stop()),
      server,
    );
    this.sessions.push(served.requests);
    this.#stops.push(() => {
      served.stop();
      stream.destroy();
    });
    return SftpClient.start(
      stream,
      { clock: systemClock, way: 'subsystem', refused: [], onRefused: () => {} },
      never,
    );
  }
}

function cutting(script: SftpScript, { at, side }: Cut, cut: () => void): SftpScript {
  let seen = 0;
  let last: number | undefined;
  return {
    ...script,
    onRequest: (request, answer) => {
      const isIt = seen++ === at;
      if (isIt && side === 'request') {
        cut();
        return undefined;
      }
      if (isIt) last = request.id;
      return script.onRequest === undefined ? request : script.onRequest(request, answer);
    },
    onReply: (reply, request, send) => {
      if (last !== undefined && request.id === last) {
        cut();
        return [];
      }
      return script.onReply?.(reply, request, send) ?? [reply];
    },
  };
}

/** With several requests for little content: what OpenSSH offers, and a server that offers nothing more than it must. */
export const serverScripts = {
  full: { onReply: (reply) => [withoutExtension(reply, 'limits@openssh.com')] },
  bare: { onReply: (reply) => [withoutExtensions(reply)] },
} as const satisfies Readonly<Record<string, SftpScript>>;

/** No two moments are the same. */
const ticking = { now: (): number => (moment = Math.max(Date.now(), moment + 1)) };
let moment = 0;

/** The saver of a window of this process over a folder of kept saves. */
export function savingWindow(
  folder: string,
  { commands, now = ticking.now }: { readonly commands?: HostCommands; readonly now?: () => number } = {},
): FileSaver {
  const store = new KeptSaveFiles({ folder, owner: thisProcess('window'), clock: { now } });
  return new FileSaver({
    store,
    clock: { now },
    log: silentLog,
    ...(commands === undefined ? {} : { commandsOf: () => commands }),
  });
}

/** Files on a server and kept saves on a disk, for one test. */
export class SaveBench {
  readonly host = newHostId();
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'termind-save-'));
  readonly kept = path.join(this.folder, 'kept');
  readonly remote = path.join(this.folder, 'remote');
  readonly #connect: () => Promise<SftpUpstream>;
  readonly #files: LabFiles[] = [];

  constructor(connect: () => Promise<SftpUpstream>) {
    this.#connect = connect;
    mkdirSync(this.remote);
  }

  /** Channels of a server over a connection. */
  static over(transport: Transport): SaveBench {
    return new SaveBench(async () => upstreamOf(await transport.as('sftp-browse').bytes('sftp', {}, never)));
  }

  /** The saver of a window that starts now. */
  window(commands?: HostCommands): FileSaver {
    return savingWindow(this.kept, commands === undefined ? {} : { commands });
  }

  files(scripts?: readonly (SftpScript & { readonly cut?: Cut })[]): LabFiles {
    const files = new LabFiles(this.#connect, scripts);
    this.#files.push(files);
    return files;
  }

  at(name: string): string {
    return path.join(this.remote, name);
  }

  /** A save of `name` that follows what is in it now. */
  request(name: string, content: Uint8Array | string, change: Partial<SaveRequest> = {}): SaveRequest {
    const old = this.read(name);
    return {
      target: { host: this.host, path: pathOfText(this.at(name)) },
      content: Buffer.from(content),
      base: old === undefined ? 'missing' : stampOf(old),
      files: change.files ?? this.files(),
      writer: 'editor',
      keepBackup: false,
      ...change,
    };
  }

  /** What a file holds; undefined when there is none. */
  read(name: string): Buffer | undefined {
    return readdirSync(this.remote).includes(name) ? readFileSync(this.at(name)) : undefined;
  }

  names(): readonly string[] {
    return readdirSync(this.remote).sort();
  }

  dispose(): void {
    for (const files of this.#files.splice(0)) files.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The kind of a request that may change something; undefined for one that only reads. */
export function changeIn({ type, body }: SftpPacket): string | undefined {
  if (type === sftpType.extended) return body.toString('latin1', 4, 4 + body.readUInt32BE(0));
  const writes = 0x02;
  if (type === sftpType.open)
    return (body.readUInt32BE(4 + body.readUInt32BE(0)) & writes) === 0 ? undefined : 'open';
  return changes.get(type);
}

/** Source: draft-ietf-secsh-filexfer-02 section 3. */
const changes: ReadonlyMap<number, string> = new Map([
  [4, 'close'],
  [6, 'write'],
  [9, 'setstat'],
  [10, 'fsetstat'],
  [13, 'remove'],
  [18, 'rename'],
]);
