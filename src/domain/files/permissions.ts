/** The bits that `chmod` takes. */
export const permissionBits = 0o7777;

/** `0644`. Source: tools.md, `sftp_list`. */
export function octalMode(mode: number): string {
  return (mode & permissionBits).toString(8).padStart(4, '0');
}

/** Octal text from `0` to `7777`; undefined for anything else. */
export function modeOfOctal(text: string): number | undefined {
  return /^[0-7]{1,4}$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

const letters = { 0o100000: '-', 0o040000: 'd', 0o120000: 'l', 0o140000: 's', 0o060000: 'b', 0o020000: 'c' };
const kindLetters: ReadonlyMap<number, string> = new Map([
  ...Object.entries(letters).map(([bits, letter]) => [Number(bits), letter] as const),
  [0o010000, 'p'],
]);

/** As `ls -l` shows it: `drwxr-xr-t`, with `?` for a kind that is not known. */
export function symbolicMode(mode: number): string {
  const kind = kindLetters.get(mode & 0o170000) ?? '?';
  return `${kind}${triple(mode >> 6, mode & 0o4000, 's')}${triple(mode >> 3, mode & 0o2000, 's')}${triple(mode, mode & 0o1000, 't')}`;
}

function triple(bits: number, special: number, letter: string): string {
  const runs = (bits & 1) !== 0;
  const last = special === 0 ? (runs ? 'x' : '-') : runs ? letter : letter.toUpperCase();
  return `${(bits & 4) === 0 ? '-' : 'r'}${(bits & 2) === 0 ? '-' : 'w'}${last}`;
}
