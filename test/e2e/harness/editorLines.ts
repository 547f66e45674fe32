import type { EditorLine } from '../../../scripts/setup/editor.ts';

/** The editors that a suite runs in: the newest one, and the oldest that the manifest allows. */
export const editorLines = ['newest', 'oldest'] as const satisfies readonly EditorLine[];
