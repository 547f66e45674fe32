import { longText, showUntrusted } from '../../domain/ssh/untrustedText.ts';

/** An empty one takes room as well, so at most 64 are kept. */
const leastRoom = 1_024;
/** A server with something to say has said it long before. */
const maxBanners = 1_000;

/**
 * What a server sends to whoever signs in, in any number of messages at any time before it has said yes. Of all of them together no more
 * is kept than may be shown of one. Source: RFC 4252 section 5.4; ssh.md 0.6.
 */
export class Banners {
  readonly #texts: string[] = [];
  #room = longText.maxCharacters;
  #count = 0;

  /** The text of one that is kept, fit to be shown; undefined when there is no room for it. */
  add(words: string): string | undefined {
    this.#count += 1;
    if (this.#room <= 0) return undefined;
    const text = showUntrusted(words.slice(0, this.#room), longText);
    this.#room -= Math.max(words.length, leastRoom);
    this.#texts.push(text);
    return text;
  }

  /** Whether there were so many that the server means no good. */
  get areEndless(): boolean {
    return this.#count > maxBanners;
  }

  /** Those that were kept, as one text of so many lines as may be shown. */
  get text(): string {
    return showUntrusted(this.#texts.join('\n'), longText);
  }
}
