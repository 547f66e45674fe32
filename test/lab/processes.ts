import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

function pids(): number[] {
  try {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // no Linux: nothing can be looked up
  }
}

function read(pid: number, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone meanwhile, or of another user
  }
}

interface Stat {
  readonly state: string | undefined;
  readonly parent: number;
}

/** The program name in /proc/pid/stat may hold blanks and brackets, so fields are counted from its last bracket. */
function statOf(pid: number): Stat {
  const stat = read(pid, 'stat');
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent) };
}

/** Every living process below `rootPid`, without itself. Source: proc(5). */
export function descendantsOf(rootPid: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of pids()) {
    const { parent } = statOf(pid);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  const open = [rootPid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const below = children.get(next) ?? [];
    found.push(...below);
    open.push(...below);
  }
  return found;
}

/** Every living process that was started with the environment entry `entry` (`NAME=value`), as far as we may look. */
export function processesWithEnvironment(entry: string): number[] {
  return pids().filter((pid) => read(pid, 'environ').split('\0').includes(entry));
}

/** Every living process that runs under the user id `uid`. */
export function processesOfUser(uid: number): number[] {
  return pids().filter((pid) => fs.statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid);
}

/** Arguments and environment of every living process, as far as we may look: what other accounts of a machine could see. */
export function processTable(): readonly (readonly [place: string, content: string])[] {
  return pids().flatMap((pid) =>
    ['cmdline', 'environ'].map((file) => [`${file} of process ${String(pid)}`, read(pid, file)] as const),
  );
}

/** Sends `signal` to each process that still exists. */
export function signalEach(targets: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of targets) {
    try {
      process.kill(pid, signal);
    } catch {
      // ended by itself
    }
  }
}

/** True while a process with this id runs, whoever owns it. One that has ended and waits to be reaped does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return statOf(pid).state !== 'Z';
}

/** Resolves when none of them runs any more. Rejects after `deadlineMs`, naming those that do. */
export async function ended(targets: readonly number[], deadlineMs = 45_000): Promise<void> {
  const until = Date.now() + deadlineMs;
  for (let left = targets.filter(isAlive); left.length > 0; left = left.filter(isAlive)) {
    if (Date.now() > until)
      throw new Error(`Processes ${left.join(', ')} did not end within ${deadlineMs} ms.`);
    await delay(10);
  }
}
