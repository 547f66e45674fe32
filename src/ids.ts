/** Every id that the manifest and the code share. A test compares them in both directions. */
export const Command = {
  addHost: 'termind.host.add',
  editHost: 'termind.host.edit',
  removeHost: 'termind.host.remove',
  connectHost: 'termind.host.connect',
  disconnectHost: 'termind.host.disconnect',
  openTerminal: 'termind.terminal.open',
  reconnectTerminal: 'termind.terminal.reconnect',
  quickConnect: 'termind.host.quickConnect',
  /** Internal: a row of the Hosts tree was clicked; the second click in a row opens a terminal. */
  clickHost: 'termind.host.click',
  /** Internal: Enter in the Hosts tree. */
  openSelectedHost: 'termind.host.openSelected',
  /** Internal: asks for a host and resolves with its id. */
  pickHost: 'termind.host.pick',
  refreshHosts: 'termind.hosts.refresh',
  filterHosts: 'termind.hosts.filter',
  copyAddress: 'termind.host.copyAddress',
  replaceHostKey: 'termind.host.replaceKey',
  forgetHostKey: 'termind.host.forgetKey',
  showKnownHostKeys: 'termind.trust.show',
  trustAuthority: 'termind.trust.addAuthority',
  setPassword: 'termind.host.setPassword',
  diagnoseHost: 'termind.host.diagnose',
  showConnectionTrace: 'termind.host.showTrace',
  showEffectiveConfig: 'termind.sshConfig.show',
  reviewPrograms: 'termind.sshConfig.reviewPrograms',
  allowLegacy: 'termind.host.allowLegacy',
  chooseSignIn: 'termind.host.signIn',
  useSystemSsh: 'termind.host.useSystemSsh',
  setRoute: 'termind.host.setRoute',
  setShell: 'termind.host.setShell',
  markFilesReadOnly: 'termind.host.markFilesReadOnly',
  setTier: 'termind.host.setTier',
  raiseHost: 'termind.host.raise',
  addForward: 'termind.forward.add',
  startForward: 'termind.forward.start',
  stopForward: 'termind.forward.stop',
  editForward: 'termind.forward.edit',
  removeForward: 'termind.forward.remove',
  copyForwardAddress: 'termind.forward.copyAddress',
  openForward: 'termind.forward.openInBrowser',
  whyForwardDown: 'termind.forward.whyDown',
  forwardRemotePort: 'termind.forward.remotePort',
  refreshForwards: 'termind.forwards.refresh',
  refreshFiles: 'termind.files.refresh',
  showDotFiles: 'termind.files.showDotFiles',
  hideDotFiles: 'termind.files.hideDotFiles',
  sortFiles: 'termind.files.sort',
  /** Internal: shows the next entries of a folder. */
  moreFiles: 'termind.files.more',
  browseFiles: 'termind.host.browseFiles',
  openFile: 'termind.file.open',
  openFileReadOnly: 'termind.file.openReadOnly',
  openWithSudo: 'termind.file.openWithSudo',
  browseWithSudo: 'termind.files.browseWithSudo',
  /** Gives the rights of another user up. */
  closeSudo: 'termind.files.closeSudo',
  newFile: 'termind.file.new',
  newFolder: 'termind.file.newFolder',
  renameFile: 'termind.file.rename',
  deleteFile: 'termind.file.delete',
  copyFilePath: 'termind.file.copyPath',
  fileProperties: 'termind.file.properties',
  changeFileMode: 'termind.file.changeMode',
  openRemoteFolder: 'termind.file.openFolder',
  compareWithLocal: 'termind.file.compareWithLocal',
  restorePrevious: 'termind.file.restorePrevious',
  addBookmark: 'termind.file.bookmark',
  removeBookmark: 'termind.file.removeBookmark',
  showKeptSaves: 'termind.files.keptSaves',
  compareFolders: 'termind.folders.compare',
  uploadFiles: 'termind.transfer.upload',
  downloadFiles: 'termind.transfer.download',
  pauseTransfer: 'termind.transfer.pause',
  resumeTransfer: 'termind.transfer.resume',
  retryTransfer: 'termind.transfer.retry',
  cancelTransfer: 'termind.transfer.cancel',
  removeTransfer: 'termind.transfer.remove',
  answerTransfer: 'termind.transfer.answer',
  openTransferTarget: 'termind.transfer.openTarget',
  verifyTransfer: 'termind.transfer.verify',
  moreTransferFiles: 'termind.transfer.moreFiles',
  clearTransfers: 'termind.transfers.clearFinished',
  withdrawArchives: 'termind.transfers.withdrawArchives',
  openAssistant: 'termind.assistant.open',
  openAssistantInEditor: 'termind.assistant.openInEditor',
  askAboutHost: 'termind.assistant.askAboutHost',
  newConversation: 'termind.assistant.newConversation',
  openConversation: 'termind.assistant.openConversation',
  deleteConversation: 'termind.assistant.deleteConversation',
  renameConversation: 'termind.assistant.renameConversation',
  stopRun: 'termind.run.stop',
  togglePlanning: 'termind.plan.toggle',
  implementPlan: 'termind.plan.implement',
  discardPlan: 'termind.plan.discard',
  reviewApproval: 'termind.approval.review',
  approve: 'termind.approval.approve',
  deny: 'termind.approval.deny',
  showGrants: 'termind.approval.grants',
  addProvider: 'termind.provider.add',
  setProviderKey: 'termind.provider.setKey',
  pickModel: 'termind.model.pick',
  pickPermissionMode: 'termind.permissionMode.pick',
  pickReviewModel: 'termind.review.pickModel',
  openScratchFile: 'termind.scratch.openFile',
  clearScratch: 'termind.scratch.clear',
  showRequestLog: 'termind.requestLog.show',
  exportRequestLog: 'termind.requestLog.export',
  showOperations: 'termind.operations.show',
  verifyOperations: 'termind.operations.verify',
  exportOperations: 'termind.operations.export',
  copyDiagnostics: 'termind.diagnostics.copy',
  showLog: 'termind.log.show',
} as const;
export type Command = (typeof Command)[keyof typeof Command];

