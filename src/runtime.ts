import { createHash } from 'node:crypto';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createToolRegistry,
  Guardian,
  DisposableBag,
  OutputCollector,
  OutputProjector,
  planningTools,
  proposeTitle,
  ScratchCaptures,
  scratchTools,
  ScratchWorkspace,
  secretConsumers,
  taskTools,
  ToolServices,
  userInteractionTools,
  webTools,
  type ClockPort,
  type SearchPort,
  type SecretConsumers,
  type Tool,
  type UserSecretPort,
  type WebPorts,
} from './agentkit/index.ts';
import { approvalRules } from './application/assistant/approvalRules.ts';
import { CardQueue } from './application/assistant/cardQueue.ts';
import { ConnectedHosts } from './application/assistant/connectedHosts.ts';
import { ConversationLibrary } from './application/assistant/conversationLibrary.ts';
import { ModelCatalog } from './application/assistant/modelCatalog.ts';
import { QuestionQueue } from './application/assistant/questionQueue.ts';
import { RaisedHosts } from './application/assistant/raisedHosts.ts';
import { runLimits } from './application/assistant/runLimits.ts';
import { systemPrompt, termindPolicy } from './application/assistant/termindPolicy.ts';
import { typedSecrets } from './application/assistant/typedSecrets.ts';
import { settledWithin } from './application/exec/deadline.ts';
import { HostProfileService } from './application/exec/hostProfileService.ts';
import { RemoteExecService } from './application/exec/remoteExecService.ts';
import { RemoteDocuments } from './application/files/documents/remoteDocuments.ts';
import { FilesMemory } from './application/files/filesMemory.ts';
import { ElevatedPlaces } from './application/files/elevatedPlaces.ts';
import { ReadOnlyHosts } from './application/files/readOnlyHosts.ts';
import { RemoteFilesService } from './application/files/remoteFilesService.ts';
import { RunFiles } from './application/files/runFiles.ts';
import { FileSaver } from './application/files/save/fileSaver.ts';
import { KeyedTurns } from './application/files/save/keyedTurns.ts';
import { ForwardDirectory } from './application/forwards/forwardDirectory.ts';
import { ForwardingConnections } from './application/forwards/forwardingConnections.ts';
import { ForwardRegistry } from './application/forwards/forwardRegistry.ts';
import { ForwardService } from './application/forwards/forwardService.ts';
import { HeadKeeper } from './application/operations/headKeeper.ts';
import {
  noteCommandEnd,
  noteForwards,
  noteRaises,
  notedGrants,
  notedHostStore,
  notedKnownHosts,
} from './application/operations/notedActs.ts';
import { noteTransfers } from './application/operations/noteTransfers.ts';
import { OperationsLog } from './application/operations/operationsLog.ts';
import { rememberingPrompts, rememberingSecrets } from './application/rememberingPorts.ts';
import type { AgentKeysPort } from './application/ports/agentKeys.ts';
import type { ElevationPromptPort } from './application/ports/elevationPrompts.ts';
import { credentialKey, type SecretStorePort } from './application/ports/prompts.ts';
import type { RuntimePorts } from './application/runtimePorts.ts';
import type { Services } from './application/services.ts';
import type { ArchiveConsentPort } from './application/ports/archiveConsents.ts';
import type { HostCommands } from './application/ports/hostCommands.ts';
import type { LocalTrashPort } from './application/ports/localTrash.ts';
import { ChannelMemory } from './application/ssh/channelMemory.ts';
import { HostKeyJudge } from './application/ssh/hostKeyJudge.ts';
import { exportLog } from './application/requestLog/readLog.ts';
import { RequestLog } from './application/requestLog/requestLog.ts';
import { showLog } from './application/requestLog/showLog.ts';
import { KeptPassphrases } from './application/ssh/keptPassphrases.ts';
import { KeptPasswords } from './application/ssh/keptPasswords.ts';
import { SshConnectionManager } from './application/ssh/sshConnectionManager.ts';
import { connectedFiles } from './application/tools/connectedFiles.ts';
import { FolderSyncer } from './application/sync/folderSyncer.ts';
import { findHost } from './application/tools/hostSubject.ts';
import { ToolService } from './application/tools/keys.ts';
import { termindOutputPolicies } from './application/tools/outputPolicies.ts';
import { termindTools } from './application/tools/termindTools.ts';
import { ArchiveLeave } from './application/transfer/archive/archiveLeave.ts';
import { FileTransfers } from './application/transfer/engine/fileTransfers.ts';
import { TransferQueue } from './application/transfer/queue/transferQueue.ts';
import { ChangedKeys } from './application/trust/changedKeys.ts';
import { AuthorityLines } from './application/trust/authorityLines.ts';
import { FleetTrustReader } from './application/trust/fleetTrustReader.ts';
import { HostKeyUpdates } from './application/trust/hostKeyUpdates.ts';
import { HostTrust } from './application/trust/hostTrust.ts';
import { VaultHostDirectory } from './application/vault/hostDirectory.ts';
import { nobodyToAsk, ProgramConsents } from './application/vault/programConsents.ts';
import { fileError } from './domain/files/fileFault.ts';
import type { HostId } from './domain/host/hostId.ts';
import { showUntrusted } from './domain/ssh/untrustedText.ts';
import { OpenSshConfig } from './infrastructure/config/openSshConfig.ts';
import { authorityVerdict } from './infrastructure/ssh/keys/verifyCertificate.ts';
import { KeptSaveFiles } from './infrastructure/files/keptSaveFiles.ts';
import { OpenedContentFiles } from './infrastructure/files/openedContentFiles.ts';
import { LocalNetwork } from './infrastructure/net/localNetwork.ts';
import { DocumentTexts } from './infrastructure/net/web/documentTexts.ts';
import { PinnedRequests } from './infrastructure/net/web/pinnedRequests.ts';
import { SearchClient } from './infrastructure/net/web/searchClient.ts';
import { systemNames } from './infrastructure/net/web/systemNames.ts';
import { KnownHostsFiles } from './infrastructure/ssh/knownHostsFiles.ts';
import { agentKeys } from './infrastructure/ssh/agentKeys.ts';
import { AgentSearch } from './infrastructure/ssh/agentSearch.ts';
import { FilesOpener } from './infrastructure/sftp/filesOpener.ts';
import { hostCommands } from './infrastructure/sftp/hostCommands.ts';
import { hostPrograms } from './infrastructure/sftp/hostPrograms.ts';
import { SshTransport } from './infrastructure/ssh/sshTransport.ts';
import { JournalFiles } from './infrastructure/files/journalFiles.ts';
import { LocalFiles, nativeRules } from './infrastructure/files/localFiles.ts';
import { chosenTransport, SystemSshTransport } from './infrastructure/ssh/system/systemSshTransport.ts';
import { isOwnerGone, thisProcess } from './infrastructure/store/leases.ts';
import { openStore, type Store } from './infrastructure/store/openStore.ts';

