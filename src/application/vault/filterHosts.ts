import fuzzysort from 'fuzzysort';
import type { HostListing } from '../../domain/host/host.ts';

/**
 * Hosts whose label, address, user or a tag matches every word of the query; best first. Case is ignored. The empty query keeps
 * all hosts in their order.
 */
export function filterHosts(hosts: readonly HostListing[], query: string): readonly HostListing[] {
  const wanted = query.trim();
  if (wanted === '') return hosts;
  const found = fuzzysort.go(wanted, hosts, {
    keys: ['label', 'address', 'user', (host: HostListing) => host.tags.join(' ')],
    threshold: 0.3,
  });
  return found.map((result) => result.obj);
}
