import { localName } from '../transfer/localName.ts';
import { NameTwins } from './nameTwins.ts';
import {
  compareSyncPaths,
  keyOfPath,
  otherSide,
  type SyncEntry,
  type SyncListing,
  type SyncPath,
  type SyncSide,
} from './syncEntry.ts';
import {
  totalsOf,
  type SyncAction,
  type SyncPlan,
  type SyncReason,
  type SyncRules,
  type SyncStep,
} from './syncPlan.ts';

export interface SyncSides {
  readonly left: SyncListing;
  readonly right: SyncListing;
}

/** What comparing two files of one path and size told; undefined when it could not be told. */
export type ContentAnswers = ReadonlyMap<string, 'same' | 'different'>;

/** The paths, by `keyOfPath`, whose content has to be compared: files on both sides, of one known size. */
export function pathsToCompare(sides: SyncSides): readonly SyncPath[] {
  const right = byKey(sides.right);
  return sides.left.entries
    .filter((entry) => {
      const other = right.get(keyOfPath(entry.path));
      return (
        entry.kind === 'file' &&
        other?.kind === 'file' &&
        entry.size !== undefined &&
        entry.size === other.size
      );
    })
    .map(({ path }) => path);
}

/**
 * What makes the folders equal, without doing anything. Nothing is guessed: what cannot be told apart, held or undone is a conflict or is
 * skipped, with its reason, and so is everything below it. `answers` are used with `compare: 'content'`. Source: ssh.md 8.8.
 */
export function planSync(sides: SyncSides, rules: SyncRules, answers: ContentAnswers = new Map()): SyncPlan {
  return new Planner(sides, rules, answers).plan();
}

type Decision = Pick<SyncStep, 'action' | 'reason' | 'changes'> & {
  readonly replacesNewer?: boolean;
  /** Nothing below it is decided by itself. */
  readonly closes?: true;
};

interface Pair {
  readonly path: SyncPath;
  readonly left: SyncEntry | undefined;
  readonly right: SyncEntry | undefined;
}

class Planner {
  readonly #sides: SyncSides;
  readonly #rules: SyncRules;
  readonly #answers: ContentAnswers;
  readonly #twins: NameTwins;
  /** Directories whose content is not decided by itself. */
  readonly #closed = new Set<string>();
  readonly #notRead: ReadonlyMap<string, 'unreadable' | 'excluded'>;

  constructor(sides: SyncSides, rules: SyncRules, answers: ContentAnswers) {
    this.#sides = sides;
    this.#rules = rules;
    this.#answers = answers;
    this.#twins = new NameTwins([sides.left, sides.right]);
    const closed = [...sides.left.closed, ...sides.right.closed];
    this.#notRead = new Map(closed.map(({ path, why }) => [keyOfPath(path), why]));
  }

  plan(): SyncPlan {
    const steps = keepHolders(this.#pairs().map((pair) => this.#step(pair)));
    return { steps, totals: totalsOf(steps) };
  }

  #pairs(): readonly Pair[] {
    const [left, right] = [byKey(this.#sides.left), byKey(this.#sides.right)];
    const paths = new Map([...left, ...right].map(([key, { path }]) => [key, path]));
    return [...paths]
      .map(([key, path]) => ({ path, left: left.get(key), right: right.get(key) }))
      .sort((a, b) => compareSyncPaths(a.path, b.path));
  }

  #step(pair: Pair): SyncStep {
    const key = keyOfPath(pair.path);
    const isBelow = this.#closed.has(keyOfPath(pair.path.slice(0, -1)));
    const {
      closes,
      replacesNewer = false,
      ...decision
    } = isBelow ? leave('skip', 'above') : this.#decide(pair, key);
    if (closes === true) this.#closed.add(key);
    return { ...pair, ...decision, replacesNewer };
  }

  #decide({ path, left, right }: Pair, key: string): Decision {
    const notRead = this.#notRead.get(key);
    if (notRead === 'excluded') return leave('skip', 'excluded');
    if (notRead === 'unreadable') return leave('conflict', 'unread');
    if (left !== undefined && right !== undefined) return this.#decideBoth(left, right);
    const side: SyncSide = left === undefined ? 'right' : 'left';
    const entry = left ?? right;
    if (entry?.kind === 'symlink') return leave('skip', 'link');
    if (entry?.kind !== 'file' && entry?.kind !== 'directory') return leave('skip', 'special');
    return this.#decideOne(path, side);
  }

