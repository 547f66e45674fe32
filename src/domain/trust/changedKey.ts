import type { Tier } from '../host/host.ts';
import type { PresentedKey } from './hostKey.ts';
import type { SourceLine } from './trust.ts';
import type { TrustName } from './trustRecord.ts';

/** A key that was shown in the place of another one, and refused. Source: ssh.md 3.5. */
export interface ChangedKey {
  /** What the person calls the machine. */
  readonly label: string;
  readonly tier: Tier | undefined;
  readonly trust: TrustName;
  readonly presented: PresentedKey;
  /** The keys of the same type that are kept for the name. */
  readonly known: readonly SourceLine[];
}

/** What a person does to put another key, or none, into the place of the known one. */
export interface TypedAct {
  /** Has to be the label of the host. */
  readonly typedName: string;
  /** Why; needed for a production host. */
  readonly reason: string;
}

/** Undefined when the act suffices, else what it lacks. Source: ssh.md 3.5. */
export function missingOfAct(
  act: TypedAct,
  { label, tier }: Pick<ChangedKey, 'label' | 'tier'>,
): 'name' | 'reason' | undefined {
  if (act.typedName.trim() !== label) return 'name';
  return tier === 'prod' && act.reason.trim() === '' ? 'reason' : undefined;
}
