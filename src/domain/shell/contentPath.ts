import type { Machine, ReadOptions } from './programRule.ts';
import type { ShellWord } from './shellTree.ts';

/**
 * Reading a regular file changes nothing; opening some devices and kernel files does: a watchdog is armed, a log is consumed, a
 * tracer starts. Programs that open what they are given may be given nothing below these.
 */
const openingActs = ['/dev', '/proc/kmsg', '/proc/sysrq-trigger', '/sys/kernel/debug', '/sys/kernel/tracing'];
const harmlessDevices = new Set(['/dev/null', '/dev/zero', '/dev/stdin', '/dev/fd/0']);
/** Where a recursive read would open such files by itself. */
const recursionTraps = ['/', '/dev', '/proc', '/sys'];

/** Why opening this word for reading is not proven to be harmless; undefined when it is. `-` is standard input. */
export function refuseContent(word: ShellWord, machine: Machine): string | undefined {
  if (word.text === '-' || word.text === '') return undefined;
  if (word.hasPattern && couldReach(word.literalPrefix)) return `${word.text} may match a device.`;
  const path = place(word.text, machine);
  if (path === undefined) return `${word.text} may lead to a device.`;
  if (harmlessDevices.has(path)) return undefined;
  const places = path.startsWith('~/') ? [path, normalise(path.slice(1))] : [path];
  return places.some((candidate) => openingActs.some((trap) => isBelow(candidate, trap)))
    ? `Opening ${word.text} may act on a device.`
    : undefined;
}

/** As an operand check: every operand is opened for reading. */
export function contentOperands(read: ReadOptions, machine: Machine): string | undefined {
  for (const word of read.operands) {
    const reason = refuseContent(word, machine);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Every operand is read recursively: kernel file systems are refused whole. */
export function recursiveOperands(words: readonly ShellWord[], machine: Machine): string | undefined {
  const starts = words.length === 0 ? ['.'] : words.map((word) => word.text);
  for (const word of words) {
    const reason = refuseContent(word, machine);
    if (reason !== undefined) return reason;
  }
  for (const start of starts) {
    const path = place(start, machine);
    if (path === undefined || path === '/' || recursionTraps.slice(1).some((trap) => isBelow(path, trap)))
      return `Reading everything below ${start} may open devices.`;
  }
  return undefined;
}

/**
 * The absolute path, a path behind `~` where the folder is not known (it may be `/`), or undefined when `..` may leave it.
 */
function place(text: string, machine: Machine): string | undefined {
  if (text.startsWith('/')) return normalise(text);
  if (/(^|\/)\.\.(\/|$)/.test(text)) {
    if (machine.cwd === undefined || text.startsWith('~')) return undefined;
  }
  if (text.startsWith('~')) return text;
  return machine.cwd === undefined ? `~/${text}` : normalise(`${machine.cwd}/${text}`);
}

function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function isBelow(path: string, trap: string): boolean {
  return path === trap || path.startsWith(`${trap}/`);
}

/** Whether a pattern behind this literal prefix could match a path below a trap. */
function couldReach(prefix: string): boolean {
  if (!prefix.startsWith('/')) return /(^|\/)\.\.(\/|$)/.test(prefix);
  const path = normalise(prefix) + (prefix.endsWith('/') && normalise(prefix) !== '/' ? '/' : '');
  return openingActs.some((trap) => `${trap}/`.startsWith(path) || isBelow(path, trap));
}
