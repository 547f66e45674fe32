import type { JsonObject, Preflight, ToolContext, ToolOutcome } from '../../agentkit/index.ts';
import { pathOfText, showPath, type RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { TextLimits } from '../../domain/ssh/untrustedText.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { sentenceOf } from './failure.ts';
import { changedHost, findHost, hostSubject, isSameHost, unknownHost } from './hostSubject.ts';
import { ToolService } from './keys.ts';
import { waitingForHost } from './waitingForHost.ts';

const hostFact = 'host';
/** A path of a tool fits whole, also when each of its bytes is written as an escape. */
const wholePath: TextLimits = { maxCharacters: 32_768, maxLines: 1 };

/** A path as a person reads it in a card: all of it, with what would mislead made visible. */
export function shownPath(path: RemotePath): string {
  return showPath(path, wholePath);
}

/** The path that checked arguments name. Rejects with `bad-name` for text that is no Unicode. */
export function pathOf(text: string): RemotePath {
  return pathOfText(text);
}

/** What results say of a host. Source: tools.md, section 1. */
export function hostField({ id, label }: HostListing): JsonObject {
  return { host_id: id, label };
}

/** The files of a host for one call, which shows that it waits while there is no connection. */
export function withFiles<T>(
  context: ToolContext,
  order: { readonly host: HostListing; readonly isRepeatable: boolean },
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const { runId: run, signal, services } = context;
  return waitingForHost(context, order.host.id, () =>
    services.get(ToolService.files).use({ run, ...order }, work, signal),
  );
}

/** Preflight of a call that only reads: the host is known, and the card says what is looked at. */
export async function reviewReading(
  args: { readonly host_id: string; readonly path: string },
  verb: string | ((path: string) => string),
  context: ToolContext,
): Promise<Preflight> {
  const host = await findHost(context.services.get(ToolService.hosts), args.host_id);
  if (host === undefined) return { refusal: unknownHost };
  const path = shownPath(pathOf(args.path));
  return {
    subject: hostSubject(host, typeof verb === 'string' ? `${verb} ${path}` : verb(path), []),
    facts: new Map([[hostFact, host]]),
  };
}

/** Facts under which preflight hands the host on. */
export function hostFacts(host: HostListing): readonly (readonly [string, unknown])[] {
  return [[hostFact, host]];
}

/** The host as it was shown, while it still is that; otherwise the sentence that ends the call. */
async function shownHost(hostId: string, context: ToolContext): Promise<HostListing | undefined> {
  const reviewed = context.preflightFacts.get(hostFact) as HostListing | undefined;
  const host = await findHost(context.services.get(ToolService.hosts), hostId);
  return host === undefined || reviewed === undefined || !isSameHost(host, reviewed) ? undefined : host;
}

/** Runs `work` on the host as it was shown. Failures of ours become the sentence of the call. */
export async function onShownHost(
  hostId: string,
  context: ToolContext,
  work: (host: HostListing) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const host = await shownHost(hostId, context);
  if (host === undefined) return { kind: 'failure', sentence: changedHost };
  try {
    return await work(host);
  } catch (error) {
    return { kind: 'failure', sentence: sentenceOf(error, context.signal) };
  }
}
