import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import type { FileAttributes } from '../../../domain/files/fileAttributes.ts';

/** Files that are remembered; those that were not used for longest are forgotten first. */
const mostFiles = 2_000;

interface Version {
  /** As the server told them last; undefined while there is no such file. */
  attributes: Pick<FileAttributes, 'size' | 'times'> | undefined;
  /** What the editor was told: milliseconds, never going back. */
  told: number;
  /** What it holds was read since that was told first. */
  isRead: boolean;
  /** As the editor was told it with what its document was made from. */
  toldBase: number;
  /** What was read last, by whomever. */
  seen: ContentStamp | undefined;
  /** What the open document was made from. */
  base: ContentStamp | undefined;
}

/**
 * What the editor was told about the files that it has read. Its own check for conflicts knows a time and a size only, so the time that it
 * is told is the server's second with a revision behind it, which grows whenever the content may be another. Keys are up to the caller.
 * Source: ssh.md 8.2.
 */
export class FileVersions {
  readonly #files = new Map<string, Version>();

  /** The time to tell for a file with these attributes, in milliseconds. A file that was not read has no revision. */
  tell(key: string, attributes: FileAttributes): number {
    const version = this.#recent(key);
    if (version === undefined) return wholeTime(attributes);
    if (isSame(version.attributes, attributes)) return version.told;
    version.attributes = attributes;
    version.told = Math.max(wholeTime(attributes), version.told + 1);
    version.isRead = false;
    return version.told;
  }

  /**
   * The time to tell for a file whose open document has changes. The editor compares it with what it knows before it saves, by time and
   * size; told the time of what its document was made from it leaves the decision to the save itself, which compares contents. An editor
   * that has not taken what it read last asks by itself. Source: ssh.md 8.5, "Conflict".
   */
  tellUnsaved(key: string): number {
    return this.#files.get(key)?.toldBase ?? 0;
  }

  /** Whether the file is another than the editor was told last, which it is told with this; false for one that was not read. */
  hasChanged(key: string, attributes: FileAttributes): boolean {
    const before = this.#files.get(key)?.told;
    return before !== undefined && this.tell(key, attributes) !== before;
  }

  /** There is no such file any more. True when this is news about one that was read; what it held stays known. */
  isGone(key: string): boolean {
    const version = this.#files.get(key);
    if (version?.attributes === undefined) return false;
    version.attributes = undefined;
    return true;
  }

  /** It was read. `isDirty`: the open document holds changes of what it was made from, so its base stays. */
  read(
    key: string,
    content: { readonly attributes: FileAttributes; readonly stamp: ContentStamp; readonly isDirty: boolean },
  ): void {
    const { attributes, stamp, isDirty } = content;
    const known = this.#recent(key);
    if (known === undefined) {
      const told = wholeTime(attributes);
      this.#add(key, {
        ...{ attributes, told, isRead: true, toldBase: isDirty ? 0 : told },
        seen: stamp,
        base: isDirty ? undefined : stamp,
      });
      return;
    }
    const hasToldIt = isSame(known.attributes, attributes);
    const isOther = known.seen !== undefined && known.seen.sha256 !== stamp.sha256;
    if (!hasToldIt || (isOther && known.isRead)) known.told = Math.max(wholeTime(attributes), known.told + 1);
    known.attributes = attributes;
    known.isRead = true;
    known.seen = stamp;
    if (isDirty) return;
    known.base = stamp;
    known.toldBase = known.told;
  }

  /** The open document holds what was read last: it was reverted or saved. */
  becameClean(key: string): void {
    const version = this.#files.get(key);
    if (version === undefined) return;
    version.base = version.seen;
    version.toldBase = version.told;
  }

  /** It holds this now, written by us. */
  saved(key: string, stamp: ContentStamp): void {
    const seconds = { size: stamp.size, ...timesOf(stamp.mtime) };
    const known = this.#recent(key);
    const told = Math.max(wholeTime(seconds), (known?.told ?? -1) + 1);
    this.#add(key, { attributes: seconds, told, isRead: true, toldBase: told, seen: stamp, base: stamp });
  }

  /** What the open document was made from; undefined when nobody knows. */
  base(key: string): ContentStamp | undefined {
    return this.#files.get(key)?.base;
  }

  /** The person has seen this content and wants it replaced. */
  accept(key: string, stamp: ContentStamp): void {
    const version = this.#recent(key);
    if (version !== undefined) version.base = stamp;
    else
      this.#add(key, {
        attributes: { size: stamp.size, ...timesOf(stamp.mtime) },
        told: wholeTime(timesOf(stamp.mtime)),
        isRead: true,
        toldBase: 0,
        seen: stamp,
        base: stamp,
      });
  }

  /** It is gone, or has another name. */
  forget(key: string): void {
    this.#files.delete(key);
  }

  #add(key: string, version: Version): void {
    this.#files.delete(key);
    this.#files.set(key, version);
    if (this.#files.size <= mostFiles) return;
    const [oldest] = this.#files.keys();
    if (oldest !== undefined) this.#files.delete(oldest);
  }

  #recent(key: string): Version | undefined {
    const version = this.#files.get(key);
    if (version !== undefined) this.#add(key, version);
    return version;
  }
}

function isSame(a: Version['attributes'], b: Version['attributes']): boolean {
  return a !== undefined && a.size === b?.size && a.times?.modified === b?.times?.modified;
}

/** The clock of this machine is never used for it. */
function wholeTime({ times }: Pick<FileAttributes, 'times'>): number {
  return (times?.modified ?? 0) * 1_000;
}

function timesOf(mtime: number | undefined): Pick<FileAttributes, 'times'> {
  return mtime === undefined ? {} : { times: { accessed: mtime, modified: mtime } };
}
