import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LabAccount } from './account.ts';
import type { KeyPair, KeyRequest } from './sshKey.ts';

/** One running SSH server on 127.0.0.1, whatever its make. Whoever starts it stops it. */
export interface LabServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly account: LabAccount;
  /** Mode 0700; a temporary one is removed by `stop`. */
  readonly folder: string;
  /** A key that opens the account. */
  readonly key: KeyPair;
  /** The current host keys. */
  readonly hostKeys: readonly KeyPair[];
  /** All the server has logged so far. */
  log(): string;
  /** Resolves with the first match in the log, past or future; rejects after `deadlineMs` (10 s when absent). */
  waitForLog(pattern: RegExp, deadlineMs?: number): Promise<RegExpExecArray>;
  /** Makes a key in the server's folder. It opens the account once it is passed to `authorize`. */
  newKey(request?: KeyRequest): Promise<KeyPair>;
  /** Lets `key` log in; `options` as in authorized_keys, for example `command="uptime",no-pty`. */
  authorize(key: KeyPair, options?: string): Promise<void>;
  /** Ends every open connection without a word, as a crash of the machine's server would. New ones are accepted. */
  dropConnections(): void;
  /** A line for known_hosts for each host key. */
  knownHosts(): string;
  /**
   * Arguments for `ssh` that log in with `key`, trust exactly this server and run `command`; for oracle checks.
   * `options` replaces or adds client options, for example `{ IdentityFile: other.privateFile }`.
   */
  sshArguments(command?: string, options?: Readonly<Record<string, string>>): string[];
  /** A block for an OpenSSH client configuration. It names no known_hosts file: trust is the reader's business. */
  configText(alias: string): string;
  /** Ends the server with everything it started and removes its folder and its own account. May be called twice. */
  stop(): Promise<void>;
}

/** What a client has to know of a server. */
type Reachable = Pick<LabServer, 'host' | 'port' | 'account' | 'folder' | 'key' | 'hostKeys'>;

/** See {@link LabServer.knownHosts}. */
export function knownHostsOf({ host, port, hostKeys }: Reachable): string {
  return hostKeys.map((key) => `[${host}]:${port} ${key.publicLine}\n`).join('');
}

/** See {@link LabServer.sshArguments}. Writes a known_hosts file into the server's folder. */
export function sshArgumentsOf(
  server: Reachable,
  command?: string,
  options: Readonly<Record<string, string>> = {},
): string[] {
  const knownHosts = path.join(server.folder, 'oracle_known_hosts');
  writeFileSync(knownHosts, knownHostsOf(server));
  const all = {
    UserKnownHostsFile: knownHosts,
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
    UpdateHostKeys: 'no',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    IdentityFile: server.key.privateFile,
    BatchMode: 'yes',
    ...options,
  };
  const set = Object.entries(all).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const target = ['-p', String(server.port), `${server.account.name}@${server.host}`];
  return ['-F', 'none', ...set, ...target, ...(command === undefined ? [] : [command])];
}

/** See {@link LabServer.configText}. */
export function configTextOf(server: Reachable, alias: string): string {
  return [
    `Host ${alias}`,
    `  HostName ${server.host}`,
    `  Port ${server.port}`,
    `  User ${server.account.name}`,
    `  IdentityFile "${server.key.privateFile}"`,
    '  IdentitiesOnly yes',
    '',
  ].join('\n');
}

/** Starts a server; one that does not come up is stopped, and the promise rejects with its reason. */
export async function started<T extends { start(): Promise<void>; stop(): Promise<void> }>(
  server: T,
): Promise<T> {
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
