import { randomUUID } from 'node:crypto';
import { quotePosix } from '../../domain/ssh/quote.ts';

/** Where systems keep the server program for SFTP. Source: ssh.md 8.4. */
export const knownPrograms = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/libexec/sftp-server',
  '/usr/lib/ssh/sftp-server',
] as const;

export interface ProgramStart {
  readonly command: string;
  /**
   * What the command prints on a line of its own before the server speaks, with the path of the program behind it; with nothing behind it
   * when there is none, and then it ends.
   */
  readonly marker: string;
}

/**
 * Runs the first server program that is there, whatever the login shell is: a POSIX shell that it can start does the looking. Everything
 * before the marker is text of start-up files. Source: ssh.md 8.4.
 */
export function programStart(first: string | undefined): ProgramStart {
  const marker = `termind-sftp-${randomUUID()}:`;
  const programs = [...new Set([...(first === undefined ? [] : [first]), ...knownPrograms])];
  const look =
    `for p in ${programs.map(quotePosix).join(' ')}; do ` +
    `if test -x "$p"; then printf "%s\\n" "${marker}$p"; exec "$p"; fi; done; printf "%s\\n" "${marker}"`;
  return { command: `exec sh -c ${quotePosix(look)}`, marker };
}

/** Says where the first server program is, in the same words, without running it. */
export function programQuestion(): ProgramStart {
  const marker = `termind-sftp-${randomUUID()}:`;
  const look =
    `for p in ${knownPrograms.join(' ')}; do ` +
    `if test -x "$p"; then printf "%s\\n" "${marker}$p"; exit 0; fi; done; printf "%s\\n" "${marker}"`;
  return { command: `exec sh -c ${quotePosix(look)}`, marker };
}
