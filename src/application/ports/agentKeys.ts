import type { HostId } from '../../domain/host/hostId.ts';

/** What an agent holds, for people. */
export interface AgentKeys {
  /** Where it listens; undefined when none answers. */
  readonly endpoint: string | undefined;
  /** Each key once, also where the agent holds certificates of it. Labels are sanitised. */
  readonly keys: readonly {
    readonly label: string;
    readonly fingerprint: string;
    readonly keyType: string;
  }[];
}

/** Looks into the agent that a host would use. */
export interface AgentKeysPort {
  /** Asks the agent now. Rejects when the host is unknown, or on abort. */
  of(host: HostId, signal: AbortSignal): Promise<AgentKeys>;
}
