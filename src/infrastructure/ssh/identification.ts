/** Before the identification a server may send other lines; this much of them is looked at. Source: RFC 4253 section 4.2. */
const maxBytes = 64 * 1024;
const keptBytes = 255;

/** Watches the first bytes of a peer for its SSH identification. */
export class Identification {
  #text = '';
  #line: string | undefined;

  /** `SSH-2.0-OpenSSH_9.2p1` as the peer sent it; undefined until then. */
  get line(): string | undefined {
    return this.#line;
  }

  /** The first bytes, to be shown when the peer does not speak SSH. */
  get firstBytes(): Uint8Array {
    return Buffer.from(this.#text.slice(0, keptBytes), 'latin1');
  }

  /** True once, when the line is complete. */
  push(chunk: Uint8Array): boolean {
    if (this.#line !== undefined || this.#text.length > maxBytes) return false;
    this.#text += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    this.#line = /^(SSH-[^\r\n]*)\r?\n/m.exec(this.#text)?.[1];
    return this.#line !== undefined;
  }
}
