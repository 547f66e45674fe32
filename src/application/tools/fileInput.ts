import { codePoints } from '../../agentkit/index.ts';
import { permissionBits } from '../../domain/files/permissions.ts';
import { remotePath } from './execInput.ts';

export const remotePathHint = 'Absolute path on the host, without ".", ".." and empty components.';
export const pathInput = remotePath.describe(remotePathHint);

/** Octal text from `0` to `7777`. Source: tools.md, `sftp_chmod`. */
export const modeInput = codePoints(4, 1).refine((text) => /^[0-7]{1,4}$/.test(text), {
  error: 'must be octal digits from 0000 to 7777',
});

/** Of a mode that was checked by the schema. */
export function modeOf(text: string): number {
  return Number.parseInt(text, 8) & permissionBits;
}

export const digestInput = codePoints(64, 64).refine((text) => /^[0-9a-fA-F]{64}$/.test(text), {
  error: 'must be 64 hexadecimal digits',
});
