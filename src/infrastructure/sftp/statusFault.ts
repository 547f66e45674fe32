import type { FileFaultCode } from '../../domain/fault.ts';
import { statusCode, type statusCode as codes } from './protocol.ts';
import type { Status } from './replies.ts';

/** A request that the server answered with a status other than OK. Turned into a fault before it leaves this folder. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: Status;

  constructor(status: Status) {
    super(`status ${String(status.code)}`);
    this.status = status;
  }
}

const byCode: ReadonlyMap<number, FileFaultCode> = new Map<(typeof codes)[keyof typeof codes], FileFaultCode>(
  [
    [statusCode.noSuchFile, 'not-found'],
    [statusCode.noSuchPath, 'not-found'],
    [statusCode.permissionDenied, 'denied'],
    [statusCode.unsupported, 'unsupported'],
    [statusCode.exists, 'exists'],
    [statusCode.writeProtected, 'read-only'],
    [statusCode.noSpace, 'no-space'],
    [statusCode.quota, 'quota'],
    [statusCode.lockConflict, 'busy'],
    [statusCode.notEmpty, 'not-empty'],
    [statusCode.notDirectory, 'not-directory'],
    [statusCode.invalidName, 'bad-name'],
    [statusCode.linkLoop, 'link-loop'],
    [statusCode.isDirectory, 'is-directory'],
  ],
);

/** Words of the C library that some servers put beside code 4. Source: glibc, `strerror`. */
const byWords: readonly (readonly [string, FileFaultCode])[] = [
  ['no space left on device', 'no-space'],
  ['disk quota exceeded', 'quota'],
  ['text file busy', 'busy'],
  ['device or resource busy', 'busy'],
  ['file exists', 'exists'],
  ['directory not empty', 'not-empty'],
  ['read-only file system', 'read-only'],
  ['is a directory', 'is-directory'],
  ['not a directory', 'not-directory'],
  ['file name too long', 'bad-name'],
  ['cross-device link', 'other-filesystem'],
  ['too many levels of symbolic links', 'link-loop'],
];

/** What a status says by itself; undefined for one that has to be found out about: mostly code 4 without words. Source: ssh.md 8.3 and 8.4. */
export function codeOfStatus({ code, text }: Status): FileFaultCode | undefined {
  const words = text.toLowerCase();
  return byCode.get(code) ?? byWords.find(([start]) => words.includes(start))?.[1];
}
