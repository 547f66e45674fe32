import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import type { OpenedContentsPort } from '../../ports/openedContents.ts';
import { KeyedTurns } from '../save/keyedTurns.ts';

/** Of everything that is read; what was not used for longest goes first. Larger ones are not merged by people. */
const maxHeldBytes = 16 * 1024 * 1024;

interface Held {
  readonly sha256: string;
  readonly content: Uint8Array;
}

/**
 * The whole content that documents were made from: in memory while a document has no changes, on the disk once it has. Keys are those of
 * `FileVersions`. Nothing here rejects: what cannot be kept is not found later, and a conflict shows both contents without merging them.
 * Source: ssh.md 8.5, "Conflict".
 */
export class OpenedContents {
  readonly #store: OpenedContentsPort;
  readonly #held = new Map<string, Held>();
  #bytes = 0;
  /** By file, what was given to the disk last. */
  readonly #kept = new Map<string, string>();
  readonly #turns = new KeyedTurns();

  constructor(store: OpenedContentsPort) {
    this.#store = store;
  }

  /** It holds this now. The content is not to be changed. */
  seen(key: string, { sha256 }: ContentStamp, content: Uint8Array): void {
    this.#drop(key);
    if (content.length > maxHeldBytes) return;
    this.#held.set(key, { sha256, content });
    this.#bytes += content.length;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= maxHeldBytes) return;
      this.#drop(oldest);
    }
  }

  /** The document has changes of this content. */
  keep(key: string, base: ContentStamp): void {
    const held = this.#held.get(key);
    if (held?.sha256 !== base.sha256 || this.#kept.get(key) === base.sha256) return;
    this.#kept.set(key, base.sha256);
    void this.#inTurn(key, () => this.#store.keep(key, held.content));
  }

  /** Undefined when it is not known any more. */
  async find(key: string, base: ContentStamp): Promise<Uint8Array | undefined> {
    const held = this.#held.get(key);
    if (held?.sha256 === base.sha256) return held.content;
    return this.#inTurn(key, () => this.#store.find(key, base.sha256));
  }

  /** The document has no changes any more; what was seen last may be changed next. */
  settled(key: string): void {
    this.#kept.delete(key);
    void this.#inTurn(key, () => this.#store.forget(key));
  }

  /** The document is closed. */
  closed(key: string): void {
    this.#drop(key);
    this.settled(key);
  }

  #drop(key: string): void {
    this.#bytes -= this.#held.get(key)?.content.length ?? 0;
    this.#held.delete(key);
  }

  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T | undefined> {
    return this.#turns.run(key, work).catch(() => undefined);
  }
}
