import type { ForwardSpec } from '../forward/forward.ts';
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
  /** Reference of a kept password that goes with another identity than one of kind `password`: keys are tried as well, and first. */
  readonly passwordRef?: string;
  /** Failed sign-ins after which the server hangs up, where it is not 6. */
  readonly attemptLimit?: number;
  /** Overrides the configuration. `keys` are fingerprints of the only keys that the server sees; absent = all. */
  readonly agentForwarding?: {
    readonly isOn: boolean;
    readonly keys?: readonly string[];
    readonly confirm?: boolean;
  };
}

/** Source: ssh.md 5.3. */
export interface LegacyChoice {
  /** Names of the legacy list; others have no effect. */
  readonly algorithms: readonly string[];
  /** Why, in the person's words; asked for on `prod`. */
  readonly reason?: string;
}

/** A network proxy that carries the first connection of a way. Source: ssh.md 1.2. */
export interface ProxyServer {
  /** SOCKS5 resolves names itself, SOCKS4a as well; `http` uses CONNECT. */
  readonly kind: 'socks4a' | 'socks5' | 'http';
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  /** Reference of the password in the secret storage. */
  readonly secretRef?: string;
}

/** How a machine is reached, where its record says so; each field wins over the configuration. Source: ssh.md 1.2. */
export interface HostRoute {
  /** Spelled as ProxyJump; `none` = neither a jump host nor a program of the configuration. */
  readonly jump?: string;
  /** Spelled as ProxyCommand; `none` = no program. */
  readonly command?: string;
  /** For the first server on the way, in front of every jump host. */
  readonly proxy?: ProxyServer;
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
  /** Weak algorithms that a person has switched on for this host, by exact name. Source: ssh.md 5.3. */
  readonly legacy?: LegacyChoice;
  /** Absent = as the configuration says. */
  readonly route?: HostRoute;
  /** Those of the configuration are not among them. Source: ssh.md 6. */
  readonly forwards?: readonly ForwardSpec[];
  /** The system's own `ssh` connects. Source: ssh.md 1.8. */
  readonly useSystemSsh?: true;
  /** The person's word on the login shell: the host is not asked. `unknown` = nothing is assumed. Absent = asked once. Source: ssh.md 1.9. */
  readonly shellFamily?: ShellFamily;
  /** Nothing writes its files, whoever asks; commands are not meant. Source: ssh.md 8.2. */
  readonly filesReadOnly?: true;
  /** Grows with every write; a stale write is detected by it. */
  readonly revision: number;
}

/** The reference under which the secret storage has the password of a host. */
export function passwordRefOf({
  identity,
  signIn,
}: Pick<HostRecord, 'identity' | 'signIn'>): string | undefined {
  return (identity.kind === 'password' ? identity.credentialId : undefined) ?? signIn?.passwordRef;
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
  /** The legacy algorithms that are allowed for it; absent when none are. Source: ssh.md 5.3. */
  readonly legacy?: readonly string[];
  /** Its files are only read. Source: ssh.md 8.2. */
  readonly filesReadOnly?: true;
  /**
   * Equal for equal ways to the machine and equal choices of its login shell, as they are configured; means nothing else. Absent = a direct
   * way to its one address, with the shell that it has.
   */
  readonly way?: string;
}

/** What refusals have told about the channels that a server grants; forgotten after a while. Source: ssh.md 1.5. */
export interface ChannelFacts {
  /** Counted channels at a time. */
  readonly limit?: number;
  /** Serves one command at a time. */
  readonly oneCommand?: true;
  /** When it was learned, in milliseconds since 1970. */
  readonly at: number;
}

/** What the files of a host are reached by, where an answer has told; forgotten after a while. Source: ssh.md 8.4. */
export interface FilesFacts {
  /** `command`: by the server program, because the subsystem is no use; `shell`: there is no SFTP; `none`: and no POSIX shell either. */
  readonly way?: 'command' | 'shell' | 'none';
  /** Absolute path of the server program for SFTP. */
  readonly program?: string;
  /** Names of optional operations that were refused as unsupported. */
  readonly refused?: readonly string[];
  /** When it was learned, in milliseconds since 1970. */
  readonly at: number;
}

/** What was learned about a host by an actual answer; absent = not known yet. */
export interface HostFacts {
  readonly shellFamily?: ShellFamily;
  /** Base name of the login shell, for example `bash`. */
  readonly loginShell?: string;
  /** `uname -s`, for example `Linux`; with the binary behind its tools where that is not the usual one: `Linux (busybox)`. */
  readonly os?: string;
  readonly home?: string;
  readonly channels?: ChannelFacts;
  readonly files?: FilesFacts;
}
