import { mark, type Range } from './mark.ts';

/**
 * Keys and tokens that are recognised by how they look. None has a condition behind its last repetition, so none can run back over
 * what it matched. Source: agent runtime contract, section 14.
 */
const tokens: readonly RegExp[] = [
  /(?<![A-Za-z0-9])A[KS]IA[0-9A-Z]{16,}/g,
  /(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{30,}/g,
  /(?<![A-Za-z0-9])gh[a-z]_[0-9A-Za-z]{16,}/g,
  /(?<![A-Za-z0-9])github_pat_[0-9A-Za-z_]{16,}/g,
  /(?<![A-Za-z0-9])glpat-[0-9A-Za-z_-]{12,}/g,
  /(?<![A-Za-z0-9])xox[a-z]-[0-9A-Za-z-]{8,}/g,
  /(?<![A-Za-z0-9_-])eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{4,}\.[0-9A-Za-z_-]*/g,
];
/** Words with dashes look alike, so a figure is asked for. */
const dashedKey = /(?<![A-Za-z0-9])sk-[0-9A-Za-z_-]{16,}/g;

export function tokenRanges(line: string): readonly Range[] {
  const matches = tokens.flatMap((token) => [...line.matchAll(token)]);
  const dashed = [...line.matchAll(dashedKey)].filter(([key]) => /\d/.test(key));
  return [
    ...[...matches, ...dashed].map(({ 0: token, index }) => ({ start: index, end: index + token.length })),
    ...userInfoRanges(line),
  ];
}

/** User and password of a URL: between `://` and the last `@` of the authority. */
function userInfoRanges(line: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let start = line.indexOf('://'); start >= 0; start = line.indexOf('://', start)) {
    start += '://'.length;
    let at = -1;
    for (let index = start; index < line.length; index++) {
      if (line.startsWith(mark, index)) index += mark.length - 1;
      else if (line[index] === '@') at = index;
      else if (/[\s/?#"'`<>\\]/.test(line[index] ?? '')) break;
    }
    if (at > start) ranges.push({ start, end: at });
  }
  return ranges;
}
