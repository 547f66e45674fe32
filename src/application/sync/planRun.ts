import type { ClockPort } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import { fileFaultOf } from '../../domain/files/fileFault.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { keyOfPath, otherSide, type SyncPath, type SyncSide } from '../../domain/sync/syncEntry.ts';
import { isChange, sourceOf, targetOf, type SyncStep } from '../../domain/sync/syncPlan.ts';
import type { LocalFilesPort } from '../ports/localFiles.ts';
import type { LocalTrashPort } from '../ports/localTrash.ts';
import type { End } from '../transfer/engine/end.ts';
import { openEnd, openEnds, type TwoEnds } from '../transfer/engine/openEnd.ts';
import { RemoteEnd } from '../transfer/engine/remoteEnd.ts';
import type { FileRequest, FileResult, TransferEngine } from '../transfer/engine/transfer.ts';
import { keptMode, usualMode } from '../transfer/engine/fileContext.ts';
import { placeOf, type StepOutcome, type SyncRequest, type SyncResult } from './folderSync.ts';
import { inTurns } from './inTurns.ts';
import { LocalRemover } from './localRemover.ts';
import { lookAsPlanned, placeAt } from './plannedEntry.ts';
import { RemoteRemover } from './remoteRemover.ts';
import type { Remover } from './remover.ts';
import { doneStep, outcomeOf } from './stepOutcome.ts';

export interface PlanRunOptions {
  readonly engine: TransferEngine;
  readonly local: LocalFilesPort;
  readonly localTrash: LocalTrashPort;
  readonly clock: ClockPort;
}

/** Directories and deleted entries that are worked on together. */
const atOnce = 16;

/** A directory that we have made, with what it gets when it is filled. */
interface MadeDirectory {
  readonly path: SyncPath;
  readonly mode: number | undefined;
  readonly times: { readonly accessed: number; readonly modified: number } | undefined;
}

/** Carries out one plan, once. No two channels are held while a third is waited for, so that hosts that grant few are served as well. */
export class PlanRun {
  readonly #options: PlanRunOptions;
  readonly #request: SyncRequest;
  readonly #signal: AbortSignal;
  readonly #changes: readonly SyncStep[];
  readonly #outcomes = new Map<SyncStep, StepOutcome>();
  /** Directories that nothing is done in, for which fault; by side and path. */
  readonly #closed = new Map<string, Fault>();
  /** Directories that are not deleted, because something in them was not; by side and path. */
  readonly #kept = new Set<string>();
  #bytes = 0;
  #trash: string | undefined;

  constructor(request: SyncRequest, options: PlanRunOptions, signal: AbortSignal) {
    this.#request = request;
    this.#options = options;
    this.#signal = signal;
    this.#changes = request.comparison.plan.steps.filter(isChange);
  }

