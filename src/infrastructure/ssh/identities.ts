import { keyProblem } from '../../domain/keys/keyProblem.ts';
import { strengthOf } from '../../domain/keys/keyStrength.ts';
import { parsePublicKey } from '../../domain/keys/publicKey.ts';
import type { AuthIdentity } from '../../domain/ssh/authIdentity.ts';
import type { IdentityProblem } from '../../domain/ssh/describeAuth.ts';
import type { Target } from '../../domain/ssh/target.ts';
import { fingerprintOf, isSameBlob, keyTypeOf } from '../../domain/trust/hostKey.ts';
import type { AgentClient, AgentIdentity } from './agentClient.ts';
import type { FoundAgent } from './agentSearch.ts';
import type { AttemptPassphrases } from './attemptPassphrases.ts';
import {
  judgeCertificate,
  readCertificateFile,
  type CertificateUse,
  type UsableCertificate,
} from './certificates.ts';
import { readKeyFile, type KeyFile } from './keys/keyFile.ts';

type PrivateFile = KeyFile & { readonly k: 'plain' | 'encrypted' };

/** An identity and where its signatures come from. */
export interface FoundIdentity {
  readonly identity: AuthIdentity;
  readonly from:
    | {
        readonly k: 'agent';
        readonly agent: AgentClient;
        /** What is offered. */
        readonly blob: Uint8Array;
        /** What the agent knows the key by: a certificate that it holds, or the plain key of one from a file. */
        readonly signingBlob: Uint8Array;
      }
    /** `blob` is the certificate that is offered; undefined for the plain key. */
    | { readonly k: 'file'; readonly file: PrivateFile; readonly blob: Uint8Array | undefined };
}

/** Everything found for a target, and why something cannot be used. */
export interface FoundIdentities {
  readonly identities: readonly FoundIdentity[];
  readonly keyProblems: readonly IdentityProblem[];
  /** Certificates that are not offered. */
  readonly certificateProblems: readonly IdentityProblem[];
}

interface ReadKeyFile {
  readonly file: KeyFile;
  readonly isConfigured: boolean;
  /** It is encrypted, and its passphrase is not kept. */
  readonly needsPrompt: boolean;
}

/** What there is to make identities from. */
interface Material {
  readonly files: readonly ReadKeyFile[];
  readonly agent: FoundAgent['agent'];
  readonly use: CertificateUse;
}

type Judged<T> = T | IdentityProblem;

/**
 * Reads the key files and certificates of a target and puts them together with what its agent holds. A public half in place of a key
 * selects the same key in the agent, a certificate in place of a key that certificate. A certificate is usable when its private half is,
 * in the agent or in a file. Never rejects. Source: ssh.md 2.1, 2.3, 2.5; AG-1.
 */
export async function findIdentities(source: {
  readonly target: Target;
  readonly agent: FoundAgent['agent'];
  readonly passphrases: Pick<AttemptPassphrases, 'find'>;
  /** Since 1970. */
  readonly nowSeconds: bigint;
}): Promise<FoundIdentities> {
  const { target, agent, passphrases, nowSeconds } = source;
  const files = await Promise.all(
    target.identities
      .filter((candidate) => candidate.kind === 'keyFile')
      .map(async ({ path, configured }) => {
        const file = await readKeyFile(path);
        const needsPrompt = file.k === 'encrypted' && (await passphrases.find(file)) === undefined;
        return { file, isConfigured: configured, needsPrompt };
      }),
  );
  const material: Material = { files, agent, use: { user: target.user, nowSeconds } };
  const certificates = [...(await certificatesOfFiles(target, material)), ...certificatesOfAgent(material)];
  const isSelected = selection(files, target.identitiesOnly);
  return {
    identities: [
      ...withoutRepeats(certificates.filter(isFound)),
      ...keysOfAgent(agent, isSelected),
      ...files.flatMap(keyOfFile),
    ],
    keyProblems: files.flatMap((read) => problemOf(read, agent?.keys ?? [])),
    certificateProblems: certificates.flatMap((one) => (isFound(one) ? [] : [one])),
  };
}

