import type { SourceRef } from '../../domain/config/configFile.ts';

/** The file and line of `path:line`, with `~` for `home`; undefined when it names no file. */
export function placeOf(at: string, home: string): SourceRef | undefined {
  const found = /^(.+):([1-9]\d*)$/.exec(at);
  const [, written, line] = found ?? [];
  if (written === undefined || line === undefined) return undefined;
  const path = /^~[\\/]/.test(written) ? `${home}${written.slice(1)}` : written;
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path) ? { path, line: Number(line) } : undefined;
}