/**
 * Builds the services of one window, once, without the editor. Nothing is read, opened or connected here: the store opens with its
 * first use and says by its state when it cannot. What cannot work fails where it is used and takes nothing else down. The caller
 * disposes the result, or closes it where it can wait. Source: seed 1, "Dependency direction"; vscode.md 4 and 9.
 */
export function createServices(ports: RuntimePorts): Services {
  const { clock, log, redactor, settings, storageDirectory } = ports;
  const bag = new DisposableBag();
  const secrets = rememberingSecrets(ports.secrets, ports.secretRegistry);
  const rows = bag.add(openStore({ directory: storageDirectory, clock, windowId: ports.windowId, log }));
  const operations = openOperations(ports, rows, bag);
  const store: Store = {
    ...rows,
    hosts: notedHostStore(rows.hosts, { notes: operations, hosts: () => remote.hosts }),
    knownHosts: notedKnownHosts(rows.knownHosts, operations),
    grants: notedGrants(rows.grants, operations),
  };
  const scratch = bag.add(openScratch(ports));
  const remote = createRemote({ ports, store, secrets, operations }, bag);
  const profiles = new HostProfileService({
    connections: remote.connections,
    facts: store.hosts,
    placeOf: (id) => remote.hosts.get(id),
    clock,
  });
  const exec = bag.add(
    new RemoteExecService({
      connections: remote.connections,
      profiles,
      clock,
      newOutput: () => new OutputCollector({ redactor, spoolFolder: join(storageDirectory, 'spool') }),
      onEndedAlone: (record) => void noteCommandEnd(record, { notes: operations, hosts: remote.hosts }),
    }),
  );
  const readOnlyHosts = bag.add(new ReadOnlyHosts({ store: store.hosts, changes: remote.hosts }));
  const files = bag.add(
    new RemoteFilesService({
      connections: remote.connections,
      opener: new FilesOpener(clock),
      memory: new FilesMemory({ facts: store.hosts, clock, log }),
      hosts: remote.hosts,
      readOnlyHosts,
      clock,
      log,
    }),
  );
  const elevated = bag.add(
    new ElevatedPlaces({
      ...{ files, hosts: remote.hosts, known: ports.secretRegistry },
      prompts: ports.elevationPrompts ?? nobodyElevates,
    }),
  );
  const transfers = { local: new LocalFiles(), clock } as const;
  const engine = new FileTransfers({
    ...transfers,
    journals: new JournalFiles(join(storageDirectory, 'transfers')),
  });
  const commandsOf = (host: HostId): HostCommands =>
    readOnlyHosts.guardCommands(
      host,
      hostCommands(host, { connections: remote.connections, facts: store.hosts, clock }),
    );
  const archiveConsents = ports.archiveConsents ?? noConsents;
  const archives = new ArchiveLeave({
    use: () => settings.current().archives,
    consents: archiveConsents,
    placeOf: (host) => remote.hosts.get(host),
    commandsOf,
    programsOf: (host) => hostPrograms(host, { connections: remote.connections, facts: store.hosts, clock }),
    learn: async (id, signal) => {
      const host = await remote.hosts.get(id);
      if (host === undefined) return undefined;
      return { label: host.label, isPosix: (await profiles.learn(host, signal)).shellFamily === 'posix' };
    },
    clock,
    log,
  });
  const queue = bag.add(
    new TransferQueue({
      engine,
      store: store.transfers,
      changes: store.state,
      hosts: {
        openTransfer: (host, signal, shown) => files.openTransfer(host, signal, shown),
        commandsOf,
        archivesOf: (host) => archives.of(host),
      },
      isConnected: (host) => remote.connections.state(host).k === 'ready',
      onDidConnect: (listener) =>
        remote.connections.onDidChange(({ hostId, state }) => {
          if (state.k === 'ready') listener(hostId);
        }),
      redactor,
      clock,
      log,
    }),
  );
  bag.add(noteTransfers(queue, { notes: operations, hosts: remote.hosts }));
  const folderSync = new FolderSyncer({
    ...transfers,
    engine,
    commandsOf,
    localTrash: ports.localTrash ?? noTrash,
    localNames: { rules: nativeRules, foldsCase: nativeRules !== 'bytes' },
  });
  const owner = thisProcess(ports.windowId);
  const saving = bag.add(
    new FileSaver({
      store: new KeptSaveFiles({ folder: join(storageDirectory, 'saves'), owner, clock }),
      clock,
      log,
      commandsOf,
    }),
  );
  const documents = bag.add(
    new RemoteDocuments({
      files,
      elevated,
      connections: remote.connections,
      saving,
      hosts: remote.hosts,
      opened: new OpenedContentFiles({ folder: join(storageDirectory, 'opened'), owner, clock }),
      notes: operations,
      clock,
      random: Math.random,
    }),
  );
  const runFiles = bag.add(
    new RunFiles({
      service: files,
      connections: remote.connections,
      placeOf: (id) => remote.hosts.get(id),
      clock,
    }),
  );
  const connected = bag.add(new ConnectedHosts(remote.connections, remote.hosts));
  const captures = new ScratchCaptures(scratch);
  const cards = new CardQueue(clock);
  const questions = new QuestionQueue(cards, clock);
  const raised = new RaisedHosts((error) => log.error('assistant', 'a listener failed', error));
  bag.add(noteRaises(raised, { notes: operations, hosts: remote.hosts }));
  const requestLog = new RequestLog({ store: store.requestLog, redactor, clock, log });
  const hostTools = termindTools();
  const consumers = secretConsumers(hostTools, async (id) => (await findHost(remote.hosts, id))?.label);
  const typed =
    ports.secretField &&
    typedSecrets({
      field: ports.secretField,
      clock,
      titleOf: async (id) => (await assistant.open(id))?.snapshot().summary.title ?? '',
    });
  const search = new SearchClient({
    config: () => settings.current().webSearch,
    secrets,
    fetch: ports.fetch,
    clock,
  });
  const registry = createToolRegistry({
    builtIn: builtInTools({ scratch, clock, questions, secrets: typed, consumers, search }),
    additional: hostTools,
  });
  const models = new ModelCatalog({
    providers: () => settings.current().providers,
    secrets,
    fetch: ports.fetch,
    clock,
    ...(ports.editorModels === undefined ? {} : { editorModels: ports.editorModels }),
    editorModelMarks: () => settings.current().editorModels,
  });
  // What a review may look through: nothing here asks a person or connects.
  const reviewServices = new ToolServices()
    .with(ToolService.clock, clock)
    .with(ToolService.hosts, remote.hosts)
    .with(ToolService.hostFacts, store.hosts)
    .with(ToolService.connections, remote.connections)
    .with(ToolService.exec, exec)
    .with(
      ToolService.files,
      connectedFiles({
        service: files,
        connections: remote.connections,
        placeOf: (id) => remote.hosts.get(id),
      }),
    );
  const guardian = new Guardian({
    clock,
    redactor,
    registry,
    outputPolicies: termindOutputPolicies,
    services: reviewServices,
    log: (message, cause) => log.error('review', message, cause),
  });
  const assistant: ConversationLibrary = bag.add(
    new ConversationLibrary({
      store: store.runs,
      storeState: store.state,
      exec,
      models,
      review: { guardian, openReviewer: () => models.openExactly(settings.current().reviewModel) },
      onDidChangeModels: (listener) => {
        const heard = new DisposableBag();
        heard.add(settings.onDidChange(listener));
        if (ports.editorModels !== undefined) heard.add(ports.editorModels.onDidChange(listener));
        return heard;
      },
      clock,
      log,
      systemPrompt,
      defaultMode: () => settings.current().permissionMode,
      redact: (text) => redactor.redact(text),
      cards,
      questions,
      raised,
      onRunEnd: (run) => runFiles.end(run),
      grants: store.grants,
      requestLog,
      limits: (modelRef) => runLimits(settings.current(), modelRef),
      proposeTitle: (order, signal) => proposeTitle({ ...order, clock }, signal),
      runs: {
        store: store.runs,
        clock,
        log,
        redactor,
        secretRegistry: ports.secretRegistry,
        projector: new OutputProjector({ redactor, captures }),
        registry,
        policy: termindPolicy(() => ({ connectedHosts: connected.list() })),
        grants: store.grants,
        rules: approvalRules(() => settings.current().approvalRules),
        services: new ToolServices()
          .with(ToolService.clock, clock)
          .with(ToolService.hosts, remote.hosts)
          .with(ToolService.hostFacts, store.hosts)
          .with(ToolService.connections, remote.connections)
          .with(ToolService.profiles, profiles)
          .with(ToolService.exec, exec)
          .with(ToolService.files, runFiles)
          .with(ToolService.fileTurns, new KeyedTurns())
          .with(ToolService.deleteMode, () => settings.current().deleteMode)
          .with(ToolService.saving, saving)
          .with(ToolService.scratch, scratch)
          .with(ToolService.raises, raised)
          .with(ToolService.secretField, typed)
          .with(ToolService.captures, captures),
      },
    }),
  );
  return {
    hosts: remote.hosts,
    hostStore: store.hosts,
    sshConfig: remote.config,
    programConsents: (ports.programConsents ?? nobodyToAsk).store,
    agentKeys: remote.agentKeys,
    connections: remote.connections,
    files,
    transfers: queue,
    archiveConsents,
    folderSync,
    documents,
    elevated,
    saving,
    forwards: remote.forwards,
    trust: remote.trust,
    fleetTrust: remote.fleetTrust,
    authorities: new AuthorityLines({ store: store.knownHosts, clock }),
    assistant,
    scratch,
    requestLog: {
      show: (conversation) => requestLog.drain().then(() => showLog(store.requestLog, conversation)),
      export: (conversation) => requestLog.drain().then(() => exportLog(store.requestLog, conversation)),
    },
    operations,
    store: store.state,
    credentials: secrets,
    async close() {
      await settledWithin(
        Promise.all([
          queue.close(),
          assistant.settle().then(() => Promise.all([requestLog.drain(), operations.settle()])),
        ]),
        closeWaitMs,
        clock,
      );
      bag.dispose();
    },
    dispose: () => bag.dispose(),
  };
}

