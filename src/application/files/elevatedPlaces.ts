import type { ConsumedSecret, Disposable, SecretRegistry } from '../../agentkit/index.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { placeKey } from '../exec/hostPlace.ts';
import type { HostDirectory } from '../ports/hosts.ts';
import type { ElevationPromptPort } from '../ports/elevationPrompts.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import type { ElevatedFiles } from './elevatedFiles.ts';
import type { RemoteFilesService } from './remoteFilesService.ts';

/** The files of a host with the rights of one of its users. */
export interface ElevatedPlace {
  readonly host: HostId;
  readonly as: string;
}

/** `openedAs`: where the host led when it was opened last, or is opened. */
interface Elevated {
  readonly host: HostId;
  readonly files: ElevatedFiles;
  openedAs: string | undefined;
}

export interface ElevatedPlacesOptions {
  readonly files: Pick<RemoteFilesService, 'elevated'>;
  readonly hosts: Pick<HostDirectory, 'get' | 'onDidChange'>;
  readonly prompts: ElevationPromptPort;
  /** What is typed must be known to the redactor. */
  readonly known: Pick<SecretRegistry, 'add'>;
}

/**
 * The elevated files that a person works with in this window, one channel for each host and user. A production host asks whether it is
 * meant before it asks for the password, and one that is edited to lead elsewhere loses its channel. Tools have no way here. Disposing closes all of them. Source: ssh.md 8.6.
 */
export class ElevatedPlaces implements Disposable {
  readonly #options: ElevatedPlacesOptions;
  readonly #places = new Map<string, Elevated>();
  readonly #watch: Disposable;
  #isDisposed = false;

  constructor(options: ElevatedPlacesOptions) {
    this.#options = options;
    this.#watch = options.hosts.onDidChange(() => void this.#closeMoved());
  }

  /** The files while their channel is open. Looking at them does not count as use. */
  current(place: ElevatedPlace): RemoteFiles | undefined {
    return this.#places.get(keyOf(place))?.files.current;
  }

  /**
   * As `ElevatedFiles.use`. `mayAsk`: a person waits for this and may be asked; otherwise it rejects with `answer-needed` while the channel
   * is not open.
   */
  use<T>(
    place: ElevatedPlace,
    work: (files: RemoteFiles) => Promise<T>,
    { mayAsk, signal }: { readonly mayAsk: boolean; readonly signal: AbortSignal },
  ): Promise<T> {
    if (this.#isDisposed) return Promise.reject(localFault('cancelled'));
    if (!mayAsk && this.current(place) === undefined) return Promise.reject(localFault('answer-needed'));
    return this.#at(place).use(work, signal);
  }

  /** Gives the rights up at once; the next use asks again. */
  close(place: ElevatedPlace): void {
    this.#places.get(keyOf(place))?.files.close();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#watch.dispose();
    for (const { files } of this.#places.values()) files.dispose();
    this.#places.clear();
  }

  #at(place: ElevatedPlace): ElevatedFiles {
    const known = this.#places.get(keyOf(place));
    if (known !== undefined) return known.files;
    const files = this.#options.files.elevated(place.host, {
      user: place.as,
      mayOpen: (signal) => this.#mayOpen(place, signal),
      ask: ({ isRepeated }, signal) => this.#ask(place, { isRepeated, signal }),
    });
    this.#places.set(keyOf(place), { host: place.host, files, openedAs: undefined });
    return files;
  }

  /** The rights were wanted on the machine that the host led to. Never rejects: where nobody can tell, they are given up. */
  async #closeMoved(): Promise<void> {
    for (const elevated of this.#places.values()) {
      if (elevated.openedAs === undefined) continue;
      const listing = await this.#options.hosts.get(elevated.host).catch(() => undefined);
      if (listing !== undefined && placeKey(listing) === elevated.openedAs) continue;
      elevated.openedAs = undefined;
      elevated.files.close();
    }
  }

  /** Notes where the host leads, which is what the person agrees to. */
  async #mayOpen(place: ElevatedPlace, signal: AbortSignal): Promise<boolean> {
    const { hosts, prompts } = this.#options;
    const listing = await hosts.get(place.host);
    const elevated = this.#places.get(keyOf(place));
    if (elevated !== undefined) elevated.openedAs = listing && placeKey(listing);
    if (listing?.tier !== 'prod') return true;
    return prompts.mayElevate({ host: listing.label, user: place.as }, signal);
  }

  async #ask(
    { host, as }: ElevatedPlace,
    { isRepeated, signal }: { readonly isRepeated: boolean; readonly signal: AbortSignal },
  ): Promise<ConsumedSecret | undefined> {
    const { hosts, prompts, known } = this.#options;
    const listing = await hosts.get(host);
    const text = await prompts.password({ host: listing?.label ?? host, user: as, isRepeated }, signal);
    if (text === undefined) return undefined;
    const bytes = Buffer.from(text, 'utf8');
    known.add(Buffer.from(bytes));
    return { bytes, dispose: () => bytes.fill(0) };
  }
}

function keyOf({ host, as }: ElevatedPlace): string {
  return `${host}${as}`;
}
