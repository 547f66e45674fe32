import { randomBytes } from 'node:crypto';
import { neverAborted } from '../../../agentkit/index.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { oldName } from '../../../domain/transfer/partName.ts';
import type { End, ReplacementNote } from './end.ts';
import { nameOfPlace, showPlace, siblingOf } from './place.ts';
import { settleReplacement } from './settleReplacement.ts';
import type { Place } from './transfer.ts';

/**
 * Puts a complete file into the place of another where the server cannot do so in one step: the old one gets another name, which is noted
 * before, the new one takes its place, and the old one goes. An abort is heeded until the first of these: nobody who stops waiting leaves a
 * target missing. When the new one does not take its place, the old one does again. Rejects with `is-directory` and as `End.rename`; the note stays
 * only while something may be left. Source: ssh.md 8.5, "swapped".
 */
export async function replaceInTwoSteps(
  end: Pick<End, 'look' | 'rename' | 'remove'>,
  {
    from,
    to,
    note,
  }: { readonly from: Place; readonly to: Place; readonly note: ReplacementNote | undefined },
  signal: AbortSignal,
): Promise<void> {
  if ((await end.look(to, signal))?.kind === 'directory')
    throw fileError('is-directory', { path: showPlace(to) });
  const name = oldName(nameOfPlace(to), randomBytes(6).toString('hex'));
  const old = siblingOf(to, name);
  await note?.begin(name);
  try {
    await end.rename({ from: to, to: old, replace: false }, neverAborted);
    await end.rename({ from, to, replace: false }, neverAborted);
    await end.remove(old, neverAborted).then(
      () => note?.end(),
      () => {}, // the new one is in place; the next transfer of it removes what is noted
    );
  } catch (error) {
    const left = await settleReplacement(end, { to, part: from, old }, neverAborted).catch(() => undefined);
    if (left !== undefined) await note?.end();
    if (left !== 'replaced') throw error;
  }
}
