import type { ApprovalSubject, ToolContext } from '../../agentkit/index.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { signsInTo } from '../../domain/host/signsInTo.ts';
import { ToolService } from './keys.ts';

/**
 * Why a call that may change something does not reach this host: a production host is read-only, in every permission mode, until the
 * person raises it for the run. Undefined when it may be asked about. Source: tools.md, section 1; ssh.md 10.3; decisions 8.
 */
export function productionRefusal(host: HostListing, context: ToolContext): string | undefined {
  if (host.tier !== 'prod' || isRaised(host, context)) return undefined;
  return `"${host.label}" is a production host and read-only for you until the user raises it for this request (command "Termind: Raise Production Host"). Tell the user what you would run there and why. Do not look for another way.`;
}

/**
 * Why a call that may change something does not send these lines to a host: they sign in to a production host that is not raised, which
 * would be a way around `productionRefusal`. Source: decisions 75.
 */
export async function wayToProductionRefusal(
  lines: readonly string[],
  context: ToolContext,
): Promise<string | undefined> {
  const hosts = await context.services.get(ToolService.hosts).list();
  const closed = hosts.filter((host) => host.tier === 'prod' && !isRaised(host, context));
  const reached = signsInTo(lines.join('\n'), closed);
  return (
    reached &&
    `This signs in to "${reached.label}", a production host that is read-only for you until the user raises it for this request (command "Termind: Raise Production Host"). Use its own host_id for what only reads; for the rest, tell the user what you would run there and why.`
  );
}

/** What a card says about a production host that may be changed for the moment. */
export function raisedDetail(host: HostListing, context: ToolContext): ApprovalSubject['details'] {
  if (host.tier !== 'prod' || !isRaised(host, context)) return [];
  return [{ label: 'Production', value: 'Raised by you for this request; read-only again when it ends.' }];
}

function isRaised({ id }: HostListing, { services, conversationId }: ToolContext): boolean {
  return services.get(ToolService.raises).isRaised(conversationId, id);
}
