/**
 * A forward as `ssh -G` prints it, or undefined when OpenSSH would refuse it: a port, `[host]:port`, or the path of a socket.
 * Source: ssh_config(5), LocalForward, RemoteForward, DynamicForward.
 */
export function forwardSpec(
  kind: 'localForward' | 'remoteForward' | 'dynamicForward',
  words: readonly string[],
): string | undefined {
  const [listenWord, connectWord, ...rest] = words;
  if (listenWord === undefined || rest.length > 0) return undefined;
  const listen = listenEnd(listenWord);
  if (listen === undefined) return undefined;
  if (kind === 'dynamicForward') return connectWord === undefined ? listen : undefined;
  if (connectWord === undefined) return kind === 'remoteForward' ? `${listen} [socks]:0` : undefined;
  const connect = connectWord.includes('/') ? connectWord : hostAndPort(connectWord);
  return connect === undefined ? undefined : `${listen} ${connect}`;
}

function listenEnd(word: string): string | undefined {
  if (word.includes('/')) return word;
  return isPort(word) ? String(Number(word)) : hostAndPort(word);
}

function hostAndPort(word: string): string | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(word);
  const port = match?.[3];
  if (match === null || port === undefined || !isPort(port)) return undefined;
  return `[${match[1] ?? match[2] ?? ''}]:${String(Number(port))}`;
}

function isPort(word: string): boolean {
  return /^\d{1,5}$/.test(word) && Number(word) <= 65535;
}
