import { ensureEditor } from '../setup/editor.ts';
import { ensureSystem } from '../setup/systemPackages.ts';

/**
 * Starts setting up both editor lines and what shows them, and never rejects: the suite that needs one asks again and
 * then reports what is missing.
 */
export async function prepareEditors(): Promise<void> {
  await Promise.allSettled([
    ensureSystem(['ssh', 'browser', 'compiler']).then(() =>
      Promise.allSettled([ensureEditor('newest'), ensureEditor('oldest')]),
    ),
  ]);
}
