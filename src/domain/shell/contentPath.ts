import type { Folder, Machine, ReadOptions } from './programRule.ts';
import type { ShellWord } from './shellTree.ts';

/**
 * Reading a regular file changes nothing; opening some devices and kernel files does: a watchdog is armed, a log is consumed, a
 * tracer starts. Programs that open what they are given may be given nothing below these.
 */
const openingActs = [
  '/dev',
  '/proc/kmsg',
  '/proc/sysrq-trigger',
  '/run/initctl',
  '/run/systemd/initctl',
  '/proc/acpi/event',
  '/proc/bus/pci',
  '/sys/kernel/debug',
  '/sys/kernel/tracing',
];
const harmlessDevices = new Set(['/dev/null', '/dev/zero', '/dev/stdin', '/dev/fd/0']);
/** Where a recursive read would open such files by itself. */
const recursionTraps = ['/', '/dev', '/proc', '/sys'];
/** dash and older bash let such a pattern match `..`. */
const mayMatchParent = /(^|\/)\.\.?[*?[]/;
/** Reading the registers or the memory of a device may act on it. */
const deviceFile = /^\/sys\/.*\/(resource\d[^/]*|rom|vpd|mem|trace_pipe|(?<=\/pci[^/]*\/.*)config)$/;
/** Folders of the kernel whose files all only tell something. */
const tellingFolders =
  /^\/sys\/(devices\/system|block|class\/(thermal|net|dmi|hwmon|power_supply)|fs\/cgroup|kernel\/mm|module)\//;
/** Links below /proc that lead anywhere. */
const processLink = /^\/proc\/.*\/(root|cwd|fd|map_files)(\/|$)/;
/** The kernel follows links before `..`, so the text does not say where such a path leads. */
const parentStep = /(^|\/)\.\.(\/|$)/;
/** The login folder of a system account may be `/`, which makes these the real ones. */
const underRoot = /^~\/(dev|proc|sys)(\/|$)/;

/** Why opening this word for reading is not proven to be harmless; undefined when it is. `-` is standard input. */
export function refuseContent(word: ShellWord, machine: Machine): string | undefined {
  if (word.text === '-' || word.text === '') return undefined;
  if (word.hasPattern && mayMatchParent.test(word.text)) return `${word.text} may match the folder above.`;
  for (const folder of machine.folders) {
    if (word.hasPattern && couldReach(word, folder)) return `${word.text} may match a device.`;
    const path = place(word.text, folder);
    if (path === undefined) return `${word.text} may lead to a device.`;
    if (harmlessDevices.has(path)) continue;
    if (isTrap(path)) return `Opening ${word.text} may act on a device.`;
  }
  return undefined;
}

/** As an operand check: every operand is opened for reading, and what may be taken for one. */
export function contentOperands(
  read: Pick<ReadOptions, 'operands'> & Partial<Pick<ReadOptions, 'behindOperands'>>,
  machine: Machine,
): string | undefined {
  for (const word of [...read.operands, ...(read.behindOperands ?? [])]) {
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
  for (const start of starts)
    for (const folder of machine.folders) {
      const path = place(start, folder);
      if (
        path === undefined ||
        path === '/' ||
        path === '~' ||
        path === '~/' ||
        recursionTraps.slice(1).some((trap) => isBelow(path, trap))
      )
        return `Reading everything below ${start} may open devices.`;
    }
  return undefined;
}

/** Whether the word names a folder, or may, in which opening a file by its name alone may act. */
export function mayBeKernelFolder(word: ShellWord, machine: Machine): boolean {
  const folders = machine.folders.map((folder) => place(word.text, folder));
  return folders.some((path) => path === undefined || /^(\/|~\/?|\/run|\/(proc|sys)(\/.*)?)$/.test(path));
}

/**
 * The path as seen from `folder`: absolute, or below the login folder as `~/…`. Undefined when what is known does not say where it
 * leads: behind `..`, and the folders of other people (`~sys` is /dev on many systems).
 */
export function place(text: string, folder: Folder): string | undefined {
  if (parentStep.test(text)) return undefined;
  if (text.startsWith('/')) return normalise(text);
  if (text.startsWith('~')) return /^~(\/|$)/.test(text) ? text : undefined;
  return folder.startsWith('/') ? normalise(`${folder}/${text}`) : `${folder}${normalise(`/${text}`)}`;
}

function isTrap(path: string): boolean {
  return (
    openingActs.some((trap) => isBelow(path, trap)) ||
    deviceFile.test(path) ||
    processLink.test(path) ||
    underRoot.test(path)
  );
}

function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  const plain = `/${parts.join('/')}`;
  return plain.replace(/^\/var\/run(?=\/|$)/, '/run');
}

function isBelow(path: string, trap: string): boolean {
  return path === trap || path.startsWith(`${trap}/`);
}

/** Whether the pattern could match a path below a trap. Only what stands before its first special character is certain. */
function couldReach(word: ShellWord, folder: Folder): boolean {
  const { text, literalPrefix: prefix } = word;
  if (prefix.startsWith('~')) return place(prefix, folder) === undefined || isTrap(prefix);
  const whole = prefix.startsWith('/') ? prefix : `${folder}/${prefix}`;
  if (!whole.startsWith('/'))
    return parentStep.test(prefix) || (mayEnterRootFolder(prefix) && text.includes('/', prefix.length));
  const normal = normalise(whole);
  const path = whole.endsWith('/') && normal !== '/' ? `${normal}/` : normal;
  return (
    openingActs.some((trap) => `${trap}/`.startsWith(path)) ||
    isTrap(path) ||
    path.startsWith('/proc/') ||
    mayNameDevice(text, path)
  );
}

/** Whether a pattern below /sys may end in a file whose reading acts: its last name is a pattern, or is such a file. */
function mayNameDevice(text: string, path: string): boolean {
  if (!path.startsWith('/sys/')) return false;
  const last = text.slice(text.lastIndexOf('/') + 1);
  if (/[*?[]/.test(last)) return !tellingFolders.test(path) || text.includes('/device');
  return deviceFile.test(`/sys/x/${last}`);
}

/** Whether a name that begins like this, in a login folder that may be `/`, can be one of the kernel's folders. */
function mayEnterRootFolder(prefix: string): boolean {
  const name = prefix.replace(/^(\.\/+)+/, '');
  return ['dev', 'proc', 'sys'].some((trap) => trap.startsWith(name) || name.startsWith(`${trap}/`));
}
