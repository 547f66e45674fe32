import type { Disposable } from '../../agentkit/index.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { showPath, type RemotePath } from '../../domain/files/remotePath.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { HostCommands } from '../ports/hostCommands.ts';
import type { HostDirectory, HostStorePort } from '../ports/hosts.ts';
import type { OpenMode, RemoteFiles } from '../ports/remoteFiles.ts';

export interface ReadOnlyHostsOptions {
  readonly store: Pick<HostStorePort, 'get'>;
  readonly changes: Pick<HostDirectory, 'onDidChange'>;
}

/**
 * The one place where the mark "files read-only" of a host is kept to: everything that opens files of a host, or runs commands beside them,
 * hands them out through here. A change of the mark counts at once, also on open channels; a file that is open for writing stays so, and
 * takes no other's place. While the mark cannot be read, nothing is changed. Disposing leaves the marks as they are. Source: ssh.md 8.2.
 */
export class ReadOnlyHosts implements Disposable {
  readonly #options: ReadOnlyHostsOptions;
  /** As they were read last; those that could not be read are missing. */
  readonly #marks = new Map<HostId, boolean>();
  /** Of each host that was asked for, the reading that began last. */
  readonly #readings = new Map<HostId, Promise<void>>();
  readonly #heard: Disposable;

  constructor(options: ReadOnlyHostsOptions) {
    this.#options = options;
    this.#heard = options.changes.onDidChange(() => {
      for (const host of this.#readings.keys()) this.#read(host);
    });
  }

  /** The same files, which refuse every change with `read-only` while the host is marked. */
  async guard(host: HostId, files: RemoteFiles): Promise<RemoteFiles> {
    await this.#mayChange(host);
    return guarded(files, {
      isMarked: () => this.#marks.get(host) !== false,
      mayChange: () => this.#mayChange(host),
    });
  }

  /** The same commands, of which those that change something are refused with `read-only` while the host is marked. */
  guardCommands(host: HostId, commands: HostCommands): HostCommands {
    return {
      run: async (command, signal) => {
        if (command.isChange && !(await this.#mayChange(host)))
          throw refusal(showUntrusted(command.arguments[0] ?? ''));
        return commands.run(command, signal);
      },
    };
  }

  dispose(): void {
    this.#heard.dispose();
  }

  /** Behind every change that was told before. */
  async #mayChange(host: HostId): Promise<boolean> {
    if (!this.#marks.has(host) && !this.#readings.has(host)) this.#read(host);
    let reading: Promise<void> | undefined;
    while (reading !== this.#readings.get(host)) {
      reading = this.#readings.get(host);
      await reading;
    }
    const isMarked = this.#marks.get(host);
    if (isMarked === undefined) this.#readings.delete(host);
    return isMarked === false;
  }

  #read(host: HostId): void {
    const reading = this.#options.store
      .get(host)
      .then(
        (record) => record?.filesReadOnly === true,
        () => undefined,
      )
      .then((isMarked) => {
        if (this.#readings.get(host) !== reading) return;
        if (isMarked === undefined) this.#marks.delete(host);
        else this.#marks.set(host, isMarked);
      });
    this.#readings.set(host, reading);
  }
}

interface Mark {
  /** As it was read last; true while it is not known. */
  readonly isMarked: () => boolean;
  readonly mayChange: () => Promise<boolean>;
}

function guarded(files: RemoteFiles, { isMarked, mayChange }: Mark): RemoteFiles {
  const change = async <T>(path: RemotePath, work: () => Promise<T>): Promise<T> => {
    if (!(await mayChange())) throw refusal(showPath(path));
    return work();
  };
  return {
    get capabilities() {
      const { capabilities } = files;
      return isMarked() ? { ...capabilities, isReadOnly: true } : capabilities;
    },
    get ended() {
      return files.ended;
    },
    get isEnded() {
      return files.isEnded;
    },
    open: (path, mode, signal) =>
      isChange(mode) ? change(path, () => files.open(path, mode, signal)) : files.open(path, mode, signal),
    stat: (path, signal) => files.stat(path, signal),
    lstat: (path, signal) => files.lstat(path, signal),
    setstat: (path, attributes, signal) => change(path, () => files.setstat(path, attributes, signal)),
    lsetstat: (path, attributes, signal) => change(path, () => files.lsetstat(path, attributes, signal)),
    list: (path, signal) => files.list(path, signal),
    realpath: (path, signal) => files.realpath(path, signal),
    readlink: (path, signal) => files.readlink(path, signal),
    symlink: (link, signal) => change(link.at, () => files.symlink(link, signal)),
    hardlink: (link, signal) => change(link.at, () => files.hardlink(link, signal)),
    rename: (move, signal) => change(move.from, () => files.rename(move, signal)),
    mkdir: (path, mode, signal) => change(path, () => files.mkdir(path, mode, signal)),
    rmdir: (path, signal) => change(path, () => files.rmdir(path, signal)),
    remove: (path, signal) => change(path, () => files.remove(path, signal)),
    statvfs: (path, signal) => files.statvfs(path, signal),
    expandPath: (path, signal) => files.expandPath(path, signal),
    homeDirectory: (user, signal) => files.homeDirectory(user, signal),
    namesById: (ids, signal) => files.namesById(ids, signal),
    copyData: (copy, signal) => change(copy.to.path, () => files.copyData(copy, signal)),
    close: () => files.close(),
  };
}

function isChange({ access, create, truncate, append }: OpenMode): boolean {
  return access !== 'read' || create !== undefined || truncate === true || append === true;
}

/** `path`: fit to be shown. */
function refusal(path: string): Error {
  return fileError('read-only', { path, mark: 'host' }, { outcome: 'not-sent' });
}
