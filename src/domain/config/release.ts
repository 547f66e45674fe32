/**
 * An OpenSSH release as one number, 902 for 9.2 and 1001 for 10.1. Which lines are understood and how a `Match` line is cut depends on
 * it. Undefined: not known, so everything that any release understands is accepted.
 */
export type Release = number | undefined;

/** The release in what `ssh -V` prints, for example `OpenSSH_9.2p1 Debian-2, OpenSSL …`. */
export function parseRelease(text: string): Release {
  const match = /OpenSSH_(?:for_Windows_)?(\d{1,3})\.(\d{1,2})/.exec(text);
  return match === null ? undefined : Number(match[1]) * 100 + Number(match[2]);
}

/** As people write it: `9.2`. */
export function releaseName(release: number): string {
  return `${String(Math.floor(release / 100))}.${String(release % 100)}`;
}

/** Whether a release understands what came with `since`. */
export function understands(release: Release, since: number): boolean {
  return release === undefined || release >= since;
}
