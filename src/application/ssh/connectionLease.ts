import { localFault, type Fault } from '../../domain/fault.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { Channels, Lease } from '../ports/connection.ts';

export interface LeaseParts {
  readonly target: Pick<Target, 'user' | 'port'>;
  readonly channels: Channels;
  readonly lost: Promise<Fault>;
  /** False once it was released while the connection is still there. */
  readonly isHeld: () => boolean;
  /** As `Lease.takeBanner`. */
  readonly takeBanner: () => string;
  readonly release: () => void;
}

/** A lease that carries nothing any more once it was released. */
export function connectionLease({ target, channels, lost, isHeld, takeBanner, release }: LeaseParts): Lease {
  const usable = (): Channels => {
    if (!isHeld()) throw localFault('cancelled', { reason: 'the lease was released' });
    return channels;
  };
  return {
    lost,
    user: target.user,
    port: target.port,
    shell: async (options, signal) => usable().shell(options, signal),
    exec: async (command, signal) => usable().exec(command, signal),
    bytes: async (kind, options, signal) => usable().bytes(kind, options, signal),
    direct: async (to, signal) => usable().direct(to, signal),
    listen: async (bind, onClient, signal) => usable().listen(bind, onClient, signal),
    get allowed() {
      return channels.allowed;
    },
    get onAllowedChange() {
      return channels.onAllowedChange;
    },
    takeBanner,
    release,
  };
}