function isFound(judged: Judged<FoundIdentity>): judged is FoundIdentity {
  return 'identity' in judged;
}

/** A certificate of a file that the agent holds as well is one certificate; that of the file is the configured one. */
function withoutRepeats(found: readonly FoundIdentity[]): readonly FoundIdentity[] {
  const first = new Map(found.toReversed().map((one) => [one.identity.certificate, one]));
  return found.filter((one) => first.get(one.identity.certificate) === one);
}

/** Whether an agent key is one that a file names. With IdentitiesOnly and no file configured the default ones are what counts. */
function selection(files: readonly ReadKeyFile[], identitiesOnly: boolean): (fingerprint: string) => boolean {
  const named = files.filter(({ isConfigured }) => isConfigured || identitiesOnly);
  const fingerprints = new Set(
    named.flatMap(({ file }) =>
      'blob' in file && file.blob !== undefined ? [fingerprintOf(file.blob)] : [],
    ),
  );
  return (fingerprint) => fingerprints.has(fingerprint);
}

async function certificatesOfFiles(
  { identities, certificateFiles }: Pick<Target, 'identities' | 'certificateFiles'>,
  material: Material,
): Promise<readonly Judged<FoundIdentity>[]> {
  const beside = identities.flatMap((one) =>
    one.kind === 'keyFile' ? [{ path: besideKey(one.path), isConfigured: one.configured }] : [],
  );
  const configured = certificateFiles.map((path) => ({ path, isConfigured: true }));
  const judged = await Promise.all(
    [...configured, ...beside].map(async ({ path, isConfigured }) => {
      const read = await readCertificateFile(path, material.use);
      if (read === undefined)
        return certificateFiles.includes(path) ? [{ path, reason: 'there is no such file' }] : [];
      const found = signable(read, { isConfigured, material });
      if (found !== undefined) return [found];
      return isConfigured ? [{ path, reason: 'there is no private key for it' }] : [];
    }),
  );
  return judged.flat();
}

/** `id_ed25519-cert.pub` for `id_ed25519`, for its public half and for itself. Source: ssh_config(5), CertificateFile. */
function besideKey(path: string): string {
  return path.endsWith('-cert.pub') ? path : `${path.replace(/\.pub$/, '')}-cert.pub`;
}

/** A certificate of a file, with whoever can sign for it: a file that asks nothing, the agent, then one with a passphrase; or nobody. */
function signable(
  read: Judged<UsableCertificate>,
  { isConfigured, material }: { readonly isConfigured: boolean; readonly material: Material },
): Judged<FoundIdentity> | undefined {
  if ('reason' in read) return read;
  const { files, agent } = material;
  const { blob, key } = read.certificate;
  const matching = files.flatMap(({ file, needsPrompt }) =>
    isPrivate(file) && file.blob !== undefined && isSameBlob(file.blob, key.blob)
      ? [{ file, needsPrompt }]
      : [],
  );
  const held = [key.blob, blob]
    .map((one) => agent?.keys.find((candidate) => isSameBlob(candidate.blob, one)))
    .find((one) => one !== undefined);
  const open = matching.find(({ needsPrompt }) => !needsPrompt);
  const [locked] = matching;
  if (open === undefined && agent !== undefined && held !== undefined)
    return {
      identity: certificateIdentity(read, { source: 'agent', isConfigured, needsPrompt: false }),
      from: { k: 'agent', agent: agent.client, blob, signingBlob: held.blob },
    };
  const chosen = open ?? locked;
  if (chosen === undefined) return undefined;
  return {
    identity: certificateIdentity(read, {
      source: 'keyFile',
      isConfigured,
      needsPrompt: chosen.needsPrompt,
    }),
    from: { k: 'file', file: chosen.file, blob },
  };
}

