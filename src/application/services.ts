import type { ScratchWorkspace } from '../agentkit/index.ts';
import type { AssistantLibrary } from './assistant/assistantLibrary.ts';
import type { RemoteDocuments } from './files/documents/remoteDocuments.ts';
import type { ElevatedPlaces } from './files/elevatedPlaces.ts';
import type { RemoteFilesService } from './files/remoteFilesService.ts';
import type { FileSaving } from './files/save/fileSaving.ts';
import type { ForwardService } from './forwards/forwardService.ts';
import type { OperationsLog } from './operations/operationsLog.ts';
import type { AgentKeysPort } from './ports/agentKeys.ts';
import type { ArchiveConsentPort } from './ports/archiveConsents.ts';
import type { ConnectionManager } from './ports/connection.ts';
import type {
  HostDirectory,
  HostStorePort,
  OpenSshConfigPort,
  ProgramConsentStorePort,
} from './ports/hosts.ts';
import type { SecretStorePort } from './ports/prompts.ts';
import type { RequestLogReader } from './requestLog/readLog.ts';
import type { FolderSyncing } from './sync/folderSync.ts';
import type { StoreStatePort } from './ports/store.ts';
import type { TransferQueue } from './transfer/queue/transferQueue.ts';
import type { AuthorityLines } from './trust/authorityLines.ts';
import type { FleetTrustReader } from './trust/fleetTrustReader.ts';
import type { HostTrust } from './trust/hostTrust.ts';

/** What the features get of the runtime once it is loaded. Built by `runtime.ts` from ports, without the editor. */
export interface Services {
  readonly hosts: HostDirectory;
  readonly hostStore: HostStorePort;
  readonly sshConfig: OpenSshConfigPort;
  /** What the person decided about the programs of the SSH configuration. */
  readonly programConsents: ProgramConsentStorePort;
  readonly connections: ConnectionManager;
  readonly files: RemoteFilesService;
  /** Files as the editor and the Files view take them. */
  readonly documents: RemoteDocuments;
  readonly elevated: ElevatedPlaces;
  /** The one way in which content is saved on hosts. */
  readonly saving: FileSaving;
  /** Transfers that go on in the background. */
  readonly transfers: TransferQueue;
  /** On which hosts transfers may use archives. */
  readonly archiveConsents: ArchiveConsentPort;
  /** Compares folders of this machine and of hosts, and makes them equal. */
  readonly folderSync: FolderSyncing;
  readonly forwards: ForwardService;
  /** What a person may do about the keys that are trusted for a host. */
  readonly trust: HostTrust;
  /** What is kept about the host keys of all hosts. */
  readonly fleetTrust: FleetTrustReader;
  /** The certificate authorities that a person has Termind trust. */
  readonly authorities: AuthorityLines;
  readonly assistant: AssistantLibrary;
  readonly scratch: ScratchWorkspace;
  readonly requestLog: RequestLogReader;
  /** What was done to hosts. */
  readonly operations: OperationsLog;
  readonly store: StoreStatePort;
  readonly agentKeys: AgentKeysPort;
  /** Passwords and keys by random reference; see `vscode.md` 8. */
  readonly credentials: SecretStorePort;
  /** Stops the runs, waits a moment until their ends are stored, and disposes. */
  close(): Promise<void>;
  dispose(): void;
}
