import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A run whose lease was not renewed for longer is nobody's. Renewal is every 10 s. Source: agent runtime contract, section 23. */
export const leaseLimitMs = 45_000;

/** Who holds a lease: a window, in one process, on one machine. Source: decisions 2. */
export interface LeaseOwner {
  readonly windowId: string;
  /** Process ids mean something only within it. */
  readonly machine: string;
  readonly pid: number;
  /** Differs for a later process under the same id; empty where the system does not tell. */
  readonly startToken: string;
}

export function thisProcess(windowId: string): LeaseOwner {
  return { windowId, machine: machineName(), pid: process.pid, startToken: startToken(process.pid) ?? '' };
}

export function isSameOwner(a: LeaseOwner, b: LeaseOwner): boolean {
  return (
    a.windowId === b.windowId && a.machine === b.machine && a.pid === b.pid && a.startToken === b.startToken
  );
}

export interface Lease {
  readonly owner: LeaseOwner;
  readonly renewedAt: number;
}

/** Somebody still holds it. The owner's own lease does not lapse while it is alive to ask. */
export function isLeaseLive(lease: Lease, self: LeaseOwner, now: number): boolean {
  if (isSameOwner(lease.owner, self)) return true;
  return now - lease.renewedAt <= leaseLimitMs && !isOwnerGone(lease.owner);
}

/** Certain knowledge that the owner's process has ended. False when it runs or when this machine cannot know. */
export function isOwnerGone(owner: LeaseOwner): boolean {
  if (owner.machine !== machineName()) return false;
  const token = startToken(owner.pid);
  if (token !== undefined && owner.startToken !== '') return token !== owner.startToken;
  return !isProcess(owner.pid);
}

/** The host's name and, on Linux, the process namespace: containers that share a folder do not share process ids. */
function machineName(): string {
  try {
    return `${hostname()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Boot and start time of a process, or undefined where /proc does not show it. Source: proc(5), field 22 of `stat`. */
function startToken(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold anything, brackets included.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const started = fields[19];
    if (started === undefined) return undefined;
    // A process that has ended but was not waited for keeps its entry.
    return state === 'Z' || state === 'X' ? 'ended' : `${boot}:${started}`;
  } catch {
    return undefined;
  }
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
