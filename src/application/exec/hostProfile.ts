import type { HostFacts, ShellFamily } from '../../domain/host/host.ts';

/** What decides quoting, the prelude and proofs on one host. Source: ssh.md 1.9. */
export type HostProfile = HostFacts & { readonly shellFamily: ShellFamily };

/** A host of which nothing may be assumed: no prelude, nothing proven. */
export const unknownProfile: HostProfile = { shellFamily: 'unknown' };

/** Limited hosts offer a terminal only and are never probed. */
export function isLimited(family: ShellFamily | undefined): boolean {
  return family === 'network-cli' || family === 'menu';
}

/**
 * One harmless command line that only a POSIX shell answers in full: it prints `mark`, the shell that reads it, the login shell,
 * `uname -s`, the home directory, the value of an arithmetic expansion, and `mark`. It changes nothing anywhere.
 */
export function profileQuestion(mark: string): string {
  return `printf '%s\\n' '${mark}' "$0" "\${SHELL-}" "$(uname -s)" "\${HOME-}" "$((6*7))" '${mark}'`;
}

/**
 * Reads the answer to `profileQuestion`; text of start-up files around it is ignored. Anything but the full answer is not a POSIX
 * shell as far as we know. Values that are no plain text are left out.
 */
export function readProfile(stdout: string, mark: string): HostProfile {
  const lines = stdout.split('\n');
  const start = lines.indexOf(mark);
  const [reader, login, os, home, sum, end] = lines.slice(start + 1, start + 7);
  if (start < 0 || sum !== '42' || end !== mark) return unknownProfile;
  const loginShell = shellName(reader) ?? shellName(login);
  return {
    shellFamily: 'posix',
    ...(loginShell === undefined ? {} : { loginShell }),
    ...(isPlain(os) ? { os } : {}),
    ...(isPlain(home) && home.startsWith('/') ? { home } : {}),
  };
}

/** `-bash` and `/bin/bash` are `bash`. */
function shellName(text: string | undefined): string | undefined {
  const name = text?.replace(/^-/, '').split('/').at(-1);
  return name !== undefined && /^[a-z][a-z0-9_.-]{0,31}$/.test(name) ? name : undefined;
}

function isPlain(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text.length <= 1024 && !/\p{Cc}/u.test(text);
}
