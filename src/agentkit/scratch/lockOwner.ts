/** Who holds a lock: one process on one machine. */
export interface LockOwner {
  readonly pid: number;
  /** Differs for a later process under the same id; empty where the system does not tell. */
  readonly startToken: string;
  /** Process ids mean something only within it. */
  readonly machine: string;
}

/** What this process is, and whether another has certainly ended. Source: decisions 2. */
export interface LockOwnerPort {
  readonly self: LockOwner;
  /** Certain knowledge. False when the owner runs or when nobody here can know. */
  isGone(owner: LockOwner): boolean;
}
