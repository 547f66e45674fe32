import { readPort } from '../config/scalars.ts';
import { readPermittedOpens, type PermittedOpens } from './permittedOpens.ts';
import type { ForwardBind, ForwardDestination, ForwardKind, ForwardPlace } from './forward.ts';

/** What an OpenSSH configuration says about the forwards of one host. */
export interface ConfigForwards {
  readonly forwards: readonly (ForwardPlace & {
    /** `path:line` of the first line that sets forwards of this kind. */
    readonly origin: string | undefined;
  })[];
  /** `GatewayPorts yes`: what names no address listens for everybody. */
  readonly isForEverybody: boolean;
  /** `ExitOnForwardFailure yes`. */
  readonly failsTheConnection: boolean;
  readonly sockets: SocketRules;
  readonly permittedOpens: PermittedOpens;
}

/** How Unix sockets are made. Source: ssh_config(5), StreamLocalBindUnlink and StreamLocalBindMask. */
export interface SocketRules {
  /** A socket that stands there already is removed first. */
  readonly replaces: boolean;
  /** Permission bits that a socket does not get. */
  readonly mask: number;
}

/** Source: ssh_config(5), StreamLocalBindMask. */
export const usualSocketRules: SocketRules = { replaces: false, mask: 0o177 };

/**
 * Reads the forwards of a resolved configuration, in the spelling of `ssh -G`; what it cannot read is left out. Source: ssh_config(5);
 * OpenSSH `dump_cfg_forwards`.
 */
export function configForwards(config: {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly origin: (keyword: string) => string | undefined;
}): ConfigForwards {
  const first = (keyword: string): string | undefined => config.values.get(keyword)?.[0];
  const mask = first('streamlocalbindmask');
  return {
    forwards: (['local', 'remote', 'dynamic'] as const).flatMap((kind) => {
      const keyword = `${kind}forward`;
      const origin = config.origin(keyword);
      return (config.values.get(keyword) ?? []).flatMap((line) => {
        const place = printedForward(kind, line);
        return place === undefined ? [] : [{ ...place, origin }];
      });
    }),
    isForEverybody: first('gatewayports') === 'yes',
    failsTheConnection: first('exitonforwardfailure') === 'yes',
    sockets: {
      replaces: first('streamlocalbindunlink') === 'yes',
      mask: mask !== undefined && /^[0-7]{1,4}$/.test(mask) ? parseInt(mask, 8) : usualSocketRules.mask,
    },
    permittedOpens: readPermittedOpens(config.values.get('permitremoteopen')),
  };
}

/** One line as `ssh -G` prints it: `8080 [db.example.com]:5432`, `[::1]:1080`, `/run/a.sock /run/b.sock`, `9000 [socks]:0`. */
function printedForward(kind: ForwardKind, line: string): ForwardPlace | undefined {
  const [from = '', to, ...rest] = line.split(' ');
  if (rest.length > 0) return undefined;
  const bind = printedEnd(from);
  if (bind === undefined) return undefined;
  if (kind === 'dynamic' || to === undefined || (kind === 'remote' && to === '[socks]:0'))
    return kind === 'local' ? undefined : { kind, bind, destination: undefined };
  const end = printedEnd(to);
  const destination: ForwardDestination | undefined =
    end === undefined || 'path' in end
      ? end
      : end.host === undefined
        ? undefined
        : { host: end.host, port: end.port };
  return destination === undefined ? undefined : { kind, bind, destination };
}

function printedEnd(text: string): ForwardBind | undefined {
  if (text.includes('/')) return { path: text };
  const match = /^(?:\[(.*)\]:)?(\d+)$/.exec(text);
  const port = readPort(match?.[2] ?? '');
  if (match === null || port === undefined) return undefined;
  return match[1] === undefined ? { port } : { host: match[1] === '*' ? '' : match[1], port };
}
