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
 * `uname -s` and where `ls` leads, the home directory, the value of an arithmetic expansion, and `mark`. It changes nothing anywhere.
 */
export function profileQuestion(mark: string): string {
  return `printf '%s\\n' '${mark}' "$0" "\${SHELL-}" "$(uname -s) $(readlink "$(command -v ls)" 2>/dev/null)" "\${HOME-}" "$((6*7))" '${mark}'`;
}

/** What a host printed until the channel of the question closed. */
export interface ProfileAnswer {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Reads the answer to `profileQuestion`; text of start-up files around it is ignored. Without the full answer it is no POSIX shell as
 * far as we know: the words in which other families refuse the question name them, and everything else is unknown. Values that are no
 * plain text are left out.
 */
export function readProfile(answer: ProfileAnswer, mark: string): HostProfile {
  const lines = answer.stdout.split('\n');
  const start = lines.indexOf(mark);
  const [reader, login, system, home, sum, end] = lines.slice(start + 1, start + 7);
  if (start < 0 || sum !== '42' || end !== mark)
    return { shellFamily: familyOfRefusal(`${answer.stdout}\n${answer.stderr}`) };
  const os = systemName(system);
  const loginShell = shellName(reader) ?? shellName(login);
  return {
    shellFamily: 'posix',
    ...(loginShell === undefined ? {} : { loginShell }),
    ...(os === undefined ? {} : { os }),
    ...(isPlain(home) && home.startsWith('/') ? { home } : {}),
  };
}

/** How command lines that are no POSIX shell refuse a command that they do not know. */
const refusals: readonly (readonly [ShellFamily, RegExp])[] = [
  ['powershell', /is not recognized as (?:the name of a cmdlet|a name of a cmdlet)|CommandNotFoundException/],
  ['cmd', /is not recognized as an internal or external command/],
  ['network-cli', /^\s*% ?(?:Invalid|Unknown|Unrecognized|Incomplete|Ambiguous|Bad)\b/im],
  [
    'network-cli',
    /^\s*(?:Error: ?)?(?:Unrecognized|Wrong|Incomplete) (?:command|parameter) found at '\^' position/im,
  ],
  ['network-cli', /^\s*\^\s*$[^]*^(?:syntax error|unknown command)/im],
  ['network-cli', /^bad command name \S+ \(line \d+ column \d+\)/im],
  ['network-cli', /^(?:Unknown action \d+|Command fail\. Return code|Invalid input: )/im],
];
const menuLine = /^\s*[[(]?\d{1,2}[\]).:]\s+\S/gm;
const menuPrompt = /\b(?:select|choose|choice|option|selection)\b/i;

function familyOfRefusal(text: string): ShellFamily {
  const named = refusals.find(([, pattern]) => pattern.test(text))?.[0];
  if (named !== undefined) return named;
  return (text.match(menuLine) ?? []).length >= 2 && menuPrompt.test(text) ? 'menu' : 'unknown';
}

/** `-bash` and `/bin/bash` are `bash`. */
function shellName(text: string | undefined): string | undefined {
  const name = text?.replace(/^-/, '').split('/').at(-1);
  return name !== undefined && /^[a-z][a-z0-9_.-]{0,31}$/.test(name) ? name : undefined;
}

/** `Linux /bin/busybox` is `Linux (busybox)`: tools of one binary have other options than those that a system is known for. */
function systemName(text: string | undefined): string | undefined {
  const [name, ls = ''] = text?.split(/ (.*)/) ?? [];
  if (!isPlain(name)) return undefined;
  const binary = /busybox|toybox/.exec(ls)?.[0];
  return binary === undefined ? name : `${name} (${binary})`;
}

function isPlain(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text.length <= 1024 && !/\p{Cc}/u.test(text);
}
