/** Why a file gives no private key. */
export type KeyProblemCode =
  /** The passphrase does not fit; the file itself is well formed as far as can be seen. */
  | 'wrong-passphrase'
  /** The format does not tell the two apart. */
  | 'wrong-passphrase-or-damaged'
  | 'needs-passphrase'
  | 'damaged'
  | 'unknown-format'
  /** A format, cipher or kind of key that we know by name and do not read. */
  | 'unsupported'
  | 'dsa'
  | 'rsa-too-short'
  /** The file names a security key and holds no private half. */
  | 'security-key'
  /** Opening it would take more time or memory than we spend on any file. */
  | 'too-costly'
  | 'too-large'
  /** The machine could not do the work, for example for lack of memory. */
  | 'derivation-failed';

export interface KeyProblem {
  readonly code: KeyProblemCode;
  /** One clause in English that ends a sentence, such as "the passphrase is wrong". Holds nothing of the file but short names. */
  readonly reason: string;
}

const reasons: Readonly<Record<KeyProblemCode, string>> = {
  'wrong-passphrase': 'the passphrase is wrong',
  'wrong-passphrase-or-damaged': 'the passphrase is wrong, or the file is damaged',
  'needs-passphrase': 'the key is encrypted and needs its passphrase',
  damaged: 'the file is damaged',
  'unknown-format': 'the file is no private key of a known format',
  unsupported: 'the format is not supported',
  dsa: 'DSA keys are not used any more',
  'rsa-too-short': 'RSA keys below 1024 bits are not used',
  'security-key':
    'the file only names a security key; use an agent that holds it, or system ssh for this host',
  'too-costly': 'opening the file would take more work than any key needs',
  'too-large': 'the file is too large to be a key',
  'derivation-failed': 'the machine could not turn the passphrase into a key',
};

/** `detail` stands in for the usual words. */
export function keyProblem(code: KeyProblemCode, detail: string = reasons[code]): KeyProblem {
  return { code, reason: detail };
}

/** Thrown inside the key loader and never out of it. */
export class KeyUnusable extends Error {
  override readonly name = 'KeyUnusable';
  readonly problem: KeyProblem;

  constructor(code: KeyProblemCode, detail?: string) {
    const problem = keyProblem(code, detail);
    super(problem.reason);
    this.problem = problem;
  }
}