/** Deleting for good in its place is not for us to decide. */
const nobodyElevates: ElevationPromptPort = {
  mayElevate: async () => false,
  password: async () => undefined,
};

const noConsents: ArchiveConsentPort = {
  isGiven: () => false,
  ask: async () => {},
  given: () => [],
  withdraw: async () => {},
};

const noTrash: LocalTrashPort = {
  take: async (path) => {
    throw fileError(
      'no-trash',
      { path: showUntrusted(path), text: 'there is none' },
      { outcome: 'not-sent' },
    );
  },
};

/** How long a closing window waits for the ends of its runs to be stored; the editor gives a few seconds in all. */
const closeWaitMs = 2_000;

/** A secret is asked for only where a tool can use one. */
function builtInTools(parts: {
  readonly scratch: ScratchWorkspace;
  readonly clock: ClockPort;
  readonly questions: QuestionQueue;
  readonly secrets: UserSecretPort | undefined;
  readonly consumers: SecretConsumers;
  readonly search: SearchPort;
}): readonly Tool[] {
  const { scratch, clock, questions, secrets, consumers, search } = parts;
  return [
    ...scratchTools(scratch, clock),
    ...webTools({ web: openWeb(clock), scratch, search }),
    ...userInteractionTools({ input: questions.userInput, secret: secrets, consumers }),
    ...planningTools({ scratch }),
    ...taskTools(),
  ];
}

