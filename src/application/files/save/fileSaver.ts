import type { ClockPort, Disposable } from '../../../agentkit/index.ts';
import { localFault } from '../../../domain/fault.ts';
import { sha256Of } from '../../../domain/files/contentStamp.ts';
import { fileFaultOf } from '../../../domain/files/fileFault.ts';
import { pathOfText, textOfPath } from '../../../domain/files/remotePath.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { KeptSave, KeptSavesPort } from '../../ports/keptSaves.ts';
import type { LogPort } from '../../ports/prompts.ts';
import { listBackups, type Backup } from './backups.ts';
import { driveSave, isSameBase } from './driveSave.ts';
import { examineSave, type Findings } from './examineSave.ts';
import type {
  Examined,
  FileSaving,
  KeptRequest,
  SaveBase,
  SaveOutcome,
  SaveRequest,
  SaveTarget,
} from './fileSaving.ts';
import { KeyedTurns } from './keyedTurns.ts';
import { writeBack, type BegunSave } from './recoverSave.ts';
import { resolveTarget } from './resolveTarget.ts';
import { readContent } from './remoteContent.ts';
import { SaveProgress } from './saveProgress.ts';
import { removeLeftovers } from './tidy.ts';

export interface FileSaverOptions {
  readonly store: KeptSavesPort;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly log: Pick<LogPort, 'warn'>;
  /** For digests and what SFTP does not tell; absent = no commands are run. Source: ssh.md 8.5, "checked". */
  readonly commandsOf?: (host: HostId) => HostCommands;
}

/** One save, and whoever waits for it. */
interface Entry {
  request: SaveRequest;
  signal: AbortSignal;
  keeping: Promise<KeptSave>;
  readonly waiters: ((outcome: SaveOutcome) => void)[];
  /** The save of the same writer that was on its way when this one came. */
  readonly behind: Entry | undefined;
  outcome: SaveOutcome | undefined;
  /** Ids of kept saves that this one does again. */
  readonly again: Set<string>;
}

type AfterLook = (begun: BegunSave, findings: Findings) => Promise<Findings>;

/** See `FileSaving`. Disposing ends what is on its way; what was not confirmed stays kept. */
export class FileSaver implements FileSaving, Disposable {
  readonly #options: FileSaverOptions;
  /** By the path that was asked for. */
  readonly #turns = new KeyedTurns();
  /** By the file behind its links; a turn of this kind is taken within one of the other, never the other way. */
  readonly #targets = new KeyedTurns();
  readonly #waiting = new Map<string, Entry>();
  readonly #running = new Map<string, Entry>();
  /** Ids of kept saves that are on their way. */
  readonly #active = new Set<string>();
  readonly #over = new AbortController();

  constructor(options: FileSaverOptions) {
    this.#options = options;
  }

  save(request: SaveRequest, signal: AbortSignal): Promise<SaveOutcome> {
    return this.#enqueue(request, undefined, signal);
  }

