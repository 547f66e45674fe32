import {
  serviceKey,
  type CallCaptures,
  type ClockPort,
  type ScratchWorkspace,
  type UserSecretPort,
} from '../../agentkit/index.ts';
import type { RaisedHosts } from '../assistant/raisedHosts.ts';
import type { HostProfileService } from '../exec/hostProfileService.ts';
import type { RemoteExecService } from '../exec/remoteExecService.ts';
import type { ToolFilesPort } from '../files/runFiles.ts';
import type { FileSaving } from '../files/save/fileSaving.ts';
import type { KeyedTurns } from '../files/save/keyedTurns.ts';
import type { ConnectionManager } from '../ports/connection.ts';
import type { HostDirectory, HostStorePort } from '../ports/hosts.ts';
import type { DeleteMode } from '../settings.ts';

/** What Termind lends the tools it registers. Prompts of connections stay behind `connections`, off the event channel. */
export const ToolService = {
  clock: serviceKey<ClockPort>('termind.clock'),
  hosts: serviceKey<HostDirectory>('termind.hosts'),
  hostFacts: serviceKey<Pick<HostStorePort, 'facts'>>('termind.hostFacts'),
  connections: serviceKey<Pick<ConnectionManager, 'state'>>('termind.connections'),
  profiles: serviceKey<HostProfileService>('termind.profiles'),
  captures: serviceKey<CallCaptures>('termind.captures'),
  exec: serviceKey<RemoteExecService>('termind.exec'),
  files: serviceKey<ToolFilesPort>('termind.files'),
  /** Changes of one path of a host wait for each other, whichever run makes them. */
  fileTurns: serviceKey<KeyedTurns>('termind.fileTurns'),
  /** What the person wants to become of deleted files, as of now. */
  deleteMode: serviceKey<() => DeleteMode>('termind.deleteMode'),
  saving: serviceKey<FileSaving>('termind.saving'),
  scratch: serviceKey<ScratchWorkspace>('termind.scratch'),
  /** Production hosts that a person lets a run change. */
  raises: serviceKey<Pick<RaisedHosts, 'isRaised'>>('termind.raises'),
  /** Where a person types a secret; undefined where nobody can. */
  secretField: serviceKey<UserSecretPort | undefined>('termind.secretField'),
} as const;
