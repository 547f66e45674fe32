import type { HostRecord } from '../host/host.ts';

/** The keywords whose value a record of the vault sets itself, whatever the configuration says. Source: ssh.md 1.2; decisions 14. */
export function overriddenKeywords(record: HostRecord | undefined): ReadonlySet<string> {
  const own: readonly (readonly [string, boolean])[] = [
    ['port', record?.port !== undefined],
    ['user', record?.user !== undefined],
    ['hostname', record?.alias !== undefined && record.addresses.length > 0],
    ['identityfile', record !== undefined && record.identity.kind !== 'default'],
    ['proxyjump', record?.route?.jump !== undefined],
    ['proxycommand', record?.route?.command !== undefined],
    ['forwardagent', record?.signIn?.agentForwarding !== undefined],
  ];
  return new Set(own.flatMap(([keyword, isOwn]) => (isOwn ? keyword : [])));
}
