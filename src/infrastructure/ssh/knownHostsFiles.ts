import fs from 'node:fs/promises';
import type { KnownHostsFilesPort } from '../../application/ports/knownHosts.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { localFault } from '../../domain/fault.ts';
import { parseKnownHosts, type KnownHosts } from '../../domain/trust/parseKnownHosts.ts';
import { parseRevokedKeys } from '../../domain/trust/parseRevokedKeys.ts';
import type { TrustSource } from '../../domain/trust/trustRecord.ts';

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

  async #readFile(path: string): Promise<KnownHosts> {
    try {
      const stat = await fs.stat(path, { bigint: true });
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

/** `RevokedHostKeys`: one public key a line. A list of revoked keys that cannot be read refuses every host, as with `ssh`. */
async function readRevoked(path: string): Promise<TrustSource> {
  const bytes = await readBounded(path);
  if (bytes.subarray(0, binaryList.length).equals(binaryList))
    throw localFault('needs-system-ssh', { option: `RevokedHostKeys ${path}` });
  return { kind: 'revoked-list', name: path, records: parseRevokedKeys(path, bytes.toString('utf8')) };
}

/** How a key revocation list begins. Source: PROTOCOL.krl. */
const binaryList = Buffer.from('SSHKRL\n\0', 'latin1');

async function readBounded(path: string): Promise<Buffer> {
  try {
    if ((await fs.stat(path)).size > maxBytes) throw new Error('it is too large');
    return await fs.readFile(path);
  } catch (error) {
    throw localFault(
      'config-error',
      { reason: `the list of revoked keys ${path} cannot be read`, path },
      error,
    );
  }
}
