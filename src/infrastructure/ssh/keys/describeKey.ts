import { parseCertificate, type Certificate } from '../../../domain/keys/certificate.ts';
import { strengthOf } from '../../../domain/keys/keyStrength.ts';
import { parsePublicKey, type PublicKey } from '../../../domain/keys/publicKey.ts';
import { fingerprintOf } from '../../../domain/trust/hostKey.ts';
import type { ReadKey } from './readKey.ts';

/** What there is to say about a key without its passphrase. Texts are from outside and not fit to be shown as they are. */
export interface KeyDescription {
  readonly keyType: string;
  readonly bits: number;
  /** `SHA256:…` of the plain public half. */
  readonly fingerprint: string;
  /** Undefined where it is encrypted or there is none. */
  readonly comment: string | undefined;
  readonly has: 'public half' | 'private half' | 'encrypted private half';
  /** One that the file carries along or is; its authority has not been checked. */
  readonly certificate: Certificate | undefined;
  readonly isWeak: boolean;
}

/** Undefined where nothing can be said: an unreadable file, or an encrypted one that says nothing in the clear. */
export function describeKey(read: ReadKey): KeyDescription | undefined {
  switch (read.k) {
    case 'plain':
      return describe(read.key.publicKey, { ...read.key, has: 'private half' });
    case 'encrypted':
      return read.open && describe(read.open.publicKey, { ...read.open, has: 'encrypted private half' });
    case 'public': {
      const certificate = certificateOf(read.blob);
      const publicKey = certificate?.key ?? parsePublicKey(read.blob);
      const rest = { comment: undefined, certificate: read.blob, has: 'public half' } as const;
      return publicKey && describe(publicKey, rest);
    }
    case 'security-key': {
      const publicKey = parsePublicKey(read.blob);
      const rest = { comment: undefined, certificate: undefined, has: 'public half' } as const;
      return publicKey && describe(publicKey, rest);
    }
    case 'unreadable':
      return undefined;
  }
}

function describe(
  publicKey: PublicKey,
  rest: Pick<KeyDescription, 'comment' | 'has'> & { readonly certificate: Uint8Array | undefined },
): KeyDescription {
  const { keyType, bits, blob } = publicKey;
  return {
    ...{ keyType, bits, fingerprint: fingerprintOf(blob), has: rest.has },
    comment: rest.comment === '' ? undefined : rest.comment,
    certificate: rest.certificate && certificateOf(rest.certificate),
    isWeak: strengthOf(publicKey) !== 'sound',
  };
}

function certificateOf(blob: Uint8Array): Certificate | undefined {
  const parsed = parseCertificate(blob);
  return parsed.k === 'certificate' ? parsed.certificate : undefined;
}
