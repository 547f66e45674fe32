import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { mustRun } from '../../../lab/run.ts';

/** Kinds of keys that SSH has, as `ssh-keygen -t` and `-b` name them. */
export const kinds = ['rsa 2048', 'ecdsa 256', 'ecdsa 384', 'ecdsa 521', 'ed25519'] as const;
export type Kind = (typeof kinds)[number];

export const passphrase = 'correct horse, ünïcode';

/** A way to keep a private key in a file, and how to make one from a key in OpenSSH's own container in the clear. */
export interface Container {
  readonly name: string;
  readonly isEncrypted: boolean;
  /** `base` is the plain OpenSSH file of the kind, `file` what is to be written. */
  readonly write: (forge: KeyForge, from: { readonly kind: Kind; readonly file: string }) => Promise<void>;
}

/** Makes key files with the tools that users have: ssh-keygen, openssl and puttygen. Remove it with `dispose`. */
export class KeyForge {
  readonly folder: string;
  readonly #bases = new Map<string, Promise<string>>();
  #made = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<KeyForge> {
    return new KeyForge(await fs.mkdtemp(path.join(os.tmpdir(), 'termind-keys-')));
  }

  dispose(): Promise<void> {
    return fs.rm(this.folder, { recursive: true });
  }

  /** A path that nothing is at yet. */
  newPath(): string {
    this.#made += 1;
    return path.join(this.folder, `key${this.#made}`);
  }

  /** A key of this kind in OpenSSH's own container in the clear, the same at every call, with its `.pub` beside it. */
  base(kind: Kind): Promise<string> {
    return this.#once(kind, async (file) => {
      const [type = '', bits] = kind.split(' ');
      const size = bits === undefined ? [] : ['-b', bits];
      await mustRun('ssh-keygen', ['-q', '-t', type, ...size, '-N', '', '-C', `my ${kind}`, '-f', file]);
    });
  }

  /** The same key in PKCS#8 in the clear; one of its own for ed25519, which ssh-keygen does not convert. */
  pkcs8(kind: Kind): Promise<string> {
    return this.#once(`pkcs8 ${kind}`, async (file) => {
      if (kind === 'ed25519') {
        await mustRun('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', file]);
        return;
      }
      await fs.copyFile(await this.base(kind), file);
      await mustRun('ssh-keygen', ['-q', '-p', '-m', 'PKCS8', '-N', '', '-P', '', '-f', file]);
    });
  }

  /** A file that holds a secret, for tools that take one from a file only. */
  secretFile(text: string): Promise<string> {
    return this.#once(`secret ${text}`, (file) => fs.writeFile(file, text, { mode: 0o600 }));
  }

  /** Writes a container of a key of this kind and gives its path. */
  async make(container: Container, kind: Kind): Promise<string> {
    const file = this.newPath();
    await container.write(this, { kind, file });
    await fs.chmod(file, 0o600);
    return file;
  }

  #once(name: string, make: (file: string) => Promise<void>): Promise<string> {
    const known = this.#bases.get(name);
    if (known !== undefined) return known;
    const file = this.newPath();
    const made = make(file).then(() => file);
    this.#bases.set(name, made);
    return made;
  }
}

/** OpenSSH's own container. One round of bcrypt, which is quick; the default of 16 is proven once elsewhere. */
export function openSsh(cipher?: string, rounds = 1): Container {
  return {
    name: `OpenSSH ${cipher ?? 'plain'}`,
    isEncrypted: cipher !== undefined,
    write: async (forge, { kind, file }) => {
      await fs.copyFile(await forge.base(kind), file);
      if (cipher === undefined) return;
      await fs.chmod(file, 0o600);
      const how = ['-Z', cipher, '-a', String(rounds), '-N', passphrase, '-P', ''];
      await mustRun('ssh-keygen', ['-q', '-p', ...how, '-f', file]);
    },
  };
}

/** PKCS#1 or SEC1, encrypted the way OpenSSL did before PKCS#8. */
export function pem(cipher?: string): Container {
  return {
    name: `PEM ${cipher ?? 'plain'}`,
    isEncrypted: cipher !== undefined,
    write: async (forge, { kind, file }) => {
      const plain = await forge.pkcs8(kind);
      const how = cipher === undefined ? [] : [`-${cipher}`, '-passout', `pass:${passphrase}`];
      const tool = kind.startsWith('rsa') ? ['rsa', '-traditional'] : ['ec'];
      await mustRun('openssl', [...tool, '-in', plain, ...how, '-out', file]);
    },
  };
}

/** PKCS#8; `how` are options of `openssl pkcs8`. */
export function pkcs8(...how: readonly string[]): Container {
  return {
    name: `PKCS#8 ${how.length === 0 ? 'plain' : how.join(' ')}`,
    isEncrypted: how.length > 0,
    write: async (forge, { kind, file }) => {
      const protection = how.length === 0 ? ['-nocrypt'] : [...how, '-passout', `pass:${passphrase}`];
      await mustRun('openssl', [
        'pkcs8',
        '-topk8',
        '-in',
        await forge.pkcs8(kind),
        ...protection,
        '-out',
        file,
      ]);
    },
  };
}

/** PuTTY's container; `how` are its `--ppk-param`, the key derivation of an encrypted one among them. */
export function ppk(version: 2 | 3, how?: string): Container {
  return {
    name: `PPK v${version} ${how === '' ? 'encrypted' : (how ?? 'plain')}`,
    isEncrypted: how !== undefined,
    write: async (forge, { kind, file }) => {
      const parameters = [`version=${version}`, ...(how === undefined || how === '' ? [] : [how])].join(',');
      const secret = await forge.secretFile(how === undefined ? '' : passphrase);
      await mustRun('puttygen', [
        ...[await forge.base(kind), '-O', 'private', '-o', file],
        ...['--ppk-param', parameters, '--new-passphrase', secret],
      ]);
    },
  };
}

const argon2 = 'memory=256,passes=2,parallelism=1';

/** Every container of the table, for every kind that it can hold. Source: ssh.md 2.4. */
export const containers: readonly Container[] = [
  openSsh(),
  ...[
    ...['3des-cbc', 'aes128-cbc', 'aes192-cbc', 'aes256-cbc', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
    ...['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com'],
  ].map((cipher) => openSsh(cipher)),
  pem(),
  ...['des3', 'aes128', 'aes192', 'aes256', 'camellia256'].map(pem),
  pkcs8(),
  ...['des3', 'aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc'].map((cipher) => pkcs8('-v2', cipher)),
  ...['hmacWithSHA1', 'hmacWithSHA384', 'hmacWithSHA512'].map((prf) =>
    pkcs8('-v2', 'aes-256-cbc', '-v2prf', prf, '-iter', '1000'),
  ),
  pkcs8('-scrypt'),
  pkcs8('-v1', 'PBE-SHA1-3DES'),
  ppk(2),
  ppk(2, ''),
  ppk(3),
  ...['argon2id', 'argon2i', 'argon2d'].map((kdf) => ppk(3, `kdf=${kdf},${argon2}`)),
  ppk(3, 'kdf=argon2id,memory=1024,passes=3,parallelism=4'),
];

/** PKCS#1 and SEC1 have no form for ed25519. */
export function canHold(container: Container, kind: Kind): boolean {
  return !(container.name.startsWith('PEM') && kind === 'ed25519');
}
