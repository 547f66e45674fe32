import { isTermindError } from '../../domain/fault.ts';
import { sha256Of } from '../../domain/files/contentStamp.ts';
import { fileError, fileFaultOf } from '../../domain/files/fileFault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { excludePatterns } from '../../domain/sync/excludePatterns.ts';
import { pathsToCompare, planSync } from '../../domain/sync/planSync.ts';
import { keyOfPath, type SyncListing } from '../../domain/sync/syncEntry.ts';
import { findTrash } from '../files/remoteTrash.ts';
import type { HostCommands } from '../ports/hostCommands.ts';
import type { End } from '../transfer/engine/end.ts';
import { isAtOrWithin } from '../transfer/engine/nestedPlaces.ts';
import { openEnds, type TwoEnds } from '../transfer/engine/openEnd.ts';
import { keyOfTransfer, showPlace } from '../transfer/engine/place.ts';
import type { Place } from '../transfer/engine/transfer.ts';
import { compareContent, type ComparedSide } from './compareContent.ts';
import type {
  CompareRequest,
  Comparison,
  DeletionWay,
  FolderSyncing,
  SyncRequest,
  SyncResult,
} from './folderSync.ts';
import { PlanRun, type PlanRunOptions } from './planRun.ts';
import { scanSide, type LocalNames } from './scanSide.ts';

export interface FolderSyncerOptions extends PlanRunOptions {
  readonly localNames: LocalNames;
  /** Commands for hosts whose shell is known; absent = content is only compared by reading it. */
  readonly commandsOf?: (host: HostId) => HostCommands;
}

/** Holds nothing between its calls. */
export class FolderSyncer implements FolderSyncing {
  readonly #options: FolderSyncerOptions;

  constructor(options: FolderSyncerOptions) {
    this.#options = options;
  }

  async compare(request: CompareRequest, signal: AbortSignal): Promise<Comparison> {
    let ends: TwoEnds | undefined;
    try {
      ends = await openEnds({ from: request.left, to: request.right }, this.#options, signal);
      return await this.#compare(request, ends, signal);
    } catch (error) {
      throw isTermindError(error) ? error : faultError(fileFaultOf(error, signal), error);
    } finally {
      await ends?.release();
    }
  }

  async deletionWay(place: Place, signal: AbortSignal): Promise<DeletionWay> {
    if (place.k === 'local') return 'trash';
    const held = await place.open(signal);
    try {
      return (await findTrash(held.files, place.path, signal)) === undefined ? 'permanent' : 'trash';
    } finally {
      held.release();
    }
  }

  run(request: SyncRequest, signal: AbortSignal): Promise<SyncResult> {
    return new PlanRun(request, this.#options, signal).run();
  }

  async #compare(request: CompareRequest, ends: TwoEnds, signal: AbortSignal): Promise<Comparison> {
    const { rules, onProgress } = request;
    const [left, right] = await Promise.all([
      folderOf(ends.from, request.left, signal),
      folderOf(ends.to, request.right, signal),
    ]);
    checkApart(left, right);
    const found = { left: 0, right: 0 };
    const scan = (end: End, side: 'left' | 'right'): ReturnType<typeof scanSide> =>
      scanSide(
        end,
        {
          root: { left, right }[side],
          excludes: excludePatterns(request.excludes),
          localNames: this.#options.localNames,
          onFound: (entries) => {
            found[side] = entries;
            onProgress?.({ k: 'reading', ...found });
          },
        },
        signal,
      );
    const [ours, theirs] = await Promise.all([scan(ends.from, 'left'), scan(ends.to, 'right')]);
    const sides = { left: ours.listing, right: theirs.listing };
    const paths = rules.compare === 'content' ? pathsToCompare(sides) : [];
    const content = await compareContent(
      {
        left: this.#comparedSide(ends.from, { root: left, listing: sides.left }),
        right: this.#comparedSide(ends.to, { root: right, listing: sides.right }),
      },
      {
        paths,
        onDone: (doneFiles) => onProgress?.({ k: 'content', doneFiles, totalFiles: paths.length }),
      },
      signal,
    );
    const plan = planSync(sides, rules, content.answers);
    return {
      left,
      right,
      rules,
      plan,
      unread: [...ours.unread, ...theirs.unread, ...content.unread],
      refused: [...ours.refused, ...theirs.refused],
      digest: digestOfPlan({ left, right, plan }),
    };
  }

  #comparedSide(
    end: End,
    { root, listing }: { readonly root: Place; readonly listing: SyncListing },
  ): ComparedSide {
    const entries = new Map(listing.entries.map((entry) => [keyOfPath(entry.path), entry]));
    const commands = root.k === 'remote' ? this.#options.commandsOf?.(root.host) : undefined;
    return { end, root, entries, commands };
  }
}

/** Where the chosen place leads. Rejects with `not-found` and `not-directory`. */
async function folderOf(end: End, place: Place, signal: AbortSignal): Promise<Place> {
  const folder = await end.resolve(place, signal);
  const facts = await end.look(folder, signal);
  const path = showPlace(place);
  if (facts === undefined) throw fileError('not-found', { path }, { outcome: 'not-sent' });
  if (facts.kind !== undefined && facts.kind !== 'directory')
    throw fileError('not-directory', { path }, { outcome: 'not-sent' });
  return folder;
}

/** A folder that holds the other would be changed while it is read, and hold itself. */
function checkApart(left: Place, right: Place): void {
  if (!isAtOrWithin(left, right) && !isAtOrWithin(right, left)) return;
  throw fileError('nested-folders', { path: showPlace(right) }, { outcome: 'not-sent' });
}

function digestOfPlan({ left, right, plan }: Pick<Comparison, 'left' | 'right' | 'plan'>): string {
  return sha256Of(Buffer.from(JSON.stringify([keyOfTransfer(left, right), plan.steps])));
}
