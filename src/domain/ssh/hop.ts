/** One server on a route. `index` counts from 1; the last is the target. */
export interface Hop {
  readonly user: string;
  readonly label: string;
  readonly index: number;
  readonly count: number;
  /** Labels of the hops before it. */
  readonly via: readonly string[];
}

/** `deploy@db1`, and `deploy@db1 (hop 3 of 3, via gate, bastion)` on a longer route. Source: ssh.md 1.3. */
export function hopName(hop: Hop): string {
  const who = `${hop.user}@${hop.label}`;
  if (hop.count === 1) return who;
  const via = hop.via.length === 0 ? '' : `, via ${hop.via.join(', ')}`;
  return `${who} (hop ${String(hop.index)} of ${String(hop.count)}${via})`;
}
