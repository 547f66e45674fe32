/** One server named in a ProxyJump chain, as it would be typed behind `ssh`. */
export interface JumpElement {
  readonly alias: string;
  readonly user?: string;
  readonly port?: number;
}

/**
 * The servers of a ProxyJump value, the first to be connected to first; empty for `none`. Each is `alias`, `user@alias`, `alias:port`,
 * `[v6]:port` or an `ssh://` URI. Undefined where `ssh` refuses the value. Source: ssh.md 1.2; ssh_config(5), ProxyJump.
 */
export function parseJumpChain(value: string): readonly JumpElement[] | undefined {
  const text = value.replace(/#.*$/s, '').trimEnd();
  if (text.toLowerCase() === 'none') return [];
  const elements = text
    .split(',')
    .map((part) => (part.startsWith('ssh://') ? parseUri(part) : parseElement(part)));
  return elements.every((element) => element !== undefined) ? elements : undefined;
}

/** `user@host:port`, as the element is written in a chain. */
export function describeElement({ alias, user, port }: JumpElement): string {
  const host = alias.includes(':') ? `[${alias}]` : alias;
  return `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${String(port)}`}`;
}

function parseElement(text: string): JumpElement | undefined {
  const at = text.lastIndexOf('@');
  return elementOf(at < 0 ? undefined : text.slice(0, at), text.slice(at + 1));
}

/** `ssh://[user[;parameters]@]host[:port][/]` */
function parseUri(text: string): JumpElement | undefined {
  const rest = /^ssh:\/\/([^/]*)\/?$/.exec(text)?.[1];
  if (rest === undefined) return undefined;
  const at = rest.lastIndexOf('@');
  if (at < 0) return elementOf(undefined, rest);
  const user = rest.slice(0, at).split(';')[0] ?? '';
  return /%(?![0-9A-Fa-f]{2})/.test(user) ? undefined : elementOf(decoded(user), rest.slice(at + 1));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function elementOf(user: string | undefined, hostAndPort: string): JumpElement | undefined {
  const found = /^(?:\[([^\]\s]+)\]|([^\s:/[\]]+))(?::(\d{0,5}))?$/.exec(hostAndPort);
  const alias = found?.[1] ?? found?.[2];
  if (alias === undefined || user === '' || (user !== undefined && /\s/.test(user))) return undefined;
  const port = found?.[3] === undefined || found[3] === '' ? undefined : Number(found[3]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { alias, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) };
}
