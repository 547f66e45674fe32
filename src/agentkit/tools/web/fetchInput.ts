import { z } from 'zod';
import type { GrantShape } from '../../grants.ts';
import { codePoints } from '../../schemas.ts';
import type { Preflight, ToolContext } from '../../tool.ts';
import { parseFetchUrl, type FetchTarget } from './fetchTarget.ts';
import { lookUp } from './receiveDocument.ts';
import { checkHeaders, type WebHeader } from './requestHeaders.ts';
import { webReasons, webSubject } from './webCard.ts';
import { WebError } from './webError.ts';
import type { WebPorts } from './webPorts.ts';

/** What `fetch` and `scratch_fetch` have in common. Source: tool contract, sections 6 and 7. */
export const fetchFields = {
  url: codePoints(8_192, 1).describe('http or https, without user and password.'),
  format: z
    .enum(['markdown', 'original'])
    .optional()
    .describe('markdown (when absent) makes readable text of HTML pages; original leaves them as they are.'),
  headers: z
    .array(z.strictObject({ name: codePoints(128, 1), value: codePoints(4_096) }))
    .max(32)
    .optional()
    .describe('Request headers of your own. They follow redirects, also to other servers.'),
};

export interface FetchArguments {
  readonly url: string;
  readonly format?: 'markdown' | 'original' | undefined;
  readonly headers?: readonly WebHeader[] | undefined;
}

const targetFact = 'target';

/**
 * Checks URL and headers, resolves and judges. A restricted target asks; the addresses that the card shows are the ones that are
 * connected to. Source: agent runtime contract, section 19.
 */
export async function reviewFetch(
  args: FetchArguments & { readonly scratch_path?: string },
  ports: WebPorts,
  context: ToolContext,
): Promise<Preflight> {
  try {
    const url = parseFetchUrl(args.url);
    const headers = checkHeaders(args.headers ?? []);
    const target = await lookUp(url, ports, context.signal);
    const card = { target, headers, savedAs: args.scratch_path, redactor: context.redactor };
    return {
      ...(target.class === 'restricted' && {
        safety: 'requiresAuthorization',
        reasons: webReasons(target),
        ...(headers.length === 0 && { grantable: grantShape(target, context, args.scratch_path) }),
      }),
      subject: webSubject(card),
      facts: new Map([[targetFact, target]]),
    };
  } catch (error) {
    if (error instanceof WebError) return { refusal: error.message };
    throw error;
  }
}

/** This URL at these addresses, saved there. A call with headers is decided about each time: they may be secrets. */
function grantShape(target: FetchTarget, context: ToolContext, savedAs: string | undefined): GrantShape {
  const addresses = target.addresses.map(({ address }) => address).sort();
  return {
    tool: context.toolName,
    targetId: '',
    key: { url: target.url, addresses, saved_as: savedAs ?? '' },
    action: context.redactor.redact(`GET ${target.url}`),
    target: target.host,
  };
}

/** What preflight judged. */
export function reviewedTarget(context: ToolContext): FetchTarget {
  return context.preflightFacts.get(targetFact) as FetchTarget;
}
