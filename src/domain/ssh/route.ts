import type { ProxyServer } from '../host/host.ts';
import type { Hop } from './hop.ts';
import type { Origin, Target } from './target.ts';

/** How the bytes get to a server. A jump host is a target of its own, with a route of its own. Source: ssh.md 1.2. */
export type Route =
  | { readonly k: 'direct' }
  /** A channel of this hop carries it. */
  | { readonly k: 'jump'; readonly via: Target }
  | {
      readonly k: 'program';
      /** Percent tokens are replaced; a shell runs it. */
      readonly command: string;
      /** `ProxyUseFdpass`: the program hands over a descriptor, which only `ssh` can take. */
      readonly passesDescriptor: boolean;
      readonly at: Origin;
    }
  | { readonly k: 'proxy'; readonly proxy: ProxyServer };

/** Every server on the way, the target last. */
export function hopsOf(target: Target): readonly Target[] {
  return target.route.k === 'jump' ? [...hopsOf(target.route.via), target] : [target];
}

/** `target` as a hop on a way of `count` servers: its number follows from its own route. */
export function hopOf(target: Target, count: number): Hop {
  const hops = hopsOf(target);
  return {
    user: target.user,
    label: target.label,
    index: hops.length,
    count: Math.max(count, hops.length),
    via: hops.slice(0, -1).map((hop) => hop.label),
  };
}
