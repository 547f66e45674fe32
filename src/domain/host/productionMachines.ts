import type { HostListing } from './host.ts';

/**
 * The same hosts, where every host that leads to the machine of a production host counts as production itself: the switch belongs to
 * the machine, and a second name is no way around it. A machine is told by the address and port of its host, not by the user, and not by
 * what a name resolves to. An address that many networks have, such as localhost behind jump hosts, is one machine by one way only.
 * Source: mission E1; ssh.md 10.3.
 */
export function withProductionMachines(hosts: readonly HostListing[]): readonly HostListing[] {
  const production = new Set(hosts.filter(({ tier }) => tier === 'prod').map(machineOf));
  return hosts.map((host) =>
    host.tier !== 'prod' && production.has(machineOf(host)) ? { ...host, tier: 'prod' } : host,
  );
}

function machineOf({ address, port, way }: HostListing): string {
  const name = address.toLowerCase().replace(/\.$/, '');
  return JSON.stringify([name, port, reused.test(name) ? way : undefined]);
}

/** Loopback, private and link-local addresses. */
const reused =
  /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/;
