import type { Settings } from './profileSettings.ts';

export interface EditorRequest {
  /** Folder of the profile, which lives on. Nothing of the person's own profile is touched. */
  readonly profile: string;
  readonly vsix: string;
  /** Settings that have to be there; others stay as the person left them. */
  readonly settings: Settings;
}

/** An editor that shows the extension. Whoever opened it stops it. */
export interface OpenEditor {
  /** Where the person finds it, as the end of a sentence that begins "Termind is open". */
  readonly place: string;
  /** Resolves when the person has closed it; never for an editor in the browser. */
  readonly closed: Promise<void>;
  stop(): Promise<void>;
}
