import type { SinkKind } from './findSinks.ts';

/** A sink where the expression itself does not show that what leaves is redacted or ours. */
export interface KnownSink {
  readonly kind: SinkKind;
  /** Below `src`. */
  readonly file: string;
  /** Of the function, method or class around it; any in the file when absent. */
  readonly inside?: string;
  /** How many there are inside; one when absent. */
  readonly times?: number;
  /** What passes it through the redactor before; below `src`, and it has to call the redactor. */
  readonly by?: string;
  /** Why nothing secret can be in it. */
  readonly why: string;
}

const conversationRows =
  'Messages, calls, events and ends of a run are redacted before they are handed to the store.';
const run = 'agentkit/agentRuntime.ts';

/**
 * Every place where text leaves the program, except those where the test sees for itself that only our own words or redacted text do:
 * webview messages (`assistantPage.ts`, `editorPages.ts`), what is copied from pages and cards, and sentences about errors
 * (`extension.ts`). Text of the model's side passes the redactor before it is an event, a card, an approval, a review, a capture, a stored
 * row or a request; those places are named here by what hands it over. Trees, pickers and the status bar show names and titles that are
 * kept, and terminals what a server prints: they are none. Source: agent runtime contract, section 14.
 */
export const knownSinks: readonly KnownSink[] = [
  // Conversations.
  ...[
    'callRows.ts',
    'changes.ts',
    'conversationCuts.ts',
    'runRecords.ts',
    'settleConversation.ts',
    'sqliteRunStore.ts',
    'transcript.ts',
    'search/messageIndex.ts',
    'search/messageTextRows.ts',
  ].map((file) => ({
    kind: 'database' as const,
    file: `infrastructure/store/${file}`,
    by: run,
    why: conversationRows,
  })),
  {
    kind: 'database',
    file: 'infrastructure/store/sqliteRequestLog.ts',
    by: 'application/requestLog/logRecorder.ts',
    why: 'Requests, answers and events are redacted when they are noted.',
  },
  {
    kind: 'document',
    file: 'features/requestLog/index.ts',
    inside: 'registerRequestLog',
    by: 'application/requestLog/logRecorder.ts',
    why: 'It shows what was noted.',
  },
  {
    kind: 'file',
    file: 'features/requestLog/index.ts',
    inside: 'save',
    by: 'application/requestLog/logRecorder.ts',
    why: 'It saves what was noted.',
  },
  {
    kind: 'database',
    file: 'infrastructure/store/operations/operationRows.ts',
    by: run,
    why: 'Calls are logged from their redacted events; acts of a person are names of hosts and addresses.',
  },
  {
    kind: 'database',
    file: 'infrastructure/store/operations/sqliteOperations.ts',
    why: 'A number and a digest.',
  },
  {
    kind: 'file',
    file: 'features/operationsLog/exportOperations.ts',
    by: 'application/operations/exportOperations.ts',
    why: 'JSON is redacted row by row, Markdown as a whole.',
  },
  {
    kind: 'database',
    file: 'infrastructure/store/sqliteGrants.ts',
    by: 'agentkit/authorization.ts',
    why: 'Only a call that redaction leaves as it is can be asked about, and so allowed.',
  },
  {
    kind: 'database',
    file: 'infrastructure/store/sqliteTransfers.ts',
    by: 'application/transfer/queue/transferQueue.ts',
    why: 'Paths, which have to stay exact, and counts; the words of servers are redacted by the queue.',
  },
  {
    kind: 'message',
    file: 'features/transfers/startTransfers.ts',
    inside: 'mayChange',
    why: 'The name of a host and a folder of it.',
  },
  {
    kind: 'message',
    file: 'features/transfers/transfersFeature.ts',
    inside: '#tellEnd',
    by: 'application/transfer/queue/transferQueue.ts',
    why: 'Names of files; the words of servers are redacted when a transfer ends.',
  },
  {
    kind: 'message',
    file: 'features/transfers/transfersFeature.ts',
    inside: '#tellVerified',
    times: 2,
    by: 'application/transfer/queue/transferQueue.ts',
    why: 'The name of a file, and counts.',
  },
  // Saves: the file gets what its editor or a call gives, byte for byte.
  {
    kind: 'file',
    file: 'infrastructure/files/keptSaveFiles.ts',
    inside: '#put',
    why: 'What a person saves, until its host has it: a changed byte would be a lost one. Only the owner reads it.',
  },
  {
    kind: 'file',
    file: 'infrastructure/files/openedContentFiles.ts',
    inside: 'keep',
    why: 'What a person has changed and not saved yet, as it was opened: a changed byte would be merged. Only the owner reads it.',
  },
  {
    kind: 'file',
    file: 'application/files/save/remoteCopy.ts',
    why: 'A copy of a file on its own host, which only its owner reads.',
  },
  {
    kind: 'file',
    file: 'application/files/save/replaceTarget.ts',
    why: 'The file that is saved, on its host.',
  },
  {
    kind: 'file',
    file: 'application/files/save/writeInPlace.ts',
    times: 3,
    why: 'The file that is saved, on its host, or what it held before.',
  },
  {
    kind: 'file',
    file: 'infrastructure/files/journalFiles.ts',
    inside: '#write',
    why: 'Paths and digests of a transfer. Only the owner reads it.',
  },
  ...(
    [
      'infrastructure/files/localFile.ts',
      'application/transfer/engine/localEnd.ts',
      'application/transfer/engine/remoteEnd.ts',
    ] as const
  ).map((file) => ({
    kind: 'file' as const,
    file,
    inside: 'write',
    why: 'The file that a person transfers: a changed byte would be a lost one.',
  })),
  // Commands and scratch.
  {
    kind: 'file',
    file: 'agentkit/capture/spool.ts',
    by: 'agentkit/capture/outputCollector.ts',
    why: 'The collector redacts before it keeps anything.',
  },
  ...['appendRegular', 'createRegular', 'copyInto', 'file'].map((inside) => ({
    kind: 'file' as const,
    file: 'agentkit/scratch/scratchFiles.ts',
    inside,
    by: 'agentkit/capture/outputCollector.ts',
    why: 'Captures are redacted by the collector; everything else in scratch was written by the model or the person.',
  })),
  {
    kind: 'file',
    file: 'agentkit/scratch/scratchLock.ts',
    why: 'Process, window and time of whoever holds the lock.',
  },
  { kind: 'file', file: 'agentkit/scratch/usageLedger.ts', why: 'Numbers.' },
  {
    kind: 'document',
    file: 'features/scratch/index.ts',
    inside: 'registerScratch',
    by: 'agentkit/capture/outputCollector.ts',
    why: 'It shows the files of scratch.',
  },
  // Requests.
  ...[
    'agentkit/providers/byteWatch.ts',
    'agentkit/providers/gemini/geminiModel.ts',
    'agentkit/providers/streamAttempt.ts',
    'agentkit/providers/wireFetch.ts',
  ].map((file) => ({
    kind: 'request' as const,
    file,
    by: run,
    why: 'A body holds stored messages and frozen results; the key is in a header of its own.',
  })),
  {
    kind: 'request',
    file: 'infrastructure/net/web/searchClient.ts',
    why: 'The query that the model wrote; the key is in a header of its own.',
  },
  // Hosts and trust.
  ...['sqliteHostStore.ts', 'sqliteForwardLeases.ts'].map((file) => ({
    kind: 'database' as const,
    file: `infrastructure/store/${file}`,
    why: 'Names, addresses, facts and references to secrets; secrets themselves are in the secret storage of the editor.',
  })),
  {
    kind: 'database',
    file: 'infrastructure/store/sqliteKnownHostsStore.ts',
    why: 'Public keys, names of hosts and the words in which a person gave a reason.',
  },
  { kind: 'file', file: 'infrastructure/store/knownHostsFile.ts', why: 'Public keys and names of hosts.' },
  { kind: 'file', file: 'infrastructure/ssh/knownHostsFiles.ts', inside: 'append', why: 'Public keys.' },
  {
    kind: 'file',
    file: 'features/fleetTrust/exportKeys.ts',
    inside: 'saveKeys',
    why: 'Public keys and names of hosts.',
  },
  {
    kind: 'document',
    file: 'features/doctor/exportAttempt.ts',
    inside: 'exportAttempt',
    by: 'features/doctor/showDoctor.ts',
    why: 'The attempt is redacted before the export is written.',
  },
  {
    kind: 'clipboard',
    file: 'features/hosts/index.ts',
    inside: 'registerHosts',
    why: 'User, address and port.',
  },
  ...(['fileProperties.ts', 'filesFeature.ts'] as const).map((file) => ({
    kind: 'clipboard' as const,
    file: `features/files/${file}`,
    why: 'What a server tells of a file: path, size, mode, owner.',
  })),
  ...(['fileProperties.ts', 'deleteFiles.ts', 'askOnProduction.ts', 'keptSaves.ts'] as const).map((file) => ({
    kind: 'message' as const,
    file: `features/files/${file}`,
    why: 'What a server tells of files, as trees show it.',
  })),
  {
    kind: 'message',
    file: 'features/files/saveConflicts.ts',
    inside: '#answer',
    why: 'What a server tells of files, as trees show it, and buttons of ours.',
  },
  {
    kind: 'message',
    file: 'features/sync/askSync.ts',
    inside: 'askSync',
    why: 'Two folders that a person chose, and numbers.',
  },
  {
    kind: 'document',
    file: 'features/files/index.ts',
    inside: 'registerFiles',
    times: 2,
    why: 'Files of a host, which a person opens as they are, and what a person merges of them.',
  },
  ...(['fileSystem', 'merges'] as const).map((inside) => ({
    kind: 'file' as const,
    file: 'features/files/index.ts',
    inside,
    why: 'What a person saves on a host, as it is.',
  })),
  {
    kind: 'document',
    file: 'features/files/saveConflicts.ts',
    inside: 'constructor',
    times: 2,
    why: 'The file that a person saves, as the host has it and as it was kept.',
  },
  {
    kind: 'document',
    file: 'features/files/saveMerges.ts',
    inside: 'constructor',
    why: 'The file that a person merges: as it was opened, as the host has it, and with the changes.',
  },
  { kind: 'clipboard', file: 'features/forwards/index.ts', inside: 'registerForwards', why: 'An address.' },
  {
    kind: 'clipboard',
    file: 'features/hosts/legacyCommand.ts',
    inside: 'showConfigLines',
    why: 'Names of algorithms.',
  },
  {
    kind: 'clipboard',
    file: 'platform/vscode/diagnostics.ts',
    inside: 'copyDiagnostics',
    why: 'Versions, states, counts.',
  },
  { kind: 'program', file: 'features/forwards/index.ts', inside: 'registerForwards', why: 'An address.' },
  {
    kind: 'program',
    file: 'features/assistant/editor/editorPort.ts',
    inside: 'editorPort',
    by: run,
    why: 'An address from a message that is redacted.',
  },
  // Words of the editor.
  {
    kind: 'message',
    file: 'platform/vscode/commands.ts',
    inside: 'offerMore',
    by: 'extension.ts',
    why: 'The sentence about an error.',
  },
  {
    kind: 'message',
    file: 'features/assistant/editor/editorPort.ts',
    inside: 'editorPort',
    by: 'extension.ts',
    why: 'The sentence about an error.',
  },
  {
    kind: 'message',
    file: 'features/assistant/editor/planCommands.ts',
    inside: 'registerPlanCommands',
    why: 'Why a plan cannot be decided, in our words.',
  },
  {
    kind: 'message',
    file: 'features/assistant/editor/waitingNotice.ts',
    inside: 'waitingNotice',
    by: 'agentkit/authorization.ts',
    why: 'The card that waits.',
  },
  {
    kind: 'message',
    file: 'features/forwards/forwardActions.ts',
    inside: 'tellWhy',
    by: 'extension.ts',
    why: 'Addresses, and sentences about faults.',
  },
  {
    kind: 'message',
    file: 'features/fleetTrust/exportKeys.ts',
    inside: 'exportKeys',
    why: 'How many keys were saved.',
  },
  ...['askKey', 'confirmLine', 'forgetAuthority'].map((inside) => ({
    kind: 'message' as const,
    file: 'features/fleetTrust/trustAuthority.ts',
    inside,
    why: 'Names of hosts and fingerprints of public keys.',
  })),
  {
    kind: 'message',
    file: 'features/hosts/replaceKeyCommand.ts',
    inside: 'confirmReplacement',
    why: 'Fingerprints of public keys.',
  },
  ...['askHostKey', 'tellChangedKey'].map((inside) => ({
    kind: 'message' as const,
    file: 'platform/vscode/hostKeyDialog.ts',
    inside,
    why: 'Fingerprints of public keys.',
  })),
  {
    kind: 'message',
    file: 'platform/vscode/programConsents.ts',
    inside: 'ask',
    why: 'A person decides on exactly these programs of their own file; a hidden word could hide what runs.',
  },
  {
    kind: 'message',
    file: 'platform/vscode/prompts.ts',
    inside: 'showHeading',
    why: 'What a server says in front of a question, before anything was typed.',
  },
  {
    kind: 'message',
    file: 'platform/vscode/prompts.ts',
    inside: 'askConfirm',
    why: 'What a person decides on: names, addresses and fingerprints.',
  },
  {
    kind: 'message',
    file: 'features/terminals/askPaste.ts',
    inside: 'askPaste',
    why: "The person's own clipboard, before it is sent: what was hidden could be what hurts.",
  },
  // Frames of webviews.
  ...['load', 'showStatic'].map((inside) => ({
    kind: 'frame' as const,
    file: 'features/assistant/editor/assistantPage.ts',
    inside,
    why: 'Addresses of our own files and our own words.',
  })),
  {
    kind: 'frame',
    file: 'features/pages/editorPages.ts',
    inside: 'openPage',
    why: 'Addresses of our own files and the title of the tab.',
  },
  {
    kind: 'request',
    file: 'infrastructure/net/web/searchClient.ts',
    by: 'agentkit/tools/web/webSearch.ts',
    why: 'The words of a search; the key goes to the address of the settings.',
  },
  // What the editor keeps.
  { kind: 'memento', file: 'platform/vscode/secrets.ts', inside: 'set', why: 'The secret storage itself.' },
  {
    kind: 'memento',
    file: 'platform/vscode/programConsents.ts',
    inside: 'programConsentStore',
    times: 2,
    why: 'Path and digest of a file of the person.',
  },
  {
    kind: 'memento',
    file: 'platform/vscode/archiveConsents.ts',
    inside: 'archiveConsents',
    why: 'That a person agreed, under the id of a host, with a digest of where that led.',
  },
  { kind: 'memento', file: 'features/assistant/model/shownMemory.ts', inside: 'note', why: 'Ids.' },
  {
    kind: 'memento',
    file: 'features/assistant/editor/pickers.ts',
    inside: 'pickReviewModel',
    why: 'The reference of a model.',
  },
  {
    kind: 'memento',
    file: 'features/assistant/editor/providerCommands.ts',
    inside: 'addProvider',
    why: 'Address and model of a provider; the key goes to the secret storage.',
  },
  {
    kind: 'memento',
    file: 'features/assistant/editor/pickers.ts',
    inside: 'pickReviewModel',
    why: 'Provider and model.',
  },
  // Files on hosts.
  {
    kind: 'file',
    file: 'infrastructure/sftp/shell/shellFile.ts',
    inside: 'write',
    why: 'The bytes of one request to write a file of a host that has no SFTP. Who writes it is named above.',
  },
  {
    kind: 'file',
    file: 'infrastructure/sftp/elevated/stagedContent.ts',
    inside: 'upload',
    why: 'What a person saves as root, on its way through a file of their own on the host, which goes with the save.',
  },
  {
    kind: 'file',
    file: 'application/files/writeFile.ts',
    inside: 'writeFile',
    why: 'What a person or a call that was decided on writes to a host; redaction would damage it.',
  },
  // Other programs: arguments can be seen by every account of the machine.
  ...[
    ['infrastructure/config/matchProgram.ts', 'A line of the OpenSSH configuration.'],
    ['infrastructure/config/sshProgram.ts', 'A name of a host and paths.'],
    ['infrastructure/ssh/agentSearch.ts', 'Fixed words.'],
    ['infrastructure/ssh/agentStream.ts', 'A path.'],
    ['infrastructure/ssh/pageantStream.ts', 'Fixed words; the request goes through its input.'],
    ['infrastructure/ssh/route/proxyProgram.ts', 'A line of the OpenSSH configuration.'],
    [
      'infrastructure/ssh/system/systemConnection.ts',
      'Options, a name of a host and the command that was decided on.',
    ],
    [
      'infrastructure/ssh/system/systemSshTransport.ts',
      'Options and a name of a host; passwords go through askpass.',
    ],
  ].map(([file = '', why = '']) => ({ kind: 'program' as const, file, why })),
  {
    kind: 'file',
    file: 'infrastructure/ssh/system/askpass.ts',
    inside: 'start',
    times: 2,
    why: 'Our own program; what is typed goes through a socket.',
  },
  // The one log.
  {
    kind: 'log',
    file: 'platform/vscode/log.ts',
    inside: 'createLog',
    by: 'platform/vscode/log.ts',
    why: 'Every line passes `redact`.',
  },
];