/** The operations log, whose end is kept outside of the database: one for each folder of a machine. */
function openOperations(ports: RuntimePorts, { operations }: Store, bag: DisposableBag): OperationsLog {
  const { clock, log, redactor, secrets, settings, storageDirectory, windowId } = ports;
  const folder = createHash('sha256').update(`${hostname()}\n${storageDirectory}`, 'utf8').digest('hex');
  const keeper = bag.add(
    new HeadKeeper({ operations, secrets, key: `operations-head:${folder}`, clock, log }),
  );
  return bag.add(
    new OperationsLog({
      store: operations,
      keeper,
      redactor,
      keptDays: () => settings.current().operationsDays,
      window: windowId,
      clock,
      log,
    }),
  );
}

/** The internet as this machine reaches it, by its own rules and without the proxy of the editor. */
function openWeb(clock: ClockPort): WebPorts {
  return {
    names: systemNames,
    requests: new PinnedRequests(clock),
    documents: new DocumentTexts(clock),
    clock,
  };
}

function openScratch({ windowId, storageDirectory, clock, log }: RuntimePorts): ScratchWorkspace {
  const self = thisProcess(windowId);
  return new ScratchWorkspace({
    root: join(storageDirectory, 'scratch'),
    clock,
    lockOwner: { self, isGone: (owner) => isOwnerGone({ ...owner, windowId: '' }) },
    log: (message) => log.warn('scratch', message),
  });
}

