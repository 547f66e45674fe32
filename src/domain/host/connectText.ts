/** What a person types to name a machine: `user@host:port`, `host`, `[2001:db8::7]:2222`, `ssh://user@host:port`. */
export interface ConnectText {
  readonly user: string | undefined;
  readonly address: string;
  readonly port: number | undefined;
}

/**
 * Reads `[ssh://][user@]host[:port]`. A bare IPv6 literal needs no brackets when there is no port. Undefined when the text names
 * no host, holds white space or control characters, begins with `-`, or has a port outside 1 to 65535.
 */
export function parseConnectText(text: string): ConnectText | undefined {
  const trimmed = text
    .trim()
    .replace(/^ssh:\/\//i, '')
    .replace(/\/$/, '');
  if (trimmed === '' || /[\s\p{Cc}]/u.test(trimmed)) return undefined;
  const at = trimmed.lastIndexOf('@');
  const user = at < 0 ? undefined : trimmed.slice(0, at);
  const rest = trimmed.slice(at + 1);
  if (user === '') return undefined;
  const split = splitPort(rest);
  if (split === undefined || split.address === '' || split.address.startsWith('-')) return undefined;
  return { user, ...split };
}

function splitPort(rest: string): { address: string; port: number | undefined } | undefined {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(rest);
  if (bracketed !== null) return withPort(bracketed[1] ?? '', bracketed[2]);
  if ((rest.match(/:/g) ?? []).length > 1) return { address: rest, port: undefined };
  const [address = '', port] = rest.split(':');
  return withPort(address, port);
}

function withPort(
  address: string,
  port: string | undefined,
): { address: string; port: number | undefined } | undefined {
  if (port === undefined) return { address, port: undefined };
  const number = Number(port);
  return /^\d+$/.test(port) && number >= 1 && number <= 65_535 ? { address, port: number } : undefined;
}
