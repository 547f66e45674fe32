import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { KnownHostRow } from '../../application/ports/knownHosts.ts';
import { namesProblem } from '../../domain/trust/authorityLine.ts';
import { isPlainName } from '../../domain/trust/knownHostsLine.ts';
import { knownHostsName } from '../../domain/trust/trustRecord.ts';

const header = `# Host keys accepted in Termind, written from its store for people and for ssh.
# Changes made here are lost; use the host editor.
`;

const plainWord = /^[A-Za-z0-9@.+/=_-]+$/;

/**
 * The rows as known_hosts text, one line each, in the order given. A row that the format cannot say exactly is left out: the file
 * is a copy for others, and it must never accept more than the store does.
 */
export function knownHostsText(rows: readonly KnownHostRow[]): string {
  const lines = rows.filter(isExpressible).map((row) => {
    const key = `${row.keyType} ${row.keyBase64}\n`;
    if (row.marker !== undefined) return `@${row.marker} ${row.name} ${key}`;
    return `${knownHostsName(row.name, row.port)} ${key}`;
  });
  return header + lines.join('');
}

function isExpressible(row: KnownHostRow): boolean {
  const canSayName = row.marker === undefined ? isPlainName(row.name) : namesProblem(row.name) === undefined;
  return canSayName && plainWord.test(row.keyType) && plainWord.test(row.keyBase64);
}

/** Replaces the file as a whole, mode 0600; readers see the old or the new text, never a part. */
export function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.part`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flush: true });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
