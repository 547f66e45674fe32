/** Where an agent may listen. */
export type AgentPlace =
  /** A Unix socket, or a named pipe of Windows. */
  | { readonly k: 'socket'; readonly path: string }
  /** A file of Cygwin or MSYS that names a local port and a secret. */
  | { readonly k: 'cygwin'; readonly path: string }
  /** A Pageant that is reached by window messages only. */
  | { readonly k: 'pageant' };

/** What the places depend on. */
export interface AgentSurroundings {
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** How a place is shown to people. */
export function placeName(place: AgentPlace): string {
  return place.k === 'pageant' ? 'Pageant' : place.path;
}

const windowsPipe = '\\\\.\\pipe\\openssh-ssh-agent';

/** A path or pipe as somebody has named it. On Windows everything but a pipe is a file of Cygwin or MSYS. Source: ssh.md 2.3. */
export function placeOf(path: string, platform: string): AgentPlace {
  const isFile = platform === 'win32' && !/^[\\/]{2}[.?][\\/]pipe[\\/]/i.test(path);
  return isFile ? { k: 'cygwin', path } : { k: 'socket', path };
}

/** A variable that is unset, empty or a place. */
export function placeInVariable(
  name: string,
  { environment, platform }: Pick<AgentSurroundings, 'environment' | 'platform'>,
): AgentPlace | undefined {
  const value = environment[name];
  return value === undefined || value === '' ? undefined : placeOf(value, platform);
}

/**
 * Where agents of the desktop, of gpg and of password managers listen when nothing names them, in the order in which they are asked.
 * `pipes` are the names of the named pipes of Windows. Source: ssh.md 2.3.
 */
export function wellKnownPlaces(
  surroundings: AgentSurroundings,
  pipes: readonly string[],
): readonly AgentPlace[] {
  const { platform, environment, home } = surroundings;
  if (platform === 'win32') return windowsPlaces(environment, pipes);
  const run = environment['XDG_RUNTIME_DIR'];
  const inRuntime = run === undefined || run === '' ? [] : runtimeSockets.map((name) => `${run}/${name}`);
  const inHome = [...(platform === 'darwin' ? macSockets : []), ...homeSockets].map(
    (name) => `${home}/${name}`,
  );
  return [...inRuntime, ...inHome].map((path): AgentPlace => ({ k: 'socket', path }));
}

const runtimeSockets = [
  'ssh-agent.socket',
  'openssh_agent',
  'gcr/ssh',
  'keyring/ssh',
  'gnupg/S.gpg-agent.ssh',
];
const homeSockets = ['.gnupg/S.gpg-agent.ssh', '.1password/agent.sock', '.bitwarden-ssh-agent.sock'];
const macSockets = [
  'Library/Group Containers/2BUA8C4S2C.com.1password/t/agent.sock',
  'Library/Containers/com.maxgoedjen.Secretive.SecretAgent/Data/socket.ssh',
];

/** The name of a newer Pageant's pipe ends in a hash that only Windows can compute, so it is found among the pipes that exist. */
function windowsPlaces(
  environment: AgentSurroundings['environment'],
  pipes: readonly string[],
): readonly AgentPlace[] {
  const user = (environment['USERNAME'] ?? '').toLowerCase();
  const pageants = pipes.filter((name) => name.toLowerCase().startsWith(`pageant.${user}.`));
  return [
    { k: 'socket', path: windowsPipe },
    ...pageants.map((name): AgentPlace => ({ k: 'socket', path: `\\\\.\\pipe\\${name}` })),
    { k: 'pageant' },
  ];
}

/** The value of a variable in what `systemctl --user show-environment` prints, which quotes as a shell does. */
export function variableIn(listing: string, name: string): string | undefined {
  const line = listing.split('\n').find((one) => one.startsWith(`${name}=`));
  if (line === undefined) return undefined;
  const value = line.slice(name.length + 1);
  const quoted = /^\$?'(.*)'$/.exec(value)?.[1] ?? /^"(.*)"$/.exec(value)?.[1];
  const text = quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1');
  return text === '' ? undefined : text;
}
