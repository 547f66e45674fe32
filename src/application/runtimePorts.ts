import type { ClockPort, Event, Redactor, SecretRegistry } from '../agentkit/index.ts';
import type { ArchiveConsentPort } from './ports/archiveConsents.ts';
import type { EditorModelsPort } from './ports/editorModels.ts';
import type { ElevationPromptPort } from './ports/elevationPrompts.ts';
import type { ProgramConsentPromptPort, ProgramConsentStorePort } from './ports/hosts.ts';
import type { LocalTrashPort } from './ports/localTrash.ts';
import type { ConnectionPromptPort, LogPort, SecretStorePort } from './ports/prompts.ts';
import type { SecretFieldPort } from './ports/secretField.ts';
import type { WakeSignalsPort } from './ports/wakeSignals.ts';
import type { TermindSettings } from './settings.ts';

/** What the runtime needs of its surroundings; the editor's adapters give it, and tests give their own. */
export interface RuntimePorts {
  /** Holds the store and scratch. May not exist yet. */
  readonly storageDirectory: string;
  /** Names this window in leases; differs between windows that are open at the same time. */
  readonly windowId: string;
  readonly clock: ClockPort;
  /** Redacts every line with `redactor`. */
  readonly log: LogPort;
  readonly secrets: SecretStorePort;
  readonly prompts: ConnectionPromptPort;
  /** Absent = nobody can be asked for a secret, and no tool asks. */
  readonly secretField?: SecretFieldPort;
  readonly settings: { current(): TermindSettings; readonly onDidChange: Event<TermindSettings> };
  /** Of the whole window; `secretRegistry` holds the values it knows. */
  readonly redactor: Redactor;
  readonly secretRegistry: SecretRegistry;
  readonly fetch: typeof globalThis.fetch;
  /** Absent = the editor has no language models. */
  readonly editorModels?: EditorModelsPort;
  /** Absent = nobody can be asked, so no files are opened with the rights of another user. */
  readonly elevationPrompts?: ElevationPromptPort;
  /** Absent = nobody can be asked, and no transfer uses archives unless the setting says always. */
  readonly archiveConsents?: ArchiveConsentPort;
  /** Absent = this machine has no trash, and nothing of it is deleted by synchronizing folders. */
  readonly localTrash?: LocalTrashPort;
  /** Absent = nobody tells when the window is looked at again. */
  readonly wakeSignals?: WakeSignalsPort;
  /** Absent = nobody can be asked about the programs of an SSH configuration, so none runs. */
  readonly programConsents?: {
    readonly store: ProgramConsentStorePort;
    readonly prompt: ProgramConsentPromptPort;
  };
  /** False in a folder that is not trusted: then no program is started to read a configuration. */
  readonly mayRunPrograms: () => boolean;
  readonly environment: {
    readonly homeDirectory: string;
    readonly userName: string;
    /** `SSH_AUTH_SOCK` and what else the user's OpenSSH would read. */
    readonly variables: Readonly<Record<string, string | undefined>>;
  };
}
