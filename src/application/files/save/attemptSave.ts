import type { ClockPort } from '../../../agentkit/index.ts';
import type { Fault } from '../../../domain/fault.ts';
import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import { fileError, fileFault, fileFaultOf } from '../../../domain/files/fileFault.ts';
import { pathOfText, showPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import { recoveryOf } from '../../../domain/files/saveMachine.ts';
import { whyInPlace, type InPlaceReason } from '../../../domain/files/saveWay.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { removeOldBackups } from './backups.ts';
import { examineSave, withContent } from './examineSave.ts';
import { fileIdentity } from './fileIdentity.ts';
import type { SaveBase, SavedFile, SaveRequest, SaveWarning } from './fileSaving.ts';
import { isLost } from './isLost.ts';
import { recoverSave, writeBack } from './recoverSave.ts';
import { digestContent, type RemoteContent } from './remoteContent.ts';
import { replaceTarget } from './replaceTarget.ts';
import { resolveTarget } from './resolveTarget.ts';
import type { SaveProgress } from './saveProgress.ts';
import type { SaveScene } from './saveScene.ts';
import { removeLeftovers } from './tidy.ts';
import { writeInPlace } from './writeInPlace.ts';

/** How one try over one channel ended. */
export type Attempted =
  | { readonly k: 'saved'; readonly saved: Omit<SavedFile, 'k' | 'isSuperseded'> }
  | { readonly k: 'conflict'; readonly theirs: RemoteContent | undefined }
  /** The target holds what it held before. */
  | { readonly k: 'failed'; readonly fault: Fault }
  /** It holds neither content, and what it held before could not be written back. */
  | { readonly k: 'damaged'; readonly fault: Fault; readonly backup: RemotePath }
  /** No answer: the next try begins by examining. */
  | { readonly k: 'lost'; readonly fault: Fault };

export interface AttemptOptions {
  readonly files: RemoteFiles;
  readonly request: SaveRequest;
  readonly commands: HostCommands | undefined;
  readonly progress: SaveProgress;
  readonly clock: Pick<ClockPort, 'now'>;
  /** See `SaveScene`. */
  readonly signal: AbortSignal;
  readonly steady: AbortSignal;
  /** Runs what touches a file behind all its links, one after the other for each file. */
  readonly alone: <T>(target: RemotePath, work: () => Promise<T>) => Promise<T>;
}

/** How often a file that keeps changing while it is saved is compared again. */
const maxComparisons = 3;

/** Saves, or goes on with a save that was begun, and brings the server back to the old content when it fails. Never rejects. */
export function attemptSave(options: AttemptOptions): Promise<Attempted> {
  const { progress } = options;
  if (progress.trace === undefined) progress.restart();
  return recovering(options, async () => {
    const begun = progress.trace?.target;
    const ended = begun && (await alone(options, pathOfText(begun), () => goOn(options)));
    return ended || (await begin(options));
  });
}

/** A step that fails is made good before another save of the file begins. */
function alone(
  options: AttemptOptions,
  target: RemotePath,
  work: () => Promise<Attempted | undefined>,
): Promise<Attempted | undefined> {
  return options.alone(target, () => recovering(options, work));
}

async function recovering<T extends Attempted | undefined>(
  options: AttemptOptions,
  work: () => Promise<T>,
): Promise<T | Attempted> {
  const { files, progress, signal, steady } = options;
  try {
    return await work();
  } catch (error) {
    const fault = fileFaultOf(error, signal);
    if (!isLost(files, fault)) {
      const recovered = await recover(options, fault, steady);
      if (recovered !== undefined) return recovered;
    }
    progress.lose();
    return { k: 'lost', fault };
  }
}

/** Undefined when that is not known. A server that refuses a step may have done it, so what it holds is looked at. */
async function recover(
  options: AttemptOptions,
  fault: Fault,
  steady: AbortSignal,
): Promise<Attempted | undefined> {
  const { files, progress } = options;
  try {
    if (await recoverSave({ files, progress }, steady)) return { k: 'failed', fault };
    if (recoveryOf(progress.state) === 'examine') return (await goOn(options)) ?? { k: 'failed', fault };
  } catch (error) {
    if (isLost(files, fileFaultOf(error, steady))) return undefined;
  }
  const { trace, state } = progress;
  const recovery = recoveryOf(state);
  if (recovery === 'tidy') return { k: 'failed', fault };
  return recovery === 'writeBack' && trace?.backup !== undefined
    ? { k: 'damaged', fault, backup: pathOfText(trace.backup) }
    : undefined;
}

/** Of a save that was begun; undefined when it begins anew. */
async function goOn(options: AttemptOptions): Promise<Attempted | undefined> {
  const { files, request, commands, progress, steady } = options;
  const { trace } = progress;
  if (trace === undefined) return undefined;
  const { content } = request;
  const findings = await examineSave({ files, commands, progress, trace, content }, steady);
  switch (findings.k) {
    case 'new':
      return finish(options, {
        stamp: findings.stamp,
        way: trace.isInPlace === true ? 'inPlace' : trace.found === 'missing' ? 'created' : 'replaced',
        because: undefined,
        warnings: new Set(),
      });
    case 'foreign':
      return { k: 'conflict', theirs: findings.theirs };
    case 'damaged': {
      const fault = findings.isCertain ? await whyNotWrittenBack(options) : changedFault(request);
      if (fault !== undefined) return { k: 'damaged', fault, backup: findings.backup };
      break;
    }
    case 'old':
      break;
  }
  progress.restart();
  return undefined;
}

/** Writes the old content back; the fault when the server does not take it. Rejects when the link is lost. */
async function whyNotWrittenBack({
  files,
  request,
  progress,
  steady,
}: AttemptOptions): Promise<Fault | undefined> {
  try {
    if (await writeBack({ files, progress }, steady)) return undefined;
    return changedFault(request);
  } catch (error) {
    const fault = fileFaultOf(error, steady);
    if (isLost(files, fault)) throw error;
    return fault;
  }
}

function changedFault({ target }: SaveRequest): Fault {
  return fileFault('changed-during-transfer', { path: showPath(target.path) });
}

async function begin(options: AttemptOptions): Promise<Attempted> {
  const { files, request, commands, progress, signal } = options;
  const path = request.target.path;
  for (let comparison = 0; comparison < maxComparisons; comparison++) {
    const target = await resolveTarget(files, path, signal);
    progress.enter('resolved');
    const ended = await alone(options, target.path, async () => {
      const now = await digestContent({ files, commands }, target.path, signal);
      const warnings = new Set<SaveWarning>();
      if (now?.stamp.sha256 === progress.save.content.sha256)
        return finish(options, { stamp: now.stamp, way: 'unchanged', because: undefined, warnings });
      if (!isBase(request.base, now?.stamp))
        return {
          k: 'conflict',
          theirs: now && (await withContent(files, { target: target.path, now }, signal)),
        } as const;
      progress.enter('checked');
      const scene = { ...options, target, found: now?.stamp ?? 'missing', warnings } as const;
      return write(options, scene);
    });
    if (ended !== undefined) return ended;
    progress.restart();
  }
  throw fileError('conflict', { path: showPath(path) });
}

/** Undefined when the target has changed meanwhile. */
async function write(options: AttemptOptions, scene: SaveScene): Promise<Attempted | undefined> {
  const { files, commands, target, signal, warnings } = scene;
  const { attributes } = target;
  const identity = attributes && (await fileIdentity({ files, commands }, target.path, signal));
  let because: InPlaceReason | undefined = attributes && identity && whyInPlace(attributes, identity);
  if (because === undefined) {
    const replaced = await replaceTarget(scene, identity);
    if (replaced.k === 'changed') return undefined;
    if (replaced.k === 'swapped')
      return confirm(options, scene, {
        way: attributes === undefined ? 'created' : 'replaced',
        because,
        warnings,
      });
    because = replaced.because;
  }
  const written = await writeInPlace(scene);
  return written.k === 'changed' ? undefined : confirm(options, scene, { way: 'inPlace', because, warnings });
}

interface Ending {
  readonly stamp: ContentStamp;
  readonly way: SavedFile['way'];
  readonly because: InPlaceReason | undefined;
  readonly warnings: Set<SaveWarning>;
}

async function confirm(
  options: AttemptOptions,
  { files, commands, target, progress, steady }: SaveScene,
  ending: Omit<Ending, 'stamp'>,
): Promise<Attempted> {
  const now = await digestContent({ files, commands }, target.path, steady);
  if (now?.stamp.sha256 !== progress.save.content.sha256) {
    progress.lose();
    return { k: 'lost', fault: fileFault('changed-during-transfer', { path: showPath(target.path) }) };
  }
  progress.enter('confirmed');
  return finish(options, { ...ending, stamp: now.stamp });
}

/** The content is safe: what is left beside it costs a warning at most. */
async function finish(
  { files, progress, steady }: AttemptOptions,
  { warnings, ...ending }: Ending,
): Promise<Attempted> {
  const { trace, save } = progress;
  const backup = save.keepsBackup && trace?.backup !== undefined ? pathOfText(trace.backup) : undefined;
  await removeLeftovers({ files, progress }, steady).catch(() => warnings.add('leftover'));
  if (backup !== undefined && trace !== undefined)
    await removeOldBackups(files, { newest: backup, of: pathOfText(trace.target) }, steady).catch(() =>
      warnings.add('oldBackups'),
    );
  return { k: 'saved', saved: { ...ending, backup, warnings: [...warnings] } };
}

function isBase(base: SaveBase, now: ContentStamp | undefined): boolean {
  if (base === 'anything') return true;
  if (base === 'missing' || now === undefined) return base === 'missing' && now === undefined;
  return base.sha256 === now.sha256;
}
