import { localFault } from '../fault.ts';

/** The families whose quoting is known. Nothing is ever quoted for another kind of shell. */
export type QuotableFamily = 'posix' | 'powershell' | 'cmd';

/**
 * One argument for a remote shell, as one word with no further meaning. The only place that quotes; NUL is refused for every family,
 * and for `cmd` whatever cannot be made harmless there. Throws `internal`. Source: ssh.md 0.7.
 */
export function quoteForShell(family: QuotableFamily, argument: string): string {
  switch (family) {
    case 'posix':
      return quotePosix(argument);
    case 'powershell':
      return quotePowerShell(argument);
    case 'cmd':
      return quoteCmd(argument);
  }
}

/** Words that no POSIX shell changes stay readable; anything else stands between single quotes. */
export function quotePosix(argument: string): string {
  refuse(argument, /\0/, 'NUL');
  if (/^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** PowerShell takes four more characters for a single quote; inside single quotes each is doubled. */
export function quotePowerShell(argument: string): string {
  refuse(argument, /\0/, 'NUL');
  return `'${argument.replace(/['\u2018\u2019\u201A\u201B]/g, '$&$&')}'`;
}

/** `%`, `!` and `"` cannot be quoted reliably for `cmd.exe`, and a line break ends its command. */
export function quoteCmd(argument: string): string {
  refuse(argument, /[\0\r\n"%!]/, 'a character that cmd.exe cannot quote');
  return `"${argument.replace(/\\+$/, '$&$&')}"`;
}

/**
 * A path as one argument that no program takes for an option: a leading `-` becomes `./-`. The empty path is refused.
 * Source: ssh.md 0.7.
 */
export function quotePathForShell(family: QuotableFamily, path: string): string {
  refuse(path, /^$/, 'an empty path');
  return quoteForShell(family, path.startsWith('-') ? `./${path}` : path);
}

function refuse(argument: string, what: RegExp, name: string): void {
  if (what.test(argument))
    throw localFault('internal', { reason: `an argument holds ${name} and cannot be quoted` });
}
