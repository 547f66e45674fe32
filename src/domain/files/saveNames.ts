import { oldName } from '../transfer/partName.ts';

/** How many backups of a file stay. Source: ssh.md 8.5, "backed". */
export const keptBackups = 5;

/** Down to milliseconds, so that an order can be told. */
const timePattern = /^\d{8}T\d{9}Z$/;

/** The name of a backup, which tells what of and when. `name` is spelt as `textOfBytes` spells names; `random`: 12 hexadecimal digits. */
export function backupName(
  name: string,
  { at, random }: { readonly at: number; readonly random: string },
): string {
  const time = new Date(at).toISOString().replaceAll(/[-:.]/g, '');
  return oldName(name, `${time}.${random}`);
}

/** Which of the names in a directory are backups of a file, the newest first. */
export function backupsOf(name: string, entries: readonly string[]): readonly string[] {
  const own = entries.flatMap((entry) => {
    const [time, random, ending] = entry.split('.').slice(-3);
    if (time === undefined || random === undefined || ending !== 'old' || !timePattern.test(time)) return [];
    return entry === oldName(name, `${time}.${random}`) ? [{ entry, time }] : [];
  });
  return own.sort((a, b) => compare(b.time, a.time)).map(({ entry }) => entry);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
