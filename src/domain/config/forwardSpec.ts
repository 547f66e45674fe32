import { expandEnvironment, type Environment } from './expandTokens.ts';
import { readPort } from './scalars.ts';

export type ForwardKind = 'localForward' | 'remoteForward' | 'dynamicForward';

/**
 * A forward as `ssh -G` prints it, or undefined when OpenSSH would refuse it: ports, `[host]:port`, or the paths of sockets. `${NAME}` is
 * replaced at once, percent tokens in paths are left. Source: ssh_config(5), LocalForward, RemoteForward, DynamicForward; OpenSSH
 * `parse_forward`.
 */
export function forwardSpec(
  kind: ForwardKind,
  [listen = '', connect]: readonly string[],
  environment: Environment,
): string | undefined {
  const isDynamic = kind === 'dynamicForward' || (kind === 'remoteForward' && connect === undefined);
  if (!isDynamic && connect === undefined) return undefined;
  const fields = forwardFields(isDynamic ? listen : `${listen}:${connect ?? ''}`, environment);
  if (fields === undefined) return undefined;
  const ends = forwardEnds(fields, isDynamic);
  if (ends === undefined) return undefined;
  const from = printedEnd(ends.from, { mayBeZero: kind === 'remoteForward' });
  if (from === undefined || kind === 'dynamicForward') return from;
  if (isDynamic) return `${from} [socks]:0`;
  const to = ends.to === undefined ? undefined : printedEnd(ends.to, { mayBeZero: false });
  return to === undefined ? undefined : `${from} ${to}`;
}

export interface ForwardField {
  readonly text: string;
  readonly isPath: boolean;
}

/** One to four fields between colons; a bracketed one is literal, a backslash takes the next character as it is. */
export function forwardFields(spec: string, environment: Environment): readonly ForwardField[] | undefined {
  const text = expandEnvironment(spec, environment)?.trimStart();
  if (text === undefined) return undefined;
  const fields: ForwardField[] = [];
  let at = 0;
  while (at < text.length && fields.length < 4) {
    let value = '';
    if (text[at] === '[') {
      const close = text.indexOf(']', at);
      if (close < 0 || (close + 1 < text.length && text[close + 1] !== ':')) return undefined;
      value = text.slice(at + 1, close);
      at = close + 2;
    } else {
      for (; at < text.length && text[at] !== ':'; at++) {
        if (text[at] === '\\' && ++at >= text.length) return undefined;
        value += text.charAt(at);
      }
      at++;
    }
    fields.push({ text: value, isPath: value.includes('/') });
  }
  return at < text.length ? undefined : fields;
}

/** One end: a path, a port, or a host with its port. */
export interface ForwardEnd {
  readonly path?: string;
  readonly host?: string | undefined;
  readonly port?: string;
}

/** Which field is what; undefined where OpenSSH refuses the number or the kinds of fields. */
export function forwardEnds(
  fields: readonly ForwardField[],
  isDynamic: boolean,
): { readonly from: ForwardEnd; readonly to: ForwardEnd | undefined } | undefined {
  const [a, b, c, d] = fields;
  if (a === undefined) return undefined;
  const path = ({ text }: ForwardField): ForwardEnd => ({ path: text });
  const at = (host: ForwardField | undefined, port: ForwardField): ForwardEnd => ({
    host: host?.text,
    port: port.text,
  });
  if (isDynamic) {
    if (c !== undefined) return undefined;
    if (b === undefined) return { from: a.isPath ? path(a) : at(undefined, a), to: undefined };
    return a.isPath || b.isPath ? undefined : { from: at(a, b), to: undefined };
  }
  if (b === undefined) return undefined;
  if (c === undefined) {
    if (!b.isPath) return undefined;
    return { from: a.isPath ? path(a) : at(undefined, a), to: path(b) };
  }
  if (d === undefined) {
    if (a.isPath) return { from: path(a), to: at(b, c) };
    if (c.isPath) return { from: at(a, b), to: path(c) };
    return { from: at(undefined, a), to: at(b, c) };
  }
  return { from: at(a, b), to: at(c, d) };
}

/** The size of a socket's name. Source: unix(7). */
export const longestSocketPath = 108;
const longestHost = 1025;

function printedEnd(end: ForwardEnd, { mayBeZero }: { readonly mayBeZero: boolean }): string | undefined {
  if (end.path !== undefined) return end.path.length < longestSocketPath ? end.path : undefined;
  const port = readPort(end.port ?? '');
  if (port === undefined || (port === 0 && !mayBeZero)) return undefined;
  if (end.host === undefined) return String(port);
  return end.host.length < longestHost ? `[${end.host}]:${String(port)}` : undefined;
}