  /** What only `side` has. */
  #decideOne(path: SyncPath, side: SyncSide): Decision {
    const { direction, deletes } = this.#rules;
    const goal = direction === 'both' ? otherSide(side) : direction === 'toRight' ? 'right' : 'left';
    const twin = this.#twins.of(path, this.#sides[goal]);
    if (goal === side) {
      if (!deletes) return { action: 'skip', reason: 'onlyThere', changes: undefined };
      return twin === undefined
        ? { action: 'delete', reason: 'onlyThere', changes: goal }
        : leave('conflict', twin);
    }
    if (localName(path.at(-1) ?? '', this.#sides[goal].rules) === undefined) return leave('conflict', 'name');
    return twin === undefined
      ? { action: 'create', reason: 'missing', changes: goal }
      : leave('conflict', twin);
  }

  #decideBoth(left: SyncEntry, right: SyncEntry): Decision {
    if (left.kind !== right.kind) return leave('conflict', 'kind');
    if (left.kind === 'symlink') return leave('skip', 'link');
    if (left.kind === 'directory') return { action: 'skip', reason: 'equal', changes: undefined };
    if (left.kind !== 'file') return leave('skip', 'special');
    const difference = this.#difference(left, right);
    if (difference === undefined) return { action: 'skip', reason: 'equal', changes: undefined };
    const { direction } = this.#rules;
    if (direction === 'both' || difference === 'unread') return leave('conflict', difference);
    const changes = direction === 'toRight' ? 'right' : 'left';
    const [from, to] = changes === 'right' ? [left, right] : [right, left];
    return { action: 'update', reason: difference, changes, replacesNewer: this.#isLater(to, from) };
  }

  #difference(left: SyncEntry, right: SyncEntry): SyncReason | undefined {
    if (left.size === undefined || right.size === undefined) return 'unknown';
    if (left.size !== right.size) return 'size';
    if (this.#rules.compare === 'content') {
      const answer = this.#answers.get(keyOfPath(left.path));
      if (answer === undefined) return 'unread';
      return answer === 'same' ? undefined : 'content';
    }
    if (left.modified === undefined || right.modified === undefined) return 'unknown';
    return this.#isLater(left, right) || this.#isLater(right, left) ? 'time' : undefined;
  }

  /** By whole seconds, which is all that every server has. */
  #isLater(a: SyncEntry, b: SyncEntry): boolean {
    if (a.modified === undefined || b.modified === undefined) return false;
    return Math.floor(a.modified) - Math.floor(b.modified) >= this.#rules.timeStep;
  }
}

/** The decision to change nothing about a path and what is in it. */
function leave(action: SyncAction, reason: SyncReason): Decision {
  return { action, reason, changes: undefined, closes: true };
}

/** A directory is deleted only with everything in it: one that holds what stays, stays. */
function keepHolders(steps: readonly SyncStep[]): readonly SyncStep[] {
  const holders = new Set<string>();
  const kept = [...steps].reverse().map((step): SyncStep => {
    const isKept = holders.has(keyOfPath(step.path));
    const now: SyncStep =
      step.action === 'delete' && isKept ? { ...step, action: 'skip', changes: undefined } : step;
    if (now.action !== 'delete') holders.add(keyOfPath(step.path.slice(0, -1)));
    return now;
  });
  return kept.reverse();
}

function byKey({ entries }: SyncListing): ReadonlyMap<string, SyncEntry> {
  return new Map(entries.map((entry) => [keyOfPath(entry.path), entry]));
}
