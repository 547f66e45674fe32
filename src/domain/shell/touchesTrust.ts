import { anything, withVariables } from './withVariables.ts';

/**
 * Files that decide who may come in, what runs by itself, and what this program trusts. A command that is not proven and names one of
 * them asks the person in every mode but Full access. Source: decisions 17; issue "Safety", part 8.
 */
const trustFiles: readonly RegExp[] = [
  // Start-up files of shells.
  /(^|\/)\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|login|inputrc|pam_environment|xprofile|xsessionrc)$/,
  /(^|\/)\.config\/(fish|environment\.d|autostart|systemd)(\/|$)/,
  /^\/etc\/(profile|bash\.bashrc|bashrc|zshrc|zshenv|environment|csh\.cshrc|shells|ld\.so\.preload|ld\.so\.conf|rc\.local)$/,
  /^\/etc\/(profile|ld\.so\.conf|environment)\.d(\/|$)/,
  /^\/etc\/(zsh|fish|init\.d|init|update-motd\.d)(\/|$)/,
  // Who may log in.
  /^\/etc\/(passwd|shadow|group|gshadow|login\.defs|nsswitch\.conf|securetty|subuid|subgid)-?$/,
  /^\/etc\/(pam\.d|security|pam\.conf|sssd|polkit-1)(\/|$)/,
  /^\/(usr\/share|usr\/lib)\/(polkit-1|pam\.d)(\/|$)/,
  // SSH.
  /(^|\/)\.ssh(\/|$)/,
  /(^|\/)(authorized_keys2?|known_hosts|sshd_config|ssh_config)$/,
  /^\/etc\/ssh(\/|$)/,
  /(^|\/)\.(rhosts|shosts)$/,
  /^\/etc\/hosts\.(equiv|allow|deny)$/,
  // sudo and doas.
  /^\/etc\/(sudoers|sudo\.conf|doas\.conf|sudoers\.d)(\/|$)/,
  // What runs by itself.
  /^\/etc\/(cron[\w.-]*|anacrontab|at\.(allow|deny)|inittab)(\/|$)/,
  /^\/var\/spool\/(cron|at|anacron|incron)(\/|$)/,
  /^\/(etc|run|lib|usr\/lib|usr\/local\/lib)\/systemd(\/|$)/,
  /^\/etc\/(udev|logrotate\.d|dpkg\/dpkg\.cfg\.d|apt\/apt\.conf\.d|NetworkManager\/dispatcher\.d|network\/if-[\w-]+\.d)(\/|$)/,
  /(^|\/)\.(git\/(hooks|config)|gitconfig)(\/|$)/,
  // Whose packages and certificates are believed.
  /^\/etc\/(apt\/(sources\.list|sources\.list\.d|trusted\.gpg|trusted\.gpg\.d|keyrings)|yum\.repos\.d|pki|ssl\/certs|ca-certificates)(\/|$)/,
  /^\/usr\/local\/share\/ca-certificates(\/|$)/,
  // Our own settings and skills.
  /(^|\/)\.termind(\/|$)/,
  /(^|\/)termind\.(json|ya?ml|toml)$/i,
  /(^|\/)\.vscode(-\w+)?\/(settings|tasks|launch|mcp)\.json$/,
  /(^|\/)(SKILL|AGENTS)\.md$/,
  /(^|\/)(\.agents|\.claude|\.config\/termind)(\/|$)/,
];

/** A line that names more folders may lead anywhere. */
const mostFolders = 16;

/** Such files by their usual names, for patterns: what a shell may match is tried against these. */
const usualFiles = [
  '/etc/sudoers',
  '/etc/sudoers.d/x',
  '/etc/doas.conf',
  '/etc/passwd',
  '/etc/shadow',
  '/etc/group',
  '/etc/profile',
  '/etc/profile.d/x.sh',
  '/etc/environment',
  '/etc/bash.bashrc',
  '/etc/ld.so.preload',
  '/etc/pam.d/sshd',
  '/etc/ssh/sshd_config',
  '/etc/crontab',
  '/etc/cron.d/x',
  '/etc/cron.daily/x',
  '/var/spool/cron/crontabs/root',
  '/etc/systemd/system/x.service',
  '/etc/rc.local',
  '/root/.ssh/authorized_keys',
  '/home/x/.ssh/authorized_keys',
  '/root/.bashrc',
  '/home/x/.bashrc',
  '/root/.profile',
  '/home/x/.profile',
];

