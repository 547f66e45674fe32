import { showUntrusted, shortText, type TextLimits } from '../ssh/untrustedText.ts';
import { fileError } from './fileFault.ts';
import { bytesOfText, piecesOf, textOfBytes } from './nameText.ts';

declare const pathBrand: unique symbol;
/** A path on a host: bytes without NUL, never empty. Nothing else is assumed of them. Not to be written to. Source: ssh.md 8.1 and 8.2. */
export type RemotePath = Uint8Array & { readonly [pathBrand]: true };

declare const nameBrand: unique symbol;
/** One entry of a directory: a path without `/` that is neither `.` nor `..`, so joined to a directory it stays in it. */
export type RemoteName = RemotePath & { readonly [nameBrand]: true };

const slash = 0x2f;
const dot = 0x2e;

/** Rejects with `bad-name`. */
export function remotePath(bytes: Uint8Array): RemotePath {
  if (!isPath(bytes)) throw fileError('bad-name', { path: showPath(bytes) });
  return bytes;
}

/** Rejects with `bad-name`. */
export function remoteName(bytes: Uint8Array): RemoteName {
  if (!isName(bytes)) throw fileError('bad-name', { path: showPath(bytes) });
  return bytes;
}

export function isName(bytes: Uint8Array): bytes is RemoteName {
  return isPath(bytes) && !bytes.includes(slash) && !isDots(bytes);
}

function isPath(bytes: Uint8Array): bytes is RemotePath {
  return bytes.length > 0 && !bytes.includes(0);
}

/** The inverse of `textOfPath`, which is also how a person or a model writes a path. Rejects with `bad-name`. */
export function pathOfText(text: string): RemotePath {
  return remotePath(bytesOfText(text));
}

/** Names exactly these bytes, in one way: the path of a URI, a key of a map. Source: ssh.md 8.2. */
export function textOfPath(path: RemotePath): string {
  return textOfBytes(path);
}

/** In a name they would look like a blank. */
const blanks: ReadonlyMap<string, string> = new Map([
  ['\t', '\\x09'],
  ['\n', '\\x0a'],
  ['\r', '\\x0d'],
]);

/** For people: bytes that are no UTF-8 as `\xE9`, controls escaped, line breaks and tabs too, length bounded. Not to be read back. Source: ssh.md 0.6 and 8.2. */
export function showPath(bytes: Uint8Array, limits: TextLimits = shortText): string {
  return showUntrusted(
    piecesOf(bytes)
      .map((piece) =>
        typeof piece === 'string'
          ? piece.replace(/[\t\n\r]/g, (blank) => blanks.get(blank) ?? blank)
          : `\\x${piece.toString(16).toUpperCase()}`,
      )
      .join(''),
    limits,
  );
}

/** Whether a person sees other characters than the name has. */
export function isShownEscaped(bytes: Uint8Array): boolean {
  const [piece, ...more] = piecesOf(bytes);
  return more.length > 0 || typeof piece !== 'string' || showPath(bytes, unbounded) !== piece;
}
const unbounded: TextLimits = { maxCharacters: Number.MAX_SAFE_INTEGER, maxLines: 1 };

/** `/a`, and with drives also `/C:/a`, which begins alike. */
export function isAbsolute(path: RemotePath): boolean {
  return path[0] === slash;
}

/** `/C:/a`, as servers on Windows name it. */
export function isOnDrive(path: RemotePath): boolean {
  return /^\/[A-Za-z]:(?:\/|$)/.test(Buffer.from(path.subarray(0, 4)).toString('latin1'));
}

export function joinPath(directory: RemotePath, name: RemoteName): RemotePath {
  const isRoot = directory.at(-1) === slash;
  return remotePath(Buffer.concat(isRoot ? [directory, name] : [directory, Buffer.from([slash]), name]));
}

/** Without slashes at the end, other than that of `/`. */
export function trimPath(path: RemotePath): RemotePath {
  let end = path.length;
  while (end > 1 && path[end - 1] === slash) end -= 1;
  return end === path.length ? path : remotePath(path.subarray(0, end));
}

/** The directory that holds it; `/` holds itself, and a bare name is in `.`. Nothing is resolved. */
export function parentOf(path: RemotePath): RemotePath {
  const trimmed = trimPath(path);
  const at = trimmed.lastIndexOf(slash);
  if (at < 0) return remotePath(Buffer.from([dot]));
  return at === 0 ? remotePath(Buffer.from([slash])) : trimPath(remotePath(trimmed.subarray(0, at)));
}

/** The last part; undefined for `/`, `.` and `..`, which name no entry. */
export function nameOf(path: RemotePath): RemoteName | undefined {
  const trimmed = trimPath(path);
  const last = trimmed.subarray(trimmed.lastIndexOf(slash) + 1);
  return isName(last) ? last : undefined;
}

/** Whether a path is a folder or lies in it, going by their names. Nothing is resolved. */
export function isAtOrBelow(path: RemotePath, folder: RemotePath): boolean {
  const inside = Buffer.concat([trimPath(folder), Buffer.from(folder.length === 1 ? '' : '/')]);
  return comparePaths(path, folder) === 0 || comparePaths(path.subarray(0, inside.length), inside) === 0;
}

/** As the server compares them: byte by byte. Source: tools.md, `sftp_list`. */
export function comparePaths(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

function isDots(bytes: Uint8Array): boolean {
  return bytes[0] === dot && (bytes.length === 1 || (bytes.length === 2 && bytes[1] === dot));
}
