import { readPort } from './scalars.ts';

/** One hop of a chain as it is written: a host with user and port where given. Brackets around an address are taken off. */
export interface JumpHop {
  readonly user: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
}

/** A chain as it is written, without its comment, and the servers in it, the first to be connected to first; none for `none`. */
export interface JumpChainText {
  readonly text: string;
  readonly hops: readonly JumpHop[];
}

/** Reads the value of `ProxyJump`; undefined where OpenSSH refuses it. A comment ends it. Source: ssh_config(5), ProxyJump; OpenSSH `parse_jump`. */
export function readJumpChain(value: string): JumpChainText | undefined {
  if (value.toLowerCase() === 'none') return { text: 'none', hops: [] };
  const text = value.replace(/#.*$/s, '').trimEnd();
  const hops = text.split(',').map(readHop);
  return hops.every((hop) => hop !== undefined) ? { text, hops } : undefined;
}

/** The name of the last server of a chain that OpenSSH takes; empty without one. */
export function lastJumpHost(value: string): string {
  return readJumpChain(value)?.hops.at(-1)?.host ?? '';
}

/** A chain of `ProxyJump` as `ssh -G` prints it, or undefined. Its last hop is printed in one form, those before it as written. */
export function jumpSpec(rest: string): string | undefined {
  const chain = readJumpChain(rest.replace(/^[ \t\r\n=]+/, ''));
  const last = chain?.hops.at(-1);
  if (chain === undefined || last === undefined) return chain?.text;
  const { text } = chain;
  const cut = text.lastIndexOf(',');
  const isNumeric = last.host.includes(':') || /^[\d.]*$/.test(last.host);
  return [
    cut < 0 ? '' : `${text.slice(0, cut)},`,
    last.user === undefined ? '' : `${last.user}@`,
    isNumeric ? `[${last.host}]` : last.host,
    last.port === undefined ? '' : `:${String(last.port)}`,
  ].join('');
}

/** `user@host:port`, `[address]:port` or `ssh://user@host:port`; undefined when it is none. */
function readHop(text: string): JumpHop | undefined {
  if (text.startsWith('ssh://')) return readUri(text.slice('ssh://'.length));
  const at = text.lastIndexOf('@');
  if (at === 0) return undefined;
  return readHostPort(text.slice(at + 1), at < 0 ? undefined : text.slice(0, at));
}

function readUri(text: string): JumpHop | undefined {
  const at = text.indexOf('@');
  const user = at < 0 ? undefined : decodeUser(text.slice(0, at).replace(/;.*$/s, ''));
  if (user === '' || (at >= 0 && user === undefined)) return undefined;
  const hop = readHostPort(text.slice(at + 1).replace(/\/$/, ''), user);
  return hop !== undefined && isDomain(hop.host) ? { ...hop, host: hop.host.replace(/\.$/, '') } : undefined;
}

function decodeUser(text: string): string | undefined {
  return /%(?![0-9a-f]{2})/i.test(text)
    ? undefined
    : text
        .replace(/\+/g, ' ')
        .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function readHostPort(text: string, user: string | undefined): JumpHop | undefined {
  const match = /^(\[[^\]]*\]|[^[:/][^:/]*)(?:[:/](.*))?$/s.exec(text);
  const [, host = '', portText = ''] = match ?? [];
  if (host === '' || host === '[]') return undefined;
  const port = portText === '' ? undefined : readPort(portText);
  if (portText !== '' && (port === undefined || port === 0)) return undefined;
  return { user, host: /^\[.*\]$/s.test(host) ? host.slice(1, -1) : host, port };
}

/** Letters, digits, `-`, `_` and single dots. Source: OpenSSH `valid_domain`. */
export function isDomain(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]*$/i.test(text) && !text.includes('..');
}
