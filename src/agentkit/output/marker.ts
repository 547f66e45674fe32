/** Source line numbers, both inclusive. */
export type LineRange = readonly [from: number, to: number];

/**
 * The only two forms of a truncation marker, English and never localised. No ranges = nothing kept; `total` null = unknown; `path`
 * only after a successful capture. Source: seed 0, "Markers and Presentation"; agent runtime contract, section 8.7.
 */
export function markerText(shown: {
  readonly ranges: readonly LineRange[];
  readonly total: number | null;
  readonly path?: string | undefined;
}): string {
  const lines = shown.ranges.map(([from, to]) => `${from}-${to}`).join(', ');
  const what = lines === '' ? '0 lines' : `lines ${lines}`;
  const of = shown.total === null ? '' : ` of ${shown.total}`;
  const where = shown.path === undefined ? '' : `. Full output: ${shown.path}`;
  return `[Showing ${what}${of}${where}]`;
}
