/** One measured figure. `ours` and `peer` share a unit that `target` names; without a peer both it and the ratio are null. */
export interface Figure {
  /** The row of quality.md, for example `P10`. */
  readonly id: string;
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: number | null;
  readonly target: string;
  /** In the last figure of a benchmark it covers all of that benchmark's targets. */
  readonly holds: boolean;
  /** What was measured, for the table only. */
  readonly label: string;
}

export interface Benchmark {
  readonly id: string;
  /** How a person selects it: `npm run bench -- activation`. */
  readonly name: string;
  /** Says on `note` what happens; resolves to the figures in the order of their printing. */
  run(note: (text: string) => void): Promise<Figure[]>;
}

/** The middle value; of an even count the mean of the two in the middle. Rejects an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('no median of nothing');
  return (upper + lower) / 2;
}

/** The value that `percent` of the values do not exceed (nearest rank). Rejects an empty list. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
  if (value === undefined) throw new RangeError('no percentile of nothing');
  return value;
}

/** The line of a figure for programs. */
export function jsonLine({ id, ours, peer, ratio, target, holds }: Figure): string {
  return JSON.stringify({ id, ours, peer, ratio, target, holds });
}
