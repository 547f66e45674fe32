import {
  quoteForeign,
  type ApprovalSubject,
  type ApprovedContent,
  type GrantShape,
  type JsonObject,
  type Preflight,
  type ToolContext,
  type ToolOutcome,
} from '../../agentkit/index.ts';
import { textOfPath, type RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { isTrustPath } from '../../domain/shell/touchesTrust.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { sentenceOf } from './failure.ts';
import { hostFacts, onShownHost, shownPath, withFiles } from './fileCall.ts';
import { FileRefusedError } from './fileRefused.ts';
import { findHost, hostKey, hostSubject, unknownHost } from './hostSubject.ts';
import { ToolService } from './keys.ts';
import { productionRefusal, raisedDetail } from './production.ts';

/** Finds where a path really is: `entryPath` or `linkedPath`. */
type Resolve = (files: RemoteFiles, path: RemotePath, signal: AbortSignal) => Promise<RemotePath>;

/** What a call wants to change. */
export interface FileChange {
  readonly hostId: string;
  readonly tool: string;
  /** As the arguments name them. */
  readonly paths: readonly { readonly path: RemotePath; readonly resolve: Resolve }[];
}

/** One look at the host in front of the decision. */
export interface LookedAt {
  /** What will be done, as a person reads it. */
  readonly action: string;
  readonly details?: ApprovalSubject['details'];
  /** The first is the main one. */
  readonly reasons: readonly string[];
  /** What is changed beside the paths of the call itself, for example below them. */
  readonly further?: readonly RemotePath[];
  /** What is there now and gives way. */
  readonly replaced?: readonly RemotePath[];
  readonly facts?: readonly (readonly [string, unknown])[];
  readonly content?: ApprovedContent;
  /** Everything that decides what the call does beside its paths; absent = no conversation-wide permission is offered. */
  readonly grantKey?: JsonObject;
}

const resolvedFact = 'resolvedPaths';
const shownFacts = { further: 'furtherPaths', replaced: 'replacedPaths' } as const;

/**
 * Rejects with `notShown` for a path that was not among those that `LookedAt` told in front of the decision: it came afterwards, and the
 * decision does not cover it.
 */
export function checkShown(
  { preflightFacts }: ToolContext,
  as: keyof typeof shownFacts,
  paths: readonly RemotePath[],
): void {
  const shown = preflightFacts.get(shownFacts[as]) as ReadonlySet<string>;
  const other = paths.find((path) => !shown.has(textOfPath(path)));
  if (other !== undefined) throw new FileRefusedError('notShown', { path: shownPath(other) });
}

/**
 * Preflight of a call that changes files: production hosts, where the paths lead, what is configured by them. `look` gets the paths behind
 * their links and changes nothing; its rejection is the refusal of the call.
 */
export async function reviewChange(
  change: FileChange,
  context: ToolContext,
  look: (files: RemoteFiles, paths: readonly RemotePath[], host: HostListing) => Promise<LookedAt>,
): Promise<Preflight> {
  const host = await findHost(context.services.get(ToolService.hosts), change.hostId);
  if (host === undefined) return { refusal: unknownHost };
  const refusal = productionRefusal(host, context);
  if (refusal !== undefined) return { refusal };
  try {
    const { paths, seen } = await withFiles(context, { host, isRepeatable: true }, async (files) => {
      const resolved = await resolveAll(change, files, context.signal);
      return { paths: resolved, seen: await look(files, resolved, host) };
    });
    return decided(change, { host, paths, seen }, context);
  } catch (error) {
    return { refusal: sentenceOf(error, context.signal) };
  }
}

function decided(
  change: FileChange,
  { host, paths, seen }: { host: HostListing; paths: readonly RemotePath[]; seen: LookedAt },
  context: ToolContext,
): Preflight {
  const named = change.paths.map(({ path }) => path);
  const trust = trustedPath([...named, ...paths, ...(seen.further ?? [])]);
  const behindLinks = paths
    .filter((path, at) => textOfPath(path) !== textOfPath(named[at] ?? path))
    .map((path) => ({ label: 'Behind links', value: shownPath(path) }));
  const grantable = trust === undefined ? shapeOf(change, { host, paths, seen }) : undefined;
  return {
    safety: 'requiresAuthorization',
    alwaysAskUser: trust !== undefined,
    reasons: [...seen.reasons, ...(trust === undefined ? [] : [trustSentence(trust)])],
    subject: hostSubject(host, seen.action, [
      ...raisedDetail(host, context),
      ...behindLinks,
      ...(seen.details ?? []),
    ]),
    facts: new Map<string, unknown>([
      ...hostFacts(host),
      [resolvedFact, paths.map(textOfPath)],
      [shownFacts.further, new Set((seen.further ?? []).map(textOfPath))],
      [shownFacts.replaced, new Set((seen.replaced ?? []).map(textOfPath))],
      ...(seen.facts ?? []),
    ]),
    ...(seen.content === undefined ? {} : { content: seen.content }),
    ...(grantable === undefined ? {} : { grantable }),
  };
}

/**
 * Changes files of the host as it was shown, one call after the other for each path. `work` gets the paths behind their links, which are
 * those that were shown.
 */
export function changeFiles(
  change: FileChange,
  context: ToolContext,
  work: (files: RemoteFiles, paths: readonly RemotePath[], host: HostListing) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  return onShownHost(change.hostId, context, async (host) => {
    const refusal = productionRefusal(host, context);
    if (refusal !== undefined) return { kind: 'failure', sentence: refusal };
    const turns = context.services.get(ToolService.fileTurns);
    const shown = context.preflightFacts.get(resolvedFact) as readonly string[];
    const keys = [...new Set(shown)].sort().map((path) => JSON.stringify([host.id, path]));
    const changing = (): Promise<ToolOutcome> => {
      context.signal.throwIfAborted();
      return withFiles(context, { host, isRepeatable: false }, async (files) => {
        const paths = await resolveAll(change, files, context.signal);
        const other = paths.find((path, at) => textOfPath(path) !== shown[at]);
        if (other !== undefined) throw new FileRefusedError('changedMeanwhile', { path: shownPath(other) });
        return work(files, paths, host);
      });
    };
    return keys.reduce<() => Promise<ToolOutcome>>((inner, key) => () => turns.run(key, inner), changing)();
  });
}

async function resolveAll(
  { paths }: FileChange,
  files: RemoteFiles,
  signal: AbortSignal,
): Promise<readonly RemotePath[]> {
  return Promise.all(paths.map(({ path, resolve }) => resolve(files, path, signal)));
}

/** The first that decides who may come in, what runs by itself or what is trusted. Source: tools.md, section 5. */
function trustedPath(paths: readonly RemotePath[]): RemotePath | undefined {
  return paths.find((path) => isTrustPath(textOfPath(path)));
}

function trustSentence(path: RemotePath): string {
  return `It changes ${quoteForeign(shownPath(path))}, which decides who may log in, what runs by itself or what is trusted.`;
}

/** The same change of the same files on the same host as it stands. Never on a production host. */
function shapeOf(
  { tool }: FileChange,
  { host, paths, seen }: { host: HostListing; paths: readonly RemotePath[]; seen: LookedAt },
): GrantShape | undefined {
  if (host.tier === 'prod' || seen.grantKey === undefined) return undefined;
  return {
    tool,
    targetId: host.id,
    key: { ...seen.grantKey, paths: paths.map(textOfPath), ...hostKey(host) },
    action: seen.action,
    target: host.label,
  };
}
