import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes below `ancestor`, itself left out, oldest first. */
export function descendants(ancestor: number): ProcessEntry[] {
  const all = process.platform === 'linux' ? fromProc() : fromPs();
  const found: ProcessEntry[] = [];
  const family = new Set([ancestor]);
  for (let grew = true; grew;) {
    grew = false;
    for (const entry of all) {
      if (family.has(entry.pid) || !family.has(entry.parent)) continue;
      family.add(entry.pid);
      found.push(entry);
      grew = true;
    }
  }
  return found.sort((a, b) => a.pid - b.pid);
}

/** Sends a signal; a process that is gone already is fine. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}

function fromProc(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The program's name is in parentheses and may hold anything, so fields count from the last one.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      entries.push({ pid: Number(name), parent, command });
    } catch {
      // It ended between the listing and the look.
    }
  }
  return entries;
}

function fromPs(): ProcessEntry[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}