/**
 * The first word of a command line that names such a file, as it will be read by a shell; undefined when there is none. It looks at the
 * text and not at the parse tree, so that lines which do not parse, programs within quotes and words behind `=` or `:` count too. A
 * word too many only makes one more question. `cwd` is where the line starts; the folders that it names by `cd` and `-C` count as well, and
 * variables with what the line gives them.
 */
export function touchesTrust(line: string, cwd: string | undefined): string | undefined {
  // What an escape within $'…' stands for is not read here: such a line may name anything.
  const coded = /\$'[^']*\\[^']*'/.exec(line)?.[0];
  if (coded !== undefined) return coded;
  const variables = withVariables(line.replace(/\\\n/g, '').replace(/['"\\]/g, ''));
  const text = variables === undefined ? undefined : withBraces(variables);
  if (text === undefined) return line.trim().split(/\s+/)[0];
  const words = text.split(/[\s;|&<>()=,:`{}@]+|\$(?!\w)/).filter(isSaid);
  const folders = new Set([
    cwd ?? '~',
    ...words.flatMap((word, at) => (/^(cd|pushd|-C)$/.test(word) ? (words[at + 1] ?? []) : [])),
  ]);
  if (folders.size > mostFolders) return words[0];
  const found = words.find((word) =>
    [word, ...[...folders].map((folder) => `${folder}/${word}`)].some(namesTrust),
  );
  return found?.replaceAll(anything, '*');
}

/** Whether an absolute path, taken as it is, is such a file, lies in such a folder, or is a folder that usually holds some. */
export function isTrustPath(path: string): boolean {
  if (trustFiles.some((shape) => shape.test(path))) return true;
  const folder = path.replace(/^\/home\/[^/]+$/, '/home/x').replace(/\/$/, '');
  return usualFiles.some((file) => file.startsWith(`${folder}/`));
}

/** Something is left besides what nobody can say. */
function isSaid(word: string): boolean {
  return word.replaceAll(anything, '').replaceAll('/', '') !== '' || /^\/+$/.test(word);
}

function namesTrust(path: string): boolean {
  const plain = collapse(path).replaceAll(anything, '*');
  if (trustFiles.some((shape) => shape.test(plain))) return true;
  if (!/[*?[]/.test(plain)) return false;
  // So many stars match nearly anything, and trying them takes long.
  if ((plain.match(/\*+/g) ?? []).length > 4) return true;
  const shape = patternOf(plain);
  return usualFiles.some((file) => shape.test(file));
}

/** Without `//`, `/./` and `..`; the login folder in its forms becomes one of the usual ones. */
function collapse(path: string): string {
  const parts: string[] = [];
  for (const part of path.replace(/^(~\w*|\$HOME|HOME)(?=\/|$)/, '/home/x').split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `${path.startsWith('/') || path.startsWith('~') || /^\$?HOME(\/|$)/.test(path) ? '/' : ''}${parts.join('/')}`;
}

/** A pattern of the shell, read generously: a bracket is any one character. */
function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/\[[^\]]*\]?/g, '?')
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${source}$`);
}

/** Longest text that alternatives in braces are written out to. */
const longestText = 40_000;

/** Alternatives in braces written out, innermost first; undefined when they become too many to look at. */
function withBraces(line: string): string | undefined {
  const done: string[] = [];
  const open = line.split(/\s+/);
  let written = 0;
  for (let word = open.pop(); word !== undefined; word = open.pop()) {
    const end = word.indexOf('}');
    const start = word.lastIndexOf('{', end);
    if (end < 0 || start < 0) {
      done.push(word);
      continue;
    }
    const choices = word.slice(start + 1, end).split(',');
    const [before, after] = [word.slice(0, start), word.slice(end + 1)];
    written += choices.length * word.length;
    if (written > longestText) return undefined;
    // The shell leaves braces around one word as they are; here they are dropped.
    for (const choice of choices) open.push(`${before}${choice}${after}`);
  }
  return done.reverse().join(' ');
}