function certificateIdentity(
  { certificate, path, warning }: UsableCertificate,
  rest: Pick<AuthIdentity, 'source' | 'isConfigured' | 'needsPrompt'>,
): AuthIdentity {
  const whole = fingerprintOf(certificate.blob);
  return {
    id: `certificate ${rest.source} ${whole}`,
    ...rest,
    fingerprint: fingerprintOf(certificate.key.blob),
    certificate: whole,
    keyType: certificate.certificateType,
    label: path,
    warning,
  };
}

function certificatesOfAgent({ agent, use }: Material): readonly Judged<FoundIdentity>[] {
  if (agent === undefined) return [];
  return agent.keys.filter(isCertificate).map(({ blob, comment }) => {
    const judged = judgeCertificate(blob, comment, use);
    if ('reason' in judged) return judged;
    const rest = { source: 'agent', isConfigured: false, needsPrompt: false } as const;
    return {
      identity: certificateIdentity(judged, rest),
      from: { k: 'agent', agent: agent.client, blob, signingBlob: blob },
    };
  });
}

function isCertificate({ blob }: Pick<AgentIdentity, 'blob'>): boolean {
  return keyTypeOf(blob)?.endsWith('-cert-v01@openssh.com') ?? false;
}

/** Everything but certificates and DSA, which no server of today takes. */
function keysOfAgent(
  agent: FoundAgent['agent'],
  isSelected: (fingerprint: string) => boolean,
): readonly FoundIdentity[] {
  if (agent === undefined) return [];
  return agent.keys
    .filter((key) => !isCertificate(key) && keyTypeOf(key.blob) !== 'ssh-dss')
    .map(({ blob, comment }) => {
      const fingerprint = fingerprintOf(blob);
      return {
        identity: {
          id: `agent ${fingerprint}`,
          source: 'agent',
          isConfigured: isSelected(fingerprint),
          needsPrompt: false,
          fingerprint,
          certificate: undefined,
          keyType: keyTypeOf(blob),
          label: comment,
          warning: undefined,
        },
        from: { k: 'agent', agent: agent.client, blob, signingBlob: blob },
      };
    });
}

function isPrivate(file: KeyFile): file is PrivateFile {
  return file.k === 'plain' || file.k === 'encrypted';
}

function keyOfFile({ file, isConfigured, needsPrompt }: ReadKeyFile): readonly FoundIdentity[] {
  if (!isPrivate(file)) return [];
  const { blob } = file;
  return [
    {
      identity: {
        id: `file ${file.path}`,
        source: 'keyFile',
        isConfigured,
        needsPrompt,
        fingerprint: blob === undefined ? undefined : fingerprintOf(blob),
        certificate: undefined,
        keyType: blob === undefined ? undefined : keyTypeOf(blob),
        label: file.path,
        warning: weaknessOf(blob),
      },
      from: { k: 'file', file, blob: undefined },
    },
  ];
}

function weaknessOf(blob: Uint8Array | undefined): string | undefined {
  const key = blob === undefined ? undefined : parsePublicKey(blob);
  if (key === undefined || strengthOf(key) === 'sound') return undefined;
  return `the RSA key has ${key.bits} bits, and fewer than 2048 are weak`;
}

/** Default files may be missing or odd without a word; what was configured may not. */
function problemOf(
  { file, isConfigured }: ReadKeyFile,
  held: readonly AgentIdentity[],
): readonly IdentityProblem[] {
  if (!isConfigured) return [];
  switch (file.k) {
    case 'missing':
      return [{ path: file.path, reason: 'there is no such file' }];
    case 'unreadable':
      return [{ path: file.path, reason: file.reason }];
    case 'public': {
      // A certificate in place of a key is judged as one.
      const isHeld = isCertificate(file) || held.some((key) => isSameBlob(key.blob, file.blob));
      const where = file.privateFile ?? 'the private file';
      const reason = `this is the public half and no agent holds the key; choose ${where}`;
      return isHeld ? [] : [{ path: file.path, reason }];
    }
    case 'security-key': {
      const isHeld = held.some((key) => isSameBlob(key.blob, file.blob));
      return isHeld ? [] : [{ path: file.path, reason: keyProblem('security-key').reason }];
    }
    case 'plain':
    case 'encrypted':
      return [];
  }
}
