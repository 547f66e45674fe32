import { readJumpChain } from '../config/jumpSpec.ts';
import { bracketed, placeText } from '../host/placeText.ts';

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
  const hops = readJumpChain(value.trimEnd())?.hops;
  // One word of the configuration has no white space; a record could have it.
  if (hops === undefined || hops.some(({ host, user }) => /\s/.test(host) || /\s/.test(user ?? '')))
    return undefined;
  return hops.map(({ host, user, port }) => ({
    alias: host,
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port }),
  }));
}

/** `user@host:port`, as the element is written in a chain. */
export function describeElement({ alias, user, port }: JumpElement): string {
  const place = port === undefined ? bracketed(alias) : placeText(alias, port);
  return user === undefined ? place : `${user}@${place}`;
}