  /** As `FolderSyncing.run`. */
  async run(): Promise<SyncResult> {
    let stoppedBy: Fault | undefined;
    try {
      for (const side of ['right', 'left'] as const) await this.#change(side);
    } catch (error) {
      stoppedBy = fileFaultOf(error, this.#signal);
    }
    return {
      steps: this.#changes.map((step) => ({ step, outcome: this.#outcomes.get(step) ?? { k: 'notRun' } })),
      stoppedBy,
      bytes: this.#bytes,
      trash: this.#trash,
    };
  }

  async #change(side: SyncSide): Promise<void> {
    const steps = this.#changes.filter(({ changes }) => changes === side);
    const copies = steps.filter((step) => sourceOf(step) !== undefined);
    const made = copies.length === 0 ? [] : await this.#prepare(side, copies);
    await this.#copyFiles(
      side,
      copies.filter((step) => sourceOf(step)?.kind === 'file'),
    );
    const deletes = steps.filter(({ action }) => action === 'delete');
    if (made.length > 0 || deletes.length > 0) await this.#finish(side, { made, deletes });
  }

  /** Examines the directories that the changes are in, on both sides, and makes the new ones. */
  async #prepare(side: SyncSide, copies: readonly SyncStep[]): Promise<readonly MadeDirectory[]> {
    const { comparison } = this.#request;
    const [from, to] = [placeOf(comparison, otherSide(side)), placeOf(comparison, side)];
    const ends = await openEnds({ from, to }, this.#options, this.#signal);
    try {
      const fresh = new Set(copies.filter(isNewDirectory).map(({ path }) => keyOfPath(path)));
      const holders = holdersOf(copies);
      await this.#examine(ends.from, { side: otherSide(side), holders });
      await this.#examine(ends.to, { side, holders: holders.filter((path) => !fresh.has(keyOfPath(path))) });
      const made: MadeDirectory[] = [];
      for (const level of levelsOf(copies.filter(isNewDirectory)))
        await inTurns(level, atOnce, async (step) => {
          const one = await this.#makeDirectory(ends, { step, side });
          if (one !== undefined) made.push(one);
        });
      return made;
    } finally {
      await ends.release();
    }
  }

  /** A directory that has become something else closes itself and what is below it. */
  async #examine(
    end: End,
    { side, holders }: { readonly side: SyncSide; readonly holders: readonly SyncPath[] },
  ): Promise<void> {
    const root = placeOf(this.#request.comparison, side);
    await inTurns(holders, atOnce, async (path) => {
      const planned = { path, kind: 'directory', size: undefined, modified: undefined } as const;
      try {
        await lookAsPlanned(end, { place: placeAt(root, path), planned }, this.#signal);
      } catch (error) {
        this.#closed.set(keyOfSide(side, path), this.#fileFaultOf(error, end));
      }
    });
  }

  async #makeDirectory(
    ends: TwoEnds,
    { step, side }: { readonly step: SyncStep; readonly side: SyncSide },
  ): Promise<MadeDirectory | undefined> {
    const { path } = step;
    const { comparison } = this.#request;
    const source = placeAt(placeOf(comparison, otherSide(side)), path);
    const place = placeAt(placeOf(comparison, side), path);
    let attempted = ends.from;
    try {
      this.#checkOpen(step, side);
      const facts = await lookAsPlanned(ends.from, { place: source, planned: sourceOf(step) }, this.#signal);
      attempted = ends.to;
      await lookAsPlanned(ends.to, { place, planned: undefined }, this.#signal);
      const mode = facts?.mode === undefined ? undefined : facts.mode & keptMode;
      await ends.to.mkdir(place, mode ?? usualMode.directory, this.#signal);
      this.#outcomes.set(step, doneStep);
      const modified = facts?.modified;
      const times = modified === undefined ? undefined : { accessed: facts?.accessed ?? modified, modified };
      return { path, mode, times };
    } catch (error) {
      const fault = this.#failed(step, { error, end: attempted });
      this.#closed.set(keyOfSide(side, path), fault);
      return undefined;
    }
  }

  async #copyFiles(side: SyncSide, steps: readonly SyncStep[]): Promise<void> {
    const open = steps.filter((step) => {
      const fault = this.#closedBy(step, side);
      if (fault !== undefined) this.#outcomes.set(step, outcomeOf({ ...fault, outcome: 'not-sent' }));
      return fault === undefined;
    });
    const { onProgress } = this.#request;
    await this.#options.engine.files(
      open.map((step) => this.#requestOf(step, side)),
      {
        onResult: (result, index) => {
          const step = open[index];
          if (step !== undefined) this.#outcomes.set(step, this.#outcomeOf(result));
        },
        ...(onProgress === undefined ? {} : { onProgress }),
      },
      this.#signal,
    );
  }

  #requestOf(step: SyncStep, side: SyncSide): FileRequest {
    const { comparison } = this.#request;
    const source = sourceOf(step);
    return {
      from: placeAt(placeOf(comparison, otherSide(side)), step.path),
      to: placeAt(placeOf(comparison, side), step.path),
      existing: 'overwrite',
      expectTarget: targetOf(step) ?? 'missing',
      ...(source === undefined ? {} : { expectSource: source }),
    };
  }

  #outcomeOf(result: FileResult): StepOutcome {
    if ('fault' in result) return outcomeOf(result.fault);
    const { bytes, warnings, changedDuringTransfer } = result.outcome;
    this.#bytes += bytes;
    return { k: 'done', warnings, changedMeanwhile: changedDuringTransfer };
  }

  /** Deletes, inner ones first, and dresses what was made, inner ones first. */
  async #finish(
    side: SyncSide,
    { made, deletes }: { readonly made: readonly MadeDirectory[]; readonly deletes: readonly SyncStep[] },
  ): Promise<void> {
    const root = placeOf(this.#request.comparison, side);
    const end = await openEnd(root, this.#options, this.#signal);
    try {
      await this.#examine(end, { side, holders: holdersOf(deletes) });
      const remover = this.#remover(end, side);
      const [folders, files] = [deletes.filter(isDeletedDirectory), deletes.filter(isDeletedEntry)];
      for (const level of [files, ...levelsOf(folders).toReversed()])
        await inTurns(level, atOnce, (step) => this.#delete(step, { end, side, remover })).finally(
          () => (this.#trash ??= remover.trash),
        );
      for (const level of levelsOf(made).toReversed())
        await inTurns(level, atOnce, async ({ path, mode, times }) => {
          const attributes = { mode: mode ?? usualMode.directory, times };
          await end.dress(placeAt(root, path), attributes, this.#signal).catch((error: unknown) => {
            if (this.#isOver(end)) throw error; // otherwise it is there, with other permissions or another time
          });
        });
    } finally {
      await end.release();
    }
  }

  async #delete(
    step: SyncStep,
    { end, side, remover }: { readonly end: End; readonly side: SyncSide; readonly remover: Remover },
  ): Promise<void> {
    const place = placeAt(placeOf(this.#request.comparison, side), step.path);
    const holder = keyOfSide(side, step.path.slice(0, -1));
    if (this.#kept.has(keyOfSide(side, step.path))) {
      this.#kept.add(holder);
      return;
    }
    try {
      this.#checkOpen(step, side);
      const there = await lookAsPlanned(end, { place, planned: targetOf(step) }, this.#signal);
      if (there?.kind === 'directory') await remover.directory(step.path, this.#signal);
      else await remover.file(step.path, this.#signal);
      this.#outcomes.set(step, doneStep);
    } catch (error) {
      this.#kept.add(holder);
      this.#failed(step, { error, end });
    }
  }

  #remover(end: End, side: SyncSide): Remover {
    const root = placeOf(this.#request.comparison, side);
    if (root.k === 'local') return new LocalRemover({ end, root }, this.#options.localTrash);
    if (!(end instanceof RemoteEnd)) throw new RangeError('a place of another end');
    return new RemoteRemover({ files: end.files, root }, this.#request.deletion, this.#options.clock);
  }

  #checkOpen(step: SyncStep, side: SyncSide): void {
    const fault = this.#closedBy(step, side);
    if (fault !== undefined) throw faultError({ ...fault, outcome: 'not-sent' });
  }

  #closedBy({ path }: SyncStep, side: SyncSide): Fault | undefined {
    const sides = [side, otherSide(side)];
    for (let depth = 0; depth < path.length; depth++)
      for (const one of sides) {
        const fault = this.#closed.get(keyOfSide(one, path.slice(0, depth)));
        if (fault !== undefined) return fault;
      }
    return undefined;
  }

  /** Notes the failure; rejects with it when there is no going on. */
  #failed(step: SyncStep, { error, end }: { readonly error: unknown; readonly end: End }): Fault {
    const fault = fileFaultOf(error, this.#signal);
    this.#outcomes.set(step, outcomeOf(fault));
    if (this.#isOver(end)) throw error;
    return fault;
  }

  #fileFaultOf(error: unknown, end: End): Fault {
    if (this.#isOver(end)) throw error;
    return fileFaultOf(error, this.#signal);
  }

  #isOver(end: End): boolean {
    return this.#signal.aborted || end.isEnded;
  }
}

function isNewDirectory(step: SyncStep): boolean {
  return sourceOf(step)?.kind === 'directory';
}

function isDeletedDirectory(step: SyncStep): boolean {
  return targetOf(step)?.kind === 'directory';
}

function isDeletedEntry(step: SyncStep): boolean {
  return !isDeletedDirectory(step);
}

/** By depth, outer ones first: those of one level do not need each other. */
function levelsOf<T extends { readonly path: SyncPath }>(items: readonly T[]): readonly (readonly T[])[] {
  const levels: T[][] = [];
  for (const item of items) (levels[item.path.length] ??= []).push(item);
  return levels.filter((level) => level.length > 0);
}

/** Every directory that one of them is in, outer ones first; the compared folder itself is the first. */
function holdersOf(steps: readonly SyncStep[]): readonly SyncPath[] {
  const holders = new Map<string, SyncPath>([['', []]]);
  for (const { path } of steps)
    for (let depth = 1; depth < path.length; depth++)
      holders.set(keyOfPath(path.slice(0, depth)), path.slice(0, depth));
  return [...holders.values()];
}

function keyOfSide(side: SyncSide, path: SyncPath): string {
  return `${side}/${keyOfPath(path)}`;
}
