import type { IdentityRef, Tier } from '../host/host.ts';
import type { HostId } from '../host/hostId.ts';
import type { PasswordPlace } from '../host/passwordPlace.ts';
import type { AlgorithmChoice } from './algorithmChoice.ts';
import type { Route } from './route.ts';
import type { SystemDestination } from './systemSsh.ts';

/** Where a resolved value came from, for people: `host record`, `default`, or `~/.ssh/config:12`. */
export type Origin = string;

/** An identity to try, resolved to something a signer can be made from. */
export type IdentityCandidate =
  | { readonly kind: 'keyFile'; readonly path: string; readonly configured: boolean }
  | { readonly kind: 'agent' };

/** An agent that the server may use while connected. Source: ssh.md 2.3. */
export interface AgentForwarding {
  /** As `identityAgent`; undefined = the agent that signs in. */
  readonly agent: string | undefined;
  /** Fingerprints of the only keys that are shown to the server; undefined = all of them. */
  readonly keys: readonly string[] | undefined;
  /** Each signature is asked of the person first. */
  readonly confirm: boolean;
}

/**
 * The resolved thing to connect to. A connection is keyed by `targetKey`. Hops before the last are targets of their own.
 * Source: ssh.md, "Words" and 1.2.
 */
export interface Target {
  readonly hostId: HostId;
  readonly label: string;
  readonly tier: Tier | undefined;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly user: string;
  /** The name under which a host key is searched: HostKeyAlias as written, else the lower-cased HostName (no port). */
  readonly trustName: string;
  readonly trustNameIsAlias: boolean;
  readonly identities: readonly IdentityCandidate[];
  readonly identitiesOnly: boolean;
  /** Files of certificates that the configuration names; those beside a key are found without it. */
  readonly certificateFiles: readonly string[];
  /** A final choice: a socket path, `SSH_AUTH_SOCK`, or `none` when switched off; undefined = the first agent that answers. */
  readonly identityAgent: string | undefined;
  readonly identity: IdentityRef;
  /** Absent for a host without a record of its own. */
  readonly passwordPlace?: PasswordPlace;
  readonly preferredAuthentications: readonly string[] | undefined;
  /** `NumberOfPasswordPrompts`, at least 1. */
  readonly passwordPrompts: number;
  /** Failed sign-ins after which the server is assumed to hang up. */
  readonly attemptLimit: number;
  /** Undefined = off. */
  readonly agentForwarding: AgentForwarding | undefined;
  readonly userKnownHostsFiles: readonly string[];
  readonly globalKnownHostsFiles: readonly string[];
  /** A list of revoked host keys. */
  readonly revokedHostKeys: string | undefined;
  readonly strictHostKeyChecking: 'yes' | 'ask' | 'accept-new' | 'off';
  /** Whether further keys that a known server proves to have are kept. */
  readonly updateHostKeys: 'yes' | 'ask' | 'no';
  readonly connectTimeoutMs: number | undefined;
  readonly serverAliveIntervalMs: number | undefined;
  readonly serverAliveCountMax: number | undefined;
  readonly addressFamily: 'any' | 'inet' | 'inet6';
  /** The own address, or the interface whose address is used. An address wins. */
  readonly bindAddress: string | undefined;
  readonly bindInterface: string | undefined;
  readonly tcpKeepAlive: boolean;
  readonly route: Route;
  /** The system's own `ssh` connects, by its own route, keys and trust. Absent = we do. Source: ssh.md 1.8. */
  readonly systemSsh?: SystemDestination;
  readonly algorithms: AlgorithmChoice;
  readonly environment: readonly { readonly name: string; readonly value: string }[];
  readonly origins: Readonly<Record<string, Origin>>;
}

/**
 * Equal for targets that may share one connection: everything a connection is opened with, the whole way included, whatever it is called
 * in the vault and wherever its password is kept. Its tier counts: a host of production may be asked about what others are not.
 */
export function targetKey(target: Target): string {
  const {
    hostId: _id,
    label: _label,
    origins: _origins,
    passwordPlace: _place,
    identity,
    route,
    ...opened
  } = target;
  const chosen = identity.kind === 'password' ? { kind: identity.kind } : identity;
  return JSON.stringify([opened, chosen, routeKey(route)]);
}

function routeKey(route: Route): unknown {
  if (route.k === 'jump') return targetKey(route.via);
  if (route.k === 'program') return { command: route.command };
  return route;
}
