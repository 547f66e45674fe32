import { ignoring } from '../../../domain/fault.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import type { EntryFacts, OpenSource } from './end.ts';
import { checkSource, decideTarget } from './existingTarget.ts';
import type { FileContext, KnownFacts, OneFileContext } from './fileContext.ts';
import { FileTransfer } from './fileTransfer.ts';
import { showPlace } from './place.ts';
import { settledTarget } from './settleReplacement.ts';
import type { FileOutcome, FileRequest, Place } from './transfer.ts';

/**
 * One file over two ends that are open. `held`: what it is read from, where it is open already. Rejects as `TransferEngine.file`.
 */
export async function transferFile(
  context: FileContext,
  request: FileRequest & { readonly known?: KnownFacts; readonly held?: OpenSource },
  signal: AbortSignal,
): Promise<FileOutcome> {
  const [source, { to, facts }] =
    request.known === undefined
      ? await Promise.all([
          lookAtSource(context, request.from, signal),
          lookAtTarget(context, request.to, signal),
        ])
      : [request.known.source, { to: request.to, facts: request.known.target }];
  const target = await settledTarget(context, { from: request.from, to, facts }, signal);
  if (request.known === undefined) context.meter.sized(source.size ?? 0, 1);
  checkSource(request, source);
  const resolved = { ...request, to };
  const decision = await decideTarget({ request: resolved, source, target, end: context.target }, signal);
  const isSeen = typeof request.existing !== 'string' && target !== undefined;
  if (decision.k === 'skip') {
    const bytes = target?.size ?? 0;
    context.meter.had(source.size ?? 0);
    return {
      k: 'skipped',
      to,
      bytes,
      resumedBytes: 0,
      sha256: undefined,
      changedDuringTransfer: false,
      warnings: [],
    };
  }
  const open = request.held ?? (await context.source.openSource(request.from, signal));
  try {
    return await new FileTransfer(watchedContext(context, request.from, source), {
      // Who was asked has decided about what was there then.
      request: isSeen && decision.replaces ? { expectTarget: target, ...resolved } : resolved,
      decision,
      begin: source,
      replaced: target,
      open,
    }).run(signal);
  } finally {
    await open.close();
  }
}

/** The context of one file, whose progress is heard where the files of a folder are watched. */
function watchedContext(context: FileContext, from: Place, { size }: EntryFacts): OneFileContext {
  const { watch, meter } = context;
  return watch === undefined ? context : { ...context, meter: watch.started(from, size, meter) };
}

async function lookAtSource({ source }: FileContext, from: Place, signal: AbortSignal): Promise<EntryFacts> {
  let facts = await source.look(from, signal);
  if (facts?.kind === 'symlink') facts = await source.look(await source.resolve(from, signal), signal);
  const path = showPlace(from);
  if (facts === undefined) throw fileError('not-found', { path }, { outcome: 'not-sent' });
  if (facts.kind === 'symlink') throw fileError('outside-folder', { path }, { outcome: 'not-sent' });
  checkPlain(facts, from);
  return facts;
}

/** What is there, where a link leads when it is to be followed. A link to nothing is replaced. */
async function lookAtTarget(
  { target, targetLinks }: FileContext,
  to: Place,
  signal: AbortSignal,
): Promise<{ readonly to: Place; readonly facts: EntryFacts | undefined }> {
  const facts = await target.look(to, signal);
  if (facts?.kind !== 'symlink' || targetLinks === 'replaced') return { to, facts };
  const there = await target.resolve(to, signal).catch(ignoring('not-found', 'link-loop'));
  return there === undefined ? { to, facts } : { to: there, facts: await target.look(there, signal) };
}

/** Rejects what cannot be read to an end: a directory, a pipe, a device. */
function checkPlain({ kind }: EntryFacts, place: Place): void {
  const path = showPlace(place);
  if (kind === 'directory') throw fileError('is-directory', { path }, { outcome: 'not-sent' });
  if (kind === 'file' || kind === undefined) return;
  const facts = { path, operation: 'read', text: 'no plain file' };
  throw fileError('file-failed', facts, { outcome: 'not-sent' });
}
