import { AgentError } from '../agentError.ts';

declare const brand: unique symbol;

/** A checked, normalised path inside scratch: components joined by `/`, NFC, at most 8 of them; empty is the root. */
export type ScratchPath = string & { readonly [brand]: 'ScratchPath' };

export const scratchRoot = '' as ScratchPath;

const mostBytes = 1_024;
const mostComponentBytes = 255;
export const mostComponents = 8;
const refusedCharacters = /[\p{Cc}\\:<>"|?*]/u;
const loneSurrogate = /\p{Cs}/u;
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * The path of a file or folder below the root. `.` components and doubled slashes collapse; `..` is refused, not resolved. What one
 * supported system would read as another file (drive letters, device names, streams, trailing dots) is refused on all of them.
 * Throws `scratchPathRefused`. Source: agent runtime contract, section 10.
 */
export function scratchPath(text: string): ScratchPath {
  const path = scratchFolderPath(text);
  if (path === scratchRoot) throw refused(text === '' ? 'it is empty' : 'it is the root');
  return path;
}

/** As `scratchPath`, but the empty path and `.` are the root. */
export function scratchFolderPath(text: string): ScratchPath {
  if (text.startsWith('/')) throw refused('it is absolute; paths are relative to scratch');
  if (text.startsWith('~')) throw refused('it starts with ~');
  if (loneSurrogate.test(text)) throw refused('it is not valid Unicode');
  const components = text
    .normalize('NFC')
    .split('/')
    .filter((component) => component !== '' && component !== '.');
  for (const component of components) checkComponent(component);
  if (components.length > mostComponents) throw refused(`it has more than ${mostComponents} components`);
  const path = components.join('/');
  if (Buffer.byteLength(path, 'utf8') > mostBytes) throw refused(`it has more than ${mostBytes} bytes`);
  return path as ScratchPath;
}

/** A child of a folder by a name that comes from the file system; undefined when no path of ours can name it. */
export function childPath(folder: ScratchPath, name: string): ScratchPath | undefined {
  try {
    if (name.includes('/')) return undefined;
    const path = scratchPath(folder === scratchRoot ? name : `${folder}/${name}`);
    return path.endsWith(name.normalize('NFC')) ? path : undefined;
  } catch {
    return undefined;
  }
}

export function componentsOf(path: ScratchPath): readonly string[] {
  return path === scratchRoot ? [] : path.split('/');
}

/** The folder that holds `path`, and its name there. `path` is not the root. */
export function splitPath(path: ScratchPath): { readonly folder: ScratchPath; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, slash)) as ScratchPath, name: path.slice(slash + 1) };
}

/** True for `path` itself and for what lies below it. */
export function isWithin(folder: ScratchPath, path: ScratchPath): boolean {
  return folder === scratchRoot || path === folder || path.startsWith(`${folder}/`);
}

function checkComponent(component: string): void {
  if (component === '..') throw refused('it contains ..');
  const character = refusedCharacters.exec(component)?.[0];
  if (character !== undefined) throw refused(`it contains ${JSON.stringify(character)}`);
  if (/[. ]$/.test(component)) throw refused('a component ends in a dot or a space');
  if (deviceName.test((component.split('.')[0] ?? '').trimEnd()))
    throw refused(`${component} is a device name`);
  if (Buffer.byteLength(component, 'utf8') > mostComponentBytes)
    throw refused(`a component has more than ${mostComponentBytes} bytes`);
}

function refused(reason: string): AgentError {
  return new AgentError('scratchPathRefused', { reason });
}
