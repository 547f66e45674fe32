import { createHmac, randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import type { KnownHostsFilesPort } from '../../application/ports/knownHosts.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { localFault } from '../../domain/fault.ts';
import type { PresentedKey } from '../../domain/trust/hostKey.ts';
import { knownHostsLine } from '../../domain/trust/knownHostsLine.ts';
import { parseKnownHosts, type KnownHosts } from '../../domain/trust/parseKnownHosts.ts';
import { parseRevokedKeys } from '../../domain/trust/parseRevokedKeys.ts';
import type { NameField, TrustSource } from '../../domain/trust/trustRecord.ts';

/** What configurations name where they want no file. */
const nullDevice = '/dev/null';
/** Larger than any file in use; hundreds of thousands of keys. */
const maxBytes = 64 * 1024 * 1024;

interface Cached {
  readonly stamp: string;
  readonly hosts: KnownHosts;
}

/** Reads known_hosts files, each again only when it has changed. */
export class KnownHostsFiles implements KnownHostsFilesPort {
  readonly #log: LogPort;
  readonly #cache = new Map<string, Cached>();

  constructor(log: LogPort) {
    this.#log = log;
  }

  async read(files: {
    readonly user: readonly string[];
    readonly global: readonly string[];
    readonly revoked: string | undefined;
  }): Promise<readonly TrustSource[]> {
    const sources: TrustSource[] = [];
    for (const [kind, paths] of [
      ['user-file', files.user],
      ['global-file', files.global],
    ] as const)
      for (const path of paths)
        sources.push({ kind, name: path, records: (await this.#readFile(path)).records });
    if (files.revoked !== undefined) sources.push(await readRevoked(files.revoked));
    return sources;
  }

  list(path: string): Promise<KnownHosts> {
    return this.#readFile(path);
  }

  async append(
    path: string,
    { name, presented }: { readonly name: string; readonly presented: PresentedKey },
  ): Promise<void> {
    const { records } = await this.#readFile(path);
    const isHashed = records.some(({ names }) => names.k === 'hashed');
    const names = isHashed ? hashedName(name) : ({ k: 'exact', name } as const);
    const line = knownHostsLine({ ...presented, marker: 'key', names, source: path, line: undefined });
    if (line === undefined) throw new Error('the name cannot stand in a known_hosts file');
    const file = await fs.open(path, 'a+', 0o600);
    try {
      const { size } = await file.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await file.read(last, 0, 1, size - 1);
      const isEnded = size === 0 || last.toString('latin1') === '\n';
      // One write at the end of the file: another program that appends at the same time is not torn apart.
      const bytes = Buffer.from(`${isEnded ? '' : '\n'}${line}\n`);
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten !== bytes.length) throw new Error('the line was cut off');
    } finally {
      await file.close();
    }
  }

  async #readFile(path: string): Promise<KnownHosts> {
    try {
      const stat = await fs.stat(path, { bigint: true });
      if (path === nullDevice) return { records: [], problems: [] };
      // A pipe or a device would be read for ever.
      if (!stat.isFile()) throw new Error('it is no regular file');
      if (stat.size > maxBytes) throw new Error('it is too large');
      const stamp = `${String(stat.mtimeNs)} ${String(stat.size)} ${String(stat.ino)}`;
      const cached = this.#cache.get(path);
      if (cached?.stamp === stamp) return cached.hosts;
      const hosts = parseKnownHosts(path, await fs.readFile(path, 'utf8'));
      if (hosts.problems.length > 0)
        this.#log.info('trust', `${String(hosts.problems.length)} lines of a known_hosts file are not used`);
      this.#cache.set(path, { stamp, hosts });
      return hosts;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === 'ENOENT' || code === 'ENOTDIR') return { records: [], problems: [] };
      const reason = `the file ${path} of known host keys cannot be read`;
      throw localFault('config-error', { reason, path }, error);
    }
  }
}

function hashedName(name: string): NameField {
  const salt = randomBytes(20);
  return { k: 'hashed', salt, digest: createHmac('sha1', salt).update(name.toLowerCase()).digest() };
}

/** `RevokedHostKeys`: one public key a line. A list that cannot be read as a whole refuses every host, as with `ssh`. */
async function readRevoked(path: string): Promise<TrustSource> {
  const bytes = await readBounded(path);
  if (bytes.subarray(0, binaryList.length).equals(binaryList))
    throw localFault('needs-system-ssh', { option: `RevokedHostKeys ${path}` });
  const { records, unusableLine } = parseRevokedKeys(path, bytes.toString('utf8'));
  if (unusableLine !== undefined) {
    const at = `${path}:${String(unusableLine)}`;
    const reason = `${at} in the list of revoked keys is no public key, so nothing can be trusted by it`;
    throw localFault('config-error', { reason, path, at });
  }
  return { kind: 'revoked-list', name: path, records };
}

/** How a key revocation list begins. Source: PROTOCOL.krl. */
const binaryList = Buffer.from('SSHKRL\n\0', 'latin1');

async function readBounded(path: string): Promise<Buffer> {
  try {
    const stat = await fs.stat(path);
    if (!stat.isFile()) throw new Error('it is no regular file');
    if (stat.size > maxBytes) throw new Error('it is too large');
    return await fs.readFile(path);
  } catch (error) {
    throw localFault(
      'config-error',
      { reason: `the list of revoked keys ${path} cannot be read`, path },
      error,
    );
  }
}
