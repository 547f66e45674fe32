/** Something that can prove possession of a key. */
export interface Signer {
  /** The public half in wire form, passed on byte for byte. */
  readonly blob: Uint8Array;
  /**
   * A whole signature blob, its algorithm name included, exactly as it goes onto the wire. Rejects with `SignerRefusal`, or with the
   * signal's reason. Source: ssh.md 5.5.
   */
  sign(data: Uint8Array, algorithm: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** No signature came about: a wrong passphrase, a declined touch, an agent that is gone. */
export class SignerRefusal extends Error {
  override readonly name = 'SignerRefusal';
  /** True when a person closed the question. */
  readonly isCancelled: boolean;

  constructor(message: string, options: { readonly isCancelled?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.isCancelled = options.isCancelled ?? false;
  }
}
