import type { SocketRules } from '../../domain/forward/configForwards.ts';
import type { PermittedOpens } from '../../domain/forward/permittedOpens.ts';
import type { ForwardSpec } from '../../domain/forward/forward.ts';
import type { HostListing } from '../../domain/host/host.ts';

/** A forward of a host, with what is needed to run it. */
export interface KnownForward extends ForwardSpec {
  readonly host: HostListing;
  /** From an OpenSSH configuration, read-only here: `path:line`, empty when that is not known. Absent: stored. */
  readonly configOrigin?: string;
  readonly sockets: SocketRules;
  /** Where clients of a remote forward that name their destination by SOCKS may go; absent = anywhere. */
  readonly permittedOpens?: PermittedOpens;
  /** `ExitOnForwardFailure yes`: the connection fails when it cannot listen. */
  readonly failsTheConnection: boolean;
}
