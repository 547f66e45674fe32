import { commandWords } from './commandWords.ts';
import type { HostListing } from './host.ts';

/** Signs in to its first operand, or by an option that names a host. */
const logins = named('ssh slogin autossh sftp psftp plink dbclient mosh rsh rlogin ssh-copy-id');
/** Reach whatever stands in front of a colon; a path is a path of the machine itself. */
const copiers = named('scp pscp rsync sshfs unison borg');
/** Run something on every host that is named anywhere. */
const fleets = named(
  'pssh parallel-ssh parallel-scp parallel-rsync prsync pdsh pdcp clush dsh ansible ansible-playbook salt salt-ssh fab sshuttle',
);
/** Options of `ssh` and `sftp` that take the next word. Source: ssh(1), sftp(1). */
const takesWord = /^-[1246AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOopQRSWwP]$/;
const loginSchemes = named('ssh sftp scp');
/** A container engine is the machine. */
const engineSchemes = named('ssh sftp scp tcp');
/** Put hosts behind the program that follows them. */
const feeders = named('xargs parallel');
/** Filled in when it runs. */
const isUnsaid = /[$%]|\{\}/;
/** Parts of scripting languages that sign in to what their script says somewhere. */
const libraries = /\b(?:paramiko|asyncssh|netmiko|fabric|Net::(?:SSH|SCP|SFTP|OpenSSH)|ssh2_connect)\b/;

/**
 * The first of `hosts` that `text`, a command or what it reads, may sign in to: by a program that does, or an address of one, with the
 * label, the address or the alias of the host where a host stands. A program whose host is filled in when it runs counts for every name in
 * the text. It catches a slip and not a purpose: nothing is expanded or decoded, and the address may be unused. Reading from a git server
 * is no signing in. Source: decisions 75.
 */
export function signsInTo(text: string, hosts: readonly HostListing[]): HostListing | undefined {
  const reached = commandWords(text).flatMap(reachedBy);
  const isOpen = libraries.test(text) || reached.some((place) => isUnsaid.test(place));
  const said = isOpen ? [...reached, ...everyWord(text)] : reached;
  const names = new Set(said.flatMap(namesIn));
  return hosts.find((host) => namesOf(host).some((name) => names.has(name)));
}

/** What stands where a host does; `{}` for one that another program puts there. */
function reachedBy(words: readonly string[]): readonly string[] {
  const programs = words.map(programOf);
  const git = programs.indexOf('git');
  if (git >= 0 && !words.includes('push', git)) return [];
  const isEngine =
    programs.some((program) => program === 'docker' || program === 'podman') ||
    words.some((word) => word.startsWith('DOCKER_HOST='));
  const schemes = isEngine ? engineSchemes : loginSchemes;
  const behind = (isOne: (program: string) => boolean): readonly string[] => {
    const at = programs.findIndex(isOne);
    return at < 0 ? [] : words.slice(at + 1);
  };
  const isFed = behind((program) => feeders.has(program)).some((word) => logins.has(programOf(word)));
  return [
    ...words.flatMap((word) => addressesIn(word, schemes)),
    ...programs.flatMap((program, at) => (logins.has(program) ? loginPlaces(words, at + 1) : [])),
    ...(isFed ? ['{}'] : []),
    ...behind((program) => copiers.has(program) || program === 'git').filter(isRemotePath),
    ...behind((program) => fleets.has(program)).flatMap((word) => word.split('=')),
  ];
}

function programOf(word: string): string {
  return word
    .replace(/^(?:\[|ProxyCommand=)/i, '')
    .replace(/^.*\//, '')
    .replace(/\.exe$/i, '');
}

/** The options of a login and its first operand. */
function loginPlaces(words: readonly string[], from: number): readonly string[] {
  const places: string[] = [];
  for (let at = from; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) return [...places, word];
    const value = takesWord.test(word) ? (words[++at] ?? '') : word.slice(2);
    const named = /^(?:ProxyJump|HostName)[= ]+(.*)$/i.exec(value)?.[1];
    if (word.startsWith('-J')) places.push(value);
    else if (word.startsWith('-o') && named !== undefined) places.push(named);
  }
  return places;
}

/** `host:path`, `user@host:path`, `[address]:path`. */
function isRemotePath(word: string): boolean {
  return /^(?:[^/:]*@)?(?:\[[^\]]+\]|[^/:]+):/.test(word) && !/^[a-z+]+:\/\//i.test(word);
}

/** Of `ssh://user@host:port/…`, `qemu+ssh://…`, `sftp:user@host:…`. */
function addressesIn(word: string, schemes: ReadonlySet<string>): readonly string[] {
  const found = word.matchAll(/([a-z][a-z0-9+]{0,20}):(?:\/\/)?([^\s/?#]+)/gi);
  return [...found].flatMap(([, scheme = '', place = '']) =>
    scheme
      .toLowerCase()
      .split('+')
      .some((part) => schemes.has(part))
      ? [place]
      : [],
  );
}

/** A host may stand with its user, port, path and brackets. */
function namesIn(place: string): readonly string[] {
  const host = place.slice(place.lastIndexOf('@') + 1);
  const bracketed = /^\[([^\]]+)\]/.exec(host)?.[1];
  return [host, bracketed ?? host.replace(/:.*$/s, '')].map(spelled);
}

function everyWord(text: string): readonly string[] {
  return text.split(/[\s'"`;|&<>(){}=,]+/);
}

/** A loopback address leads from another machine to that machine itself. */
function namesOf({ label, address, alias }: HostListing): readonly string[] {
  return [label, address, alias ?? label]
    .map(spelled)
    .filter((name) => !/^(localhost|127\..*|::1)$/.test(name));
}

function spelled(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function named(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
