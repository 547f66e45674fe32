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
  refreshHosts: 'termind.hosts.refresh',
  filterHosts: 'termind.hosts.filter',
  copyAddress: 'termind.host.copyAddress',
  forgetHostKey: 'termind.host.forgetKey',
  setPassword: 'termind.host.setPassword',
  openAssistant: 'termind.assistant.open',
  askAboutHost: 'termind.assistant.askAboutHost',
  newConversation: 'termind.assistant.newConversation',
  openConversation: 'termind.assistant.openConversation',
  deleteConversation: 'termind.assistant.deleteConversation',
  renameConversation: 'termind.assistant.renameConversation',
  stopRun: 'termind.run.stop',
  reviewApproval: 'termind.approval.review',
  approve: 'termind.approval.approve',
  deny: 'termind.approval.deny',
  addProvider: 'termind.provider.add',
  setProviderKey: 'termind.provider.setKey',
  pickModel: 'termind.model.pick',
  pickPermissionMode: 'termind.permissionMode.pick',
  openScratchFile: 'termind.scratch.openFile',
  clearScratch: 'termind.scratch.clear',
  copyDiagnostics: 'termind.diagnostics.copy',
  showLog: 'termind.log.show',
} as const;
export type Command = (typeof Command)[keyof typeof Command];

export const View = {
  hosts: 'termind.hosts',
  assistant: 'termind.assistant',
} as const;
export type View = (typeof View)[keyof typeof View];

export const Container = { main: 'termind', assistant: 'termind-assistant' } as const;

export const Setting = {
  permissionMode: 'termind.permissionMode',
  providers: 'termind.providers',
  sshConfigFile: 'termind.ssh.configFile',
  sshPath: 'termind.ssh.path',
  sshAgent: 'termind.ssh.agent',
} as const;
export type Setting = (typeof Setting)[keyof typeof Setting];

export const ContextKey = {
  approvalWaiting: 'termind.approvalWaiting',
  running: 'termind.running',
  storeState: 'termind.storeState',
  hostsFiltered: 'termind.hostsFiltered',
} as const;

export const Scheme = { scratch: 'termind-scratch', sftp: 'termind-sftp' } as const;

export const TerminalProfile = { ssh: 'termind.sshProfile' } as const;
export const Walkthrough = { welcome: 'termind.welcome' } as const;
export const outputChannelName = 'Termind';
