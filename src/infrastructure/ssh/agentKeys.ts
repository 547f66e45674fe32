import type { AgentKeys, AgentKeysPort } from '../../application/ports/agentKeys.ts';
import type { HostDirectory } from '../../application/ports/hosts.ts';
import { parseCertificate } from '../../domain/keys/certificate.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { fingerprintOf, keyTypeOf } from '../../domain/trust/hostKey.ts';
import type { AgentSearch } from './agentSearch.ts';

/** The keys of the agent that a host would be offered: that of its forwarding, else the one that it signs in with. */
export function agentKeys(
  directory: Pick<HostDirectory, 'target'>,
  agents: Pick<AgentSearch, 'find'>,
): AgentKeysPort {
  return {
    async of(host, signal): Promise<AgentKeys> {
      const { agentForwarding, identityAgent } = await directory.target(host, signal);
      const { agent } = await agents.find(agentForwarding?.agent ?? identityAgent, signal);
      const rows = (agent?.keys ?? []).map(({ blob, comment }) => {
        const key = plainKeyOf(blob);
        return {
          label: showUntrusted(comment),
          fingerprint: fingerprintOf(key),
          keyType: showUntrusted(keyTypeOf(key) ?? ''),
        };
      });
      return {
        endpoint: agent?.client.endpoint,
        keys: [...new Map(rows.toReversed().map((row) => [row.fingerprint, row])).values()].toReversed(),
      };
    },
  };
}

/** The key in a certificate, and everything else as it is. */
export function plainKeyOf(blob: Uint8Array): Uint8Array {
  const parsed = parseCertificate(blob);
  return parsed.k === 'certificate' ? parsed.certificate.key.blob : blob;
}
