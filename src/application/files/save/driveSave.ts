import type { ClockPort } from '../../../agentkit/index.ts';
import type { Fault } from '../../../domain/fault.ts';
import { fileFaultOf } from '../../../domain/files/fileFault.ts';
import { hasLeftOld } from '../../../domain/files/saveMachine.ts';
import type { SaveTrace } from '../../../domain/files/keptSave.ts';
import { pathOfText, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { KeptSave, KeptSavesPort } from '../../ports/keptSaves.ts';
import type { LogPort } from '../../ports/prompts.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { attemptSave, type Attempted } from './attemptSave.ts';
import { examineSave } from './examineSave.ts';
import type { SaveBase, SaveOutcome, SaveRequest } from './fileSaving.ts';
import { isLost } from './isLost.ts';
import { writeBack } from './recoverSave.ts';
import { SaveProgress } from './saveProgress.ts';
import { removeLeftovers } from './tidy.ts';

export interface DriveOptions {
  readonly request: SaveRequest;
  /** It, on the disk. */
  readonly kept: KeptSave;
  /** Other kept saves of the same file, by whatever links, whose traces may still be on the server. */
  readonly earlier: readonly KeptSave[];
  readonly commands: HostCommands | undefined;
  readonly store: KeptSavesPort;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly log: Pick<LogPort, 'warn'>;
  /** See `SaveScene.steady`. */
  readonly steady: AbortSignal;
  /** See `AttemptOptions.alone`. */
  readonly alone: <T>(target: RemotePath, work: () => Promise<T>) => Promise<T>;
}

/** How many channels one save uses up before it says that it does not know. */
const maxTries = 3;

/** One save from `kept` to its outcome, over new channels where the link is lost. Never rejects. Source: ssh.md 8.5. */
export async function driveSave(options: DriveOptions, signal: AbortSignal): Promise<SaveOutcome> {
  const { kept, store, steady } = options;
  const progress = new SaveProgress(kept, store);
  let request = options.request;
  let hasSettledEarlier = false;
  const overChannel = async (files: RemoteFiles): Promise<Attempted> => {
    try {
      if (!hasSettledEarlier) request = { ...request, base: await settleEarlier(options, files) };
      hasSettledEarlier = true;
    } catch (error) {
      return { k: 'lost', fault: fileFaultOf(error, steady) };
    }
    return attemptSave({ ...options, files, request, progress, signal });
  };
  for (let tries = 1; ; tries++) {
    let attempted: Attempted;
    try {
      attempted = await request.files.use(overChannel, signal);
    } catch (error) {
      return withoutAnswer(progress, fileFaultOf(error, signal));
    }
    if (attempted.k !== 'lost') return outcomeOf(attempted, kept.id);
    if (tries === maxTries || signal.aborted || steady.aborted)
      return withoutAnswer(progress, attempted.fault);
  }
}

/**
 * Ends what earlier saves of the same file have left on the server. Returns the base, which is what they have saved when they had the same.
 * Rejects when the link is lost.
 */
async function settleEarlier(options: DriveOptions, files: RemoteFiles): Promise<SaveBase> {
  let { base } = options.request;
  for (const save of options.earlier)
    try {
      const { trace } = save;
      if (trace === undefined) continue;
      const settled = await options.alone(pathOfText(trace.target), () =>
        settle(options, { files, save, trace }),
      );
      if (settled !== undefined && isSameBase(save.base, base)) base = settled;
    } catch (error) {
      if (isLost(files, fileFaultOf(error, options.steady))) throw error;
      options.log.warn('save', 'an earlier save could not be examined');
    }
  return base;
}

/** The content that an earlier save turns out to have saved. A file that it has left half written gets its old content back. */
async function settle(
  { commands, store, steady }: DriveOptions,
  { files, save, trace }: { readonly files: RemoteFiles; readonly save: KeptSave; readonly trace: SaveTrace },
): Promise<SaveBase | undefined> {
  const progress = new SaveProgress(save, store);
  const content = await store.content(save.id);
  const findings = await examineSave({ files, commands, progress, trace, content }, steady);
  if (findings.k === 'damaged' && findings.isCertain) await writeBack({ files, progress }, steady);
  if (findings.k !== 'new') return undefined;
  await removeLeftovers({ files, progress }, steady);
  await store.remove(save.id);
  return findings.stamp;
}

/** Whether two saves were to follow the same content. */
export function isSameBase(a: SaveBase, b: SaveBase): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a.sha256 === b.sha256;
}

function withoutAnswer(progress: SaveProgress, fault: Fault): SaveOutcome {
  const kept = progress.save.id;
  return hasLeftOld(progress.state) ? { k: 'failed', fault, kept } : { k: 'unknown', fault, kept };
}

function outcomeOf(attempted: Exclude<Attempted, { k: 'lost' }>, kept: string): SaveOutcome {
  return attempted.k === 'saved'
    ? { k: 'saved', ...attempted.saved, isSuperseded: false }
    : { ...attempted, kept };
}
