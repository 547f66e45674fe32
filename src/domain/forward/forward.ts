import { randomUUID } from 'node:crypto';

/** Which side listens: this machine (`local`, `dynamic`) or the server (`remote`). Source: ssh.md 6. */
export type ForwardKind = 'local' | 'remote' | 'dynamic';

/**
 * Where a forward listens. `host` absent = only what runs on the same machine, on 127.0.0.1 and ::1; empty or `*` = everybody. Port 0 is
 * a port of the listening side's choice.
 */
export type ForwardBind = { readonly host?: string; readonly port: number } | { readonly path: string };

/** What the side that does not listen connects to. */
export type ForwardDestination = { readonly host: string; readonly port: number } | { readonly path: string };

/** What `ssh` needs to know of a forward. Without a destination each client names its own, by SOCKS. */
export interface ForwardPlace {
  readonly kind: ForwardKind;
  readonly bind: ForwardBind;
  readonly destination: ForwardDestination | undefined;
}

declare const forwardIdBrand: unique symbol;
/** A stored forward, by its UUID, or one of an OpenSSH configuration, by host and what it is. */
export type ForwardId = string & { readonly [forwardIdBrand]: true };

/** When a forward starts by itself. Source: ssh.md 6. */
export type AutoStart = 'never' | 'withConnection' | 'firstUse';

/** A forward as a plain setting of a host; it holds no state. Source: ssh.md 6. */
export interface ForwardSpec extends ForwardPlace {
  readonly id: ForwardId;
  readonly label?: string;
  readonly autoStart: AutoStart;
  /** A person has agreed that other machines may connect to it. */
  readonly mayOthersConnect?: true;
}

export function newForwardId(): ForwardId {
  return randomUUID() as ForwardId;
}

/** The id that a stored row or a command names. */
export function asForwardId(text: string): ForwardId {
  return text as ForwardId;
}

/** Whether other machines than the listening one could connect. A name other than `localhost` may be any address. */
export function reachesOthers(bind: ForwardBind): boolean {
  if ('path' in bind || bind.host === undefined) return false;
  const { host } = bind;
  return (
    host.toLowerCase() !== 'localhost' && host !== '::1' && !/^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
  );
}

/** Whether a person has to agree before it listens. What the server lets in is the server's own decision. Source: ssh.md 6. */
export function needsConsent({ kind, bind }: Pick<ForwardPlace, 'kind' | 'bind'>): boolean {
  return kind !== 'remote' && reachesOthers(bind);
}