  async kept(): Promise<readonly KeptSave[]> {
    const all = await this.#options.store.list();
    return all.filter(({ id }) => !this.#active.has(id)).sort((a, b) => b.keptAt - a.keptAt);
  }

  keptContent(id: string): Promise<Uint8Array> {
    return this.#options.store.content(id);
  }

  examine(request: KeptRequest, signal: AbortSignal): Promise<Examined> {
    return this.#look(request, signal, async (_begun, findings) => findings);
  }

  async retry({ id, ...request }: KeptRequest, signal: AbortSignal): Promise<SaveOutcome> {
    const save = await this.#find(id);
    const content = await this.#options.store.content(id);
    const { base, writer, keepsBackup: keepBackup } = save;
    const same = { target: targetOf(save), content, base, writer, keepBackup };
    return this.#enqueue({ ...request, ...same }, id, signal);
  }

  async restore(request: KeptRequest, signal: AbortSignal): Promise<Examined> {
    return this.#look(request, signal, async ({ files, progress }, findings) => {
      if (findings.k !== 'damaged' || !(await writeBack({ files, progress }, this.#over.signal)))
        return findings;
      return { k: 'old' };
    });
  }

  async discard(id: string): Promise<void> {
    await this.#options.store.remove(id);
  }

  backups(
    { target, files }: Pick<SaveRequest, 'target' | 'files'>,
    signal: AbortSignal,
  ): Promise<readonly Backup[]> {
    return files.use(async (open) => {
      const { path } = await resolveTarget(open, target.path, signal);
      return listBackups(open, path, signal);
    }, signal);
  }

  async undo(
    { backup, ...request }: Parameters<FileSaving['undo']>[0],
    signal: AbortSignal,
  ): Promise<SaveOutcome> {
    try {
      const held = await request.files.use((files) => readContent(files, backup, signal), signal);
      if (held?.content === undefined) throw localFault('not-found', { path: textOfPath(backup) });
      return await this.save({ ...request, content: held.content }, signal);
    } catch (error) {
      return { k: 'failed', fault: fileFaultOf(error, signal), kept: undefined };
    }
  }

  dispose(): void {
    this.#over.abort();
  }

  #enqueue(request: SaveRequest, again: string | undefined, signal: AbortSignal): Promise<SaveOutcome> {
    const writer = JSON.stringify([request.writer, request.target.as, pathKey(request.target)]);
    const keeping = this.#keep(request);
    keeping.catch(() => {}); // told when its turn comes
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(writer);
      if (waiting !== undefined) {
        void this.#forgetSuperseded(waiting.keeping, keeping);
        waiting.waiters.forEach((tell, index) => {
          waiting.waiters[index] = (outcome) =>
            tell(outcome.k === 'saved' ? { ...outcome, isSuperseded: true } : outcome);
        });
        Object.assign(waiting, { request, signal, keeping });
        waiting.waiters.push(resolve);
        if (again !== undefined) waiting.again.add(again);
        return;
      }
      const entry: Entry = {
        request,
        signal,
        keeping,
        waiters: [resolve],
        behind: this.#running.get(writer),
        outcome: undefined,
        again: new Set(again === undefined ? [] : [again]),
      };
      this.#waiting.set(writer, entry);
      void this.#turns.run(pathKey(request.target), async () => {
        this.#waiting.delete(writer);
        this.#running.set(writer, entry);
        const outcome = await this.#run(entry).catch((error: unknown): SaveOutcome => {
          return { k: 'failed', fault: fileFaultOf(error, entry.signal), kept: undefined };
        });
        entry.outcome = outcome;
        this.#running.delete(writer);
        for (const tell of entry.waiters) tell(outcome);
      });
    });
  }

  async #run(entry: Entry): Promise<SaveOutcome> {
    const { store, clock, log } = this.#options;
    let kept: KeptSave;
    let all: readonly KeptSave[];
    try {
      kept = await entry.keeping;
      all = await this.kept();
    } catch (error) {
      return { k: 'failed', fault: fileFaultOf(error, entry.signal), kept: undefined };
    }
    const isSamePath = ({ path, trace }: KeptSave): boolean =>
      path === kept.path || trace?.target === kept.path;
    const earlier = all.filter((save) => save.host === kept.host && save.as === kept.as && isSamePath(save));
    const outcome = await driveSave(
      {
        request: { ...entry.request, base: baseBehind(entry) },
        kept,
        earlier,
        store,
        clock,
        log,
        steady: this.#over.signal,
        commands: this.#commands(kept),
        alone: (path, work) => this.#targets.run(pathKey({ host: kept.host, path }), work),
      },
      entry.signal,
    );
    this.#active.delete(kept.id);
    if (outcome.k !== 'saved') return outcome;
    const isOlder = ({ path, writer, keptAt }: KeptSave): boolean =>
      path === kept.path && writer === kept.writer && keptAt <= kept.keptAt;
    const done = [kept, ...earlier.filter((save) => entry.again.has(save.id) || isOlder(save))];
    await Promise.all(done.map(({ id }) => this.#forget(id)));
    return outcome;
  }

  /** They have the rights of the one who is signed in. */
  #commands({ host, as }: KeptSave): HostCommands | undefined {
    return as === undefined ? this.#options.commandsOf?.(host) : undefined;
  }

  async #keep({ target, content, base, writer, keepBackup }: SaveRequest): Promise<KeptSave> {
    const { store, clock } = this.#options;
    const { host, path, as } = target;
    const record = {
      version: 1 as const,
      host,
      path: textOfPath(path),
      ...(as === undefined ? {} : { as }),
      writer,
      base,
      keepsBackup: keepBackup,
      content: { sha256: sha256Of(content), size: content.length },
      keptAt: clock.now(),
    };
    const id = await store.keep(record, content);
    this.#active.add(id);
    return { ...record, id };
  }

  /** A later save holds what its writer wants: the earlier one goes when the later one is on the disk. */
  async #forgetSuperseded(earlier: Promise<KeptSave>, later: Promise<KeptSave>): Promise<void> {
    const [before, after] = await Promise.allSettled([earlier, later]);
    if (before.status !== 'fulfilled') return;
    this.#active.delete(before.value.id);
    if (after.status === 'fulfilled') await this.#forget(before.value.id);
  }

  async #forget(id: string): Promise<void> {
    try {
      await this.#options.store.remove(id);
    } catch {
      this.#options.log.warn('save', 'a kept save could not be removed');
    }
  }

  async #find(id: string): Promise<KeptSave> {
    const save = (await this.kept()).find((one) => one.id === id);
    if (save === undefined) throw localFault('not-found', { path: id });
    return save;
  }

  /**
   * Looks at what a kept save has left on the server, one after the other with the saves of that path and with those of the file behind its
   * links.
   */
  async #look(request: KeptRequest, signal: AbortSignal, then: AfterLook): Promise<Examined> {
    const { host, path } = await this.#find(request.id);
    return this.#turns.run(pathKey({ host, path: pathOfText(path) }), async () => {
      const { trace } = await this.#find(request.id);
      if (trace === undefined) return { k: 'retry' };
      const target = { host, path: pathOfText(trace.target) };
      return this.#targets.run(pathKey(target), () => this.#lookAlone(request, signal, then));
    });
  }

  async #lookAlone({ id, files }: KeptRequest, signal: AbortSignal, then: AfterLook): Promise<Examined> {
    const { store } = this.#options;
    const save = await this.#find(id);
    const { trace } = save;
    if (trace === undefined) return { k: 'retry' };
    const progress = new SaveProgress(save, store);
    const content = await store.content(id);
    const commands = this.#commands(save);
    return files.use(async (open) => {
      const begun = { files: open, progress };
      const findings = await then(begun, await examineSave({ ...begun, commands, trace, content }, signal));
      if (findings.k === 'old') return { k: 'retry' };
      if (findings.k === 'foreign') return { k: 'conflict', theirs: findings.theirs };
      if (findings.k === 'damaged') return findings;
      await removeLeftovers(begun, signal);
      await store.remove(id);
      return { k: 'done', stamp: findings.stamp };
    }, signal);
  }
}

/** What the save of the same writer has saved meanwhile, where both were to follow the same content. */
function baseBehind({ request, behind }: Entry): SaveBase {
  return behind?.outcome?.k === 'saved' && isSameBase(behind.request.base, request.base)
    ? behind.outcome.stamp
    : request.base;
}

function targetOf({ host, path, as }: KeptSave): SaveTarget {
  return { host, path: pathOfText(path), ...(as === undefined ? {} : { as }) };
}

function pathKey({ host, path }: Pick<SaveTarget, 'host' | 'path'>): string {
  return JSON.stringify([host, textOfPath(path)]);
}