/** Arguments with which our own code runs a command; a new command without a row does not compile. */
interface Arguments {
  [Command.addHost]: [];
  [Command.editHost]: [host?: HostArgument];
  [Command.removeHost]: [host?: HostArgument];
  [Command.connectHost]: [host?: HostArgument];
  [Command.disconnectHost]: [host?: HostArgument];
  [Command.openTerminal]: [host?: HostArgument];
  [Command.reconnectTerminal]: [];
  [Command.quickConnect]: [];
  [Command.clickHost]: [host: HostArgument];
  [Command.openSelectedHost]: [];
  [Command.pickHost]: [title: string];
  [Command.refreshHosts]: [];
  [Command.filterHosts]: [];
  [Command.copyAddress]: [host?: HostArgument];
  [Command.replaceHostKey]: [host?: HostArgument];
  [Command.forgetHostKey]: [host?: HostArgument];
  [Command.showKnownHostKeys]: [];
  [Command.trustAuthority]: [];
  [Command.setPassword]: [host?: HostArgument];
  [Command.diagnoseHost]: [host?: HostArgument];
  [Command.showConnectionTrace]: [host?: HostArgument, how?: 'byItself'];
  [Command.showEffectiveConfig]: [host?: HostArgument];
  [Command.reviewPrograms]: [];
  [Command.allowLegacy]: [host?: HostArgument];
  [Command.chooseSignIn]: [host?: HostArgument];
  [Command.useSystemSsh]: [host?: HostArgument];
  [Command.setRoute]: [host?: HostArgument];
  [Command.setShell]: [host?: HostArgument];
  [Command.markFilesReadOnly]: [host?: HostArgument];
  [Command.setTier]: [host?: HostArgument];
  [Command.raiseHost]: [host?: HostArgument];
  [Command.addForward]: [host?: HostArgument];
  [Command.startForward]: [forward?: ForwardArgument];
  [Command.stopForward]: [forward?: ForwardArgument];
  [Command.editForward]: [forward?: ForwardArgument];
  [Command.removeForward]: [forward?: ForwardArgument];
  [Command.copyForwardAddress]: [forward?: ForwardArgument];
  [Command.openForward]: [forward?: ForwardArgument];
  [Command.whyForwardDown]: [forward?: ForwardArgument];
  [Command.forwardRemotePort]: [host?: HostArgument];
  [Command.refreshForwards]: [];
  [Command.refreshFiles]: [];
  [Command.showDotFiles]: [];
  [Command.hideDotFiles]: [];
  [Command.sortFiles]: [];
  [Command.moreFiles]: [row: unknown];
  [Command.browseFiles]: [host?: HostArgument];
  [Command.openFile]: [file?: FileArgument];
  [Command.openFileReadOnly]: [file?: FileArgument];
  [Command.openWithSudo]: [file?: FileArgument];
  [Command.browseWithSudo]: [folder?: FileArgument | HostArgument];
  [Command.closeSudo]: [place?: FileArgument];
  [Command.newFile]: [folder?: FileArgument];
  [Command.newFolder]: [folder?: FileArgument];
  [Command.renameFile]: [file?: FileArgument];
  [Command.deleteFile]: [file?: FileArgument, all?: readonly FileArgument[]];
  [Command.copyFilePath]: [file?: FileArgument];
  [Command.fileProperties]: [file?: FileArgument];
  [Command.changeFileMode]: [file?: FileArgument];
  [Command.openRemoteFolder]: [folder?: FileArgument];
  [Command.compareWithLocal]: [file?: FileArgument];
  [Command.restorePrevious]: [file?: FileArgument];
  [Command.addBookmark]: [folder?: FileArgument];
  [Command.removeBookmark]: [folder?: FileArgument];
  [Command.showKeptSaves]: [];
  [Command.compareFolders]: [folder?: FileArgument];
  [Command.uploadFiles]: [folder?: FileArgument | HostArgument];
  [Command.downloadFiles]: [file?: FileArgument | HostArgument, all?: readonly FileArgument[]];
  [Command.pauseTransfer]: [transfer?: TransferArgument];
  [Command.resumeTransfer]: [transfer?: TransferArgument];
  [Command.retryTransfer]: [transfer?: TransferArgument];
  [Command.cancelTransfer]: [transfer?: TransferArgument];
  [Command.removeTransfer]: [transfer?: TransferArgument];
  [Command.answerTransfer]: [transfer?: TransferArgument];
  [Command.openTransferTarget]: [transfer?: TransferArgument];
  [Command.verifyTransfer]: [transfer?: TransferArgument];
  [Command.moreTransferFiles]: [row: unknown];
  [Command.clearTransfers]: [];
  [Command.withdrawArchives]: [];
  [Command.openAssistant]: [];
  [Command.openAssistantInEditor]: [];
  [Command.askAboutHost]: [host?: HostArgument];
  [Command.newConversation]: [];
  [Command.openConversation]: [conversationId?: string];
  [Command.deleteConversation]: [conversationId?: string];
  [Command.renameConversation]: [conversationId?: string];
  [Command.stopRun]: [];
  [Command.togglePlanning]: [];
  [Command.implementPlan]: [];
  [Command.discardPlan]: [];
  [Command.reviewApproval]: [];
  [Command.approve]: [];
  [Command.deny]: [];
  [Command.showGrants]: [];
  [Command.addProvider]: [];
  [Command.setProviderKey]: [];
  [Command.pickModel]: [];
  [Command.pickPermissionMode]: [];
  [Command.pickReviewModel]: [];
  [Command.openScratchFile]: [path?: string];
  [Command.clearScratch]: [];
  [Command.showRequestLog]: [conversationId?: string];
  [Command.exportRequestLog]: [conversationId?: string];
  [Command.showOperations]: [host?: HostArgument];
  [Command.verifyOperations]: [];
  [Command.exportOperations]: [];
  [Command.copyDiagnostics]: [];
  [Command.showLog]: [];
}
export type CommandArguments = { [C in Command]: Arguments[C] };

