/**
 * How far a save is. `temp`: the new content is being written beside the target; `swapping`: the server was asked to replace the target;
 * `aside`: the old file has another name, the new one not yet its own; the `inPlace` ones: a whole copy of the old content is on the server
 * and the target is being written. Source: ssh.md 8.5.
 */
export type SaveState =
  | 'kept'
  | 'resolved'
  | 'checked'
  | 'temp'
  | 'synced'
  | 'dressed'
  | 'backed'
  | 'swapping'
  | 'aside'
  | 'swapped'
  | 'inPlaceBacked'
  | 'inPlaceWriting'
  | 'inPlaceWritten'
  | 'inPlaceSynced'
  | 'confirmed'
  /** No answer came to a step that may have touched the target; it is to be examined. */
  | 'unknown';

/** What is on the server in a state. Whatever happens, it is one of these and never less. */
export type ServerHolds =
  | 'old'
  | 'oldAndPart'
  | 'oldOrNew'
  /** The target may be missing; the old content is whole under the name that was noted. */
  | 'oldAside'
  /** The target may be anything; the old content is whole in the backup. */
  | 'oldInBackup'
  /** One of the three before this. */
  | 'unknown'
  | 'new';

/** What is to be done when a step of a state fails and the server still answers. */
export type Recovery =
  /** The target was not touched: remove what was made beside it. */
  | 'tidy'
  /** Rename the old file back, then tidy. */
  | 'nameBack'
  /** Write the backup over the target, then tidy. */
  | 'writeBack'
  /** Nobody knows; look at what is there. */
  | 'examine';

interface StateRules {
  readonly next: readonly SaveState[];
  readonly holds: ServerHolds;
  readonly recovery: Recovery;
}

const rules: Readonly<Record<SaveState, StateRules>> = {
  kept: { next: ['resolved'], holds: 'old', recovery: 'tidy' },
  resolved: { next: ['checked'], holds: 'old', recovery: 'tidy' },
  checked: { next: ['temp', 'inPlaceBacked'], holds: 'old', recovery: 'tidy' },
  temp: { next: ['synced', 'checked'], holds: 'oldAndPart', recovery: 'tidy' },
  synced: { next: ['dressed', 'checked'], holds: 'oldAndPart', recovery: 'tidy' },
  dressed: { next: ['backed', 'swapping', 'checked'], holds: 'oldAndPart', recovery: 'tidy' },
  backed: { next: ['swapping', 'checked'], holds: 'oldAndPart', recovery: 'tidy' },
  swapping: { next: ['aside', 'swapped', 'checked'], holds: 'oldOrNew', recovery: 'examine' },
  aside: { next: ['swapped'], holds: 'oldAside', recovery: 'nameBack' },
  swapped: { next: ['confirmed'], holds: 'new', recovery: 'examine' },
  inPlaceBacked: { next: ['inPlaceWriting'], holds: 'old', recovery: 'tidy' },
  inPlaceWriting: { next: ['inPlaceWritten'], holds: 'oldInBackup', recovery: 'writeBack' },
  inPlaceWritten: { next: ['inPlaceSynced'], holds: 'oldInBackup', recovery: 'writeBack' },
  inPlaceSynced: { next: ['confirmed'], holds: 'oldInBackup', recovery: 'examine' },
  confirmed: { next: [], holds: 'new', recovery: 'examine' },
  unknown: { next: ['kept'], holds: 'unknown', recovery: 'examine' },
};

/** The state after a step. Throws `RangeError` for one that does not follow: that would be an error of this program. */
export function advance(from: SaveState, to: SaveState): SaveState {
  if (!rules[from].next.includes(to)) throw new RangeError(`a save does not go from ${from} to ${to}`);
  return to;
}

export function serverHolds(state: SaveState): ServerHolds {
  return rules[state].holds;
}

export function recoveryOf(state: SaveState): Recovery {
  return rules[state].recovery;
}

/** Whether a save that stopped in this state has certainly left the file as it was. */
export function hasLeftOld(state: SaveState): boolean {
  return ['old', 'oldAndPart'].includes(serverHolds(state));
}

/** The state after no answer came. */
export function withoutAnswer(state: SaveState): SaveState {
  return hasLeftOld(state) ? state : 'unknown';
}
