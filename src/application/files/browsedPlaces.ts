import type { Disposable } from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { placeKey } from '../exec/hostPlace.ts';
import type { HostDirectory } from '../ports/hosts.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { BrowsedFiles } from './browsedFiles.ts';
import type { HeldFiles } from './heldFiles.ts';

export interface BrowsedPlacesOptions {
  readonly hosts: Pick<HostDirectory, 'get' | 'onDidChange'>;
  readonly browsed: ReadonlyMap<HostId, BrowsedFiles>;
  readonly log: Pick<LogPort, 'warn'>;
}

/**
 * Lets browsing go where a host leads now: when its address, port, user or way is edited, a channel that was opened before is used for
 * nothing new. Disposing ends the watch. Source: ssh.md 0.2.
 */
export class BrowsedPlaces implements Disposable {
  readonly #options: BrowsedPlacesOptions;
  /** Where each channel was opened to. */
  readonly #openedAs = new Map<HostId, string>();
  readonly #watch: Disposable;

  constructor(options: BrowsedPlacesOptions) {
    this.#options = options;
    this.#watch = options.hosts.onDidChange(() => void this.#renewMoved());
  }

  /** What `open` opens; anew when the host was edited meanwhile. Rejects as `open` does. */
  async open(host: HostId, open: () => Promise<HeldFiles>): Promise<HeldFiles> {
    for (;;) {
      const place = await this.#placeOf(host);
      const held = await open();
      if ((await this.#placeOf(host)) === place) {
        this.#openedAs.set(host, place);
        return held;
      }
      held.release();
    }
  }

  dispose(): void {
    this.#watch.dispose();
  }

  async #renewMoved(): Promise<void> {
    for (const [host, browsed] of this.#options.browsed)
      if (browsed.current !== undefined && (await this.#placeOf(host)) !== this.#openedAs.get(host))
        browsed.renew();
  }

  /** Empty for a host that is gone, and while nobody can tell: then the connection says why. */
  async #placeOf(host: HostId): Promise<string> {
    try {
      const listing = await this.#options.hosts.get(host);
      return listing === undefined ? '' : placeKey(listing);
    } catch {
      this.#options.log.warn('files', 'where a host leads could not be told');
      return '';
    }
  }
}