/** A host as a command takes it: a row of the Hosts tree has this shape. */
export interface HostArgument {
  readonly kind: 'host';
  readonly listing: { readonly id: string };
}

/** A forward as a command takes it: a row of the Forwards tree has this shape. */
export interface ForwardArgument {
  readonly kind: 'forward';
  readonly forward: { readonly id: string; readonly host: { readonly id: string } };
}

/** A file or folder as a command takes it: a row of the Files view has this shape. `path`: as `textOfPath` spells it. */
export interface FileArgument {
  readonly kind: 'remoteFile';
  readonly host: string;
  readonly path: string;
  /** Whose rights it is seen with; the one who is signed in when absent. Source: ssh.md 8.6. */
  readonly as?: string;
}

/** A transfer as a command takes it: a row of the Transfers view has this shape. */
export interface TransferArgument {
  readonly kind: 'transfer';
  readonly id: string;
}

export const View = {
  hosts: 'termind.hosts',
  files: 'termind.files',
  forwards: 'termind.forwards',
  transfers: 'termind.transfers',
  assistant: 'termind.assistant',
} as const;
export type View = (typeof View)[keyof typeof View];

/** Webview editors that the editor restores after a reload. */
export const Panel = { assistant: 'termind.assistantPanel' } as const;

/** Read-only pages in an editor tab, gone after a reload. */
export const PageView = {
  effectiveConfig: 'termind.effectiveConfig',
  doctor: 'termind.doctor',
  fleetTrust: 'termind.fleetTrust',
  operations: 'termind.operations',
  folderSync: 'termind.folderSync',
} as const;

