import { oldName } from '../transfer/partName.ts';

/** How many backups of a file stay. Source: ssh.md 8.5, "backed". */
export const keptBackups = 5;

/** Down to milliseconds, so that an order can be told. */
const timePattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/;

/** The name of a backup, which tells what of and when. `name` is spelt as `textOfBytes` spells names; `random`: 12 hexadecimal digits. */
export function backupName(
  name: string,
  { at, random }: { readonly at: number; readonly random: string },
): string {
  const time = new Date(at).toISOString().replaceAll(/[-:.]/g, '');
  return oldName(name, `${time}.${random}`);
}

/** Which of the names in a directory are backups of a file, and when they were made, the newest first. */
export function backupsOf(
  name: string,
  entries: readonly string[],
): readonly { readonly entry: string; readonly at: number }[] {
  const own = entries.flatMap((entry) => {
    const [time, random, ending] = entry.split('.').slice(-3);
    const at = time === undefined ? undefined : timeOf(time);
    if (at === undefined || random === undefined || ending !== 'old') return [];
    return entry === backupName(name, { at, random }) ? [{ entry, at }] : [];
  });
  return own.sort((a, b) => b.at - a.at);
}

function timeOf(text: string): number | undefined {
  const parts = timePattern.exec(text)?.slice(1).map(Number) ?? [];
  const [year, month, day, hour, minute, second, milliseconds] = parts;
  if (year === undefined || month === undefined) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
}
