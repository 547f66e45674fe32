import type { CertReason } from './hostCertificate.ts';

/** Each reason as the end of an English sentence, for the model and the trace. The person's words are in `platform/vscode`. */
const texts: Readonly<Record<CertReason, string>> = {
  damaged: 'it is damaged or of a kind that is not known',
  'other-authority': 'it was signed by another authority than the one that is trusted for this name',
  'not-signed': 'the signature is not that of its authority',
  'algorithm-not-allowed': 'its authority signed with an algorithm that is not allowed',
  'user-certificate': 'it is a certificate for a user, not for a host',
  'not-yet-valid': 'it is not valid yet',
  expired: 'it has expired',
  'names-no-host': 'it names no host, so it would hold for every host',
  'other-host': 'it is for another name than the one that was connected to',
  'unknown-option': 'it has a critical option that is not known',
};

export function isCertReason(text: string): text is CertReason {
  return Object.hasOwn(texts, text);
}

/** The words for a reason that comes as a fact of a fault; an unknown one stands for itself. */
export function certReasonText(reason: string): string {
  return isCertReason(reason) ? texts[reason] : reason;
}