export const Container = { main: 'termind', assistant: 'termind-assistant' } as const;

export const Setting = {
  permissionMode: 'termind.permissionMode',
  providers: 'termind.providers',
  editorModels: 'termind.editorModels',
  reviewModel: 'termind.review.model',
  sshConfigFile: 'termind.ssh.configFile',
  sshPath: 'termind.ssh.path',
  sshAgent: 'termind.ssh.agent',
  appendToUserFile: 'termind.trust.appendToUserFile',
  confirmPaste: 'termind.terminal.confirmPaste',
  runCeilings: 'termind.run.ceilings',
  approvalRules: 'termind.approval.rules',
  prices: 'termind.prices',
  webSearch: 'termind.webSearch',
  operationsDays: 'termind.retention.operationsDays',
  deleteMode: 'termind.files.deleteMode',
  archives: 'termind.transfers.archives',
} as const;
export type Setting = (typeof Setting)[keyof typeof Setting];

export const ContextKey = {
  approvalWaiting: 'termind.approvalWaiting',
  running: 'termind.running',
  storeState: 'termind.storeState',
  hostsFiltered: 'termind.hostsFiltered',
  dotFilesHidden: 'termind.dotFilesHidden',
} as const;

export const Scheme = { scratch: 'termind-scratch', sftp: 'termind-sftp', merge: 'termind-merge' } as const;

/** Read-only documents that the editor asks us for. */
export const DocumentScheme = {
  requestLog: 'termind-request-log',
  theirs: 'termind-theirs',
  kept: 'termind-kept',
  mergeSide: 'termind-merge-side',
} as const;

export const TerminalProfile = { ssh: 'termind.sshProfile' } as const;
export const Walkthrough = { welcome: 'termind.welcome' } as const;
export const outputChannelName = 'Termind';
