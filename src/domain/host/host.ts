import type { HostId } from './hostId.ts';

export type Tier = 'prod' | 'stage' | 'dev';

/** What decides quoting and features. `network-cli` and `menu` hosts are limited: terminal only. Source: ssh.md 1.9. */
export type ShellFamily = 'posix' | 'powershell' | 'cmd' | 'network-cli' | 'menu' | 'unknown';

/** How a person or a stored secret proves who connects. Secrets themselves live in SecretStorage only. */
export type IdentityRef =
  | { readonly kind: 'default' }
  | { readonly kind: 'keyFile'; readonly path: string }
  | { readonly kind: 'agent' }
  | { readonly kind: 'password'; readonly credentialId: string | undefined };

/** What a person has decided about signing in to one host. Source: ssh.md 2.1 and 2.3. */
export interface SignInChoice {
  /** Failed sign-ins after which the server hangs up, where it is not 6. */
  readonly attemptLimit?: number;
  /** Overrides the configuration. `keys` are fingerprints of the only keys that the server sees; absent = all. */
  readonly agentForwarding?: {
    readonly isOn: boolean;
    readonly keys?: readonly string[];
    readonly confirm?: boolean;
  };
}

/** What the vault stores about a machine. Persistent truth without run-time state. Source: ssh.md 10.1. */
export interface HostRecord {
  readonly id: HostId;
  readonly label: string;
  /** Names or addresses; raced when several. */
  readonly addresses: readonly string[];
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly identity: IdentityRef;
  readonly tier: Tier | undefined;
  readonly group: string | undefined;
  readonly tags: readonly string[];
  /** An alias of an OpenSSH config whose values stay live. */
  readonly alias: string | undefined;
  /** Absent = nothing was decided. */
  readonly signIn?: SignInChoice;
  /** Grows with every write; a stale write is detected by it. */
  readonly revision: number;
}

/** A row of the Hosts tree and of `list_hosts`: stored, or live from an OpenSSH config. No secrets, no key paths. */
export interface HostListing {
  readonly id: HostId;
  readonly label: string;
  readonly source: 'vault' | 'ssh_config';
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly group: string | undefined;
  readonly tags: readonly string[];
  readonly tier: Tier | undefined;
  readonly alias: string | undefined;
}

/** What was learned about a host by an actual answer; absent = not known yet. */
export interface HostFacts {
  readonly shellFamily?: ShellFamily;
  /** Base name of the login shell, for example `bash`. */
  readonly loginShell?: string;
  /** `uname -s`, for example `Linux`. */
  readonly os?: string;
  readonly home?: string;
}
