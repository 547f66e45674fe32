import type { HostId } from '../../domain/host/hostId.ts';

/** What a person says about archives of `tar` on a host. Source: ssh.md 8.7, 6. */
export interface ArchiveConsentPort {
  /** True: they may be used there. What was refused is not kept. */
  isGiven(host: HostId): boolean;
  /** Asks, keeps an agreement, and resolves when the question is gone. `label`: the host for people. */
  ask(question: { readonly host: HostId; readonly label: string; readonly files: number }): Promise<void>;
}
