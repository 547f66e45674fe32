import type { HostId } from '../../domain/host/hostId.ts';

/** A host as it is: `place` differs as soon as its record leads elsewhere. */
export interface ArchivePlace {
  readonly host: HostId;
  readonly place: string;
}

/** What a person says about archives of `tar` on a host. Source: ssh.md 8.7, 6. */
export interface ArchiveConsentPort {
  /** True: they may be used there. What was refused is not kept. */
  isGiven(at: ArchivePlace): boolean;
  /** Asks, keeps an agreement, and resolves when the question is gone. `label`: the host for people. */
  ask(question: ArchivePlace & { readonly label: string; readonly files: number }): Promise<void>;
  /** The hosts with an agreement, of which some may be gone or lead elsewhere. */
  given(): readonly HostId[];
  /** Takes an agreement back: the next archive is not begun. */
  withdraw(host: HostId): Promise<void>;
}