interface RemoteParts {
  readonly ports: RuntimePorts;
  readonly store: Store;
  readonly secrets: SecretStorePort;
  readonly operations: OperationsLog;
}

/** The hosts and the one way to reach them. */
function createRemote(
  { ports, store, secrets, operations }: RemoteParts,
  bag: DisposableBag,
): {
  readonly hosts: VaultHostDirectory;
  readonly config: OpenSshConfig;
  readonly agentKeys: AgentKeysPort;
  readonly trust: HostTrust;
  readonly fleetTrust: FleetTrustReader;
  readonly connections: ForwardingConnections;
  readonly forwards: ForwardService;
} {
  const { clock, log, settings, mayRunPrograms } = ports;
  const { homeDirectory: home, userName: localUser, variables: environment } = ports.environment;
  const config = bag.add(
    new OpenSshConfig({
      configFile: () => orUndefined(settings.current().sshConfigFile),
      sshProgram: () => orUndefined(settings.current().sshPath),
      mayRunPrograms,
      consents: new ProgramConsents({ ...(ports.programConsents ?? nobodyToAsk), mayRunPrograms, clock }),
      clock,
      log,
      home,
      localUser,
      environment,
    }),
  );
  const local = {
    home,
    localUser,
    environment,
    localHost: hostname(),
    userId: process.getuid?.(),
    isWindows: process.platform === 'win32',
  };
  const hosts = bag.add(
    new VaultHostDirectory({
      store: store.hosts,
      config,
      changes: store.state,
      local,
      chosenAgent: () => orUndefined(settings.current().sshAgent),
      log,
    }),
  );
  const agents = new AgentSearch({ clock, environment, home, platform: process.platform });
  const prompts = rememberingPrompts(ports.prompts, ports.secretRegistry);
  const files = new KnownHostsFiles(log);
  const changed = new ChangedKeys();
  const trust = new HostTrust({ store: store.knownHosts, changed, directory: hosts, clock });
  const fleetTrust = new FleetTrustReader({
    hosts,
    hostStore: store.hosts,
    config,
    store: store.knownHosts,
    files,
    clock,
    log,
  });
  const library = bag.add(
    new SshTransport({
      clock,
      log,
      prompts,
      keyUpdates: new HostKeyUpdates({ store: store.knownHosts, files, prompts, clock, log }),
      judge: new HostKeyJudge({
        store: store.knownHosts,
        files,
        changed,
        appendsToUserFile: () => settings.current().appendToUserFile,
        clock,
        log,
        verifyCertificate: authorityVerdict,
      }),
      passwords: new KeptPasswords(store.hosts, secrets),
      passphrases: new KeptPassphrases(secrets),
      channelMemory: new ChannelMemory({ facts: store.hosts, clock, log }),
      agents,
      environment,
      mayRunPrograms: ports.mayRunPrograms,
      proxySecrets: { get: (reference) => secrets.get(credentialKey(reference)) },
    }),
  );
  const system = new SystemSshTransport({
    clock,
    log,
    prompts,
    environment,
    program: () => orUndefined(settings.current().sshPath),
    configFile: () => orUndefined(settings.current().sshConfigFile),
    mayRunPrograms: ports.mayRunPrograms,
    temporaryFolder: tmpdir(),
    platform: process.platform,
  });
  const manager = new SshConnectionManager({
    directory: hosts,
    transport: chosenTransport(library, system),
    clock,
    log,
    history: store.hosts,
    signals: ports.wakeSignals,
    random: Math.random,
  });
  const network = new LocalNetwork(clock);
  const directory = new ForwardDirectory({
    hosts,
    store: store.hosts,
    config: {
      resolve: (id, signal) => hosts.config(id, signal),
      aliasesWithForwards: () => config.aliasesWithForwards(),
    },
    log,
  });
  const leases = store.forwardLeases;
  const registry = new ForwardRegistry({ connections: manager, network, leases, clock, log });
  const connections = bag.add(new ForwardingConnections({ connections: manager, directory, registry, log }));
  bag.add(registry);
  bag.add(noteForwards(registry, operations));
  const forwards = bag.add(new ForwardService({ directory, registry, connections, network, clock, log }));
  return { hosts, config, agentKeys: agentKeys(hosts, agents), trust, fleetTrust, connections, forwards };
}

function orUndefined(text: string): string | undefined {
  return text === '' ? undefined : text;
}
