/** Why a value counts in another way than for `ssh`, or not at all. A feature has the words. */
export type HonourReason =
  | 'agentStays'
  | 'alwaysVerified'
  | 'askedHere'
  | 'commandLine'
  | 'dnsKeys'
  | 'escapes'
  | 'fdPassing'
  | 'gssapi'
  | 'hostbased'
  | 'keepalive'
  | 'keyLists'
  | 'log'
  | 'namesOnly'
  | 'newerFeature'
  | 'offIsAcceptNew'
  | 'ownAlgorithms'
  | 'ownDialogs'
  | 'ownReconnect'
  | 'ownSharing'
  | 'ownStore'
  | 'pkcs11'
  | 'programs'
  | 'refusalWarns'
  | 'rekeying'
  | 'rsaMinimum'
  | 'securityKeys'
  | 'serviceQuality'
  | 'tunnel'
  | 'x11';

export type Honour =
  | { readonly k: 'honoured' }
  | { readonly k: 'different'; readonly why: HonourReason }
  | { readonly k: 'not'; readonly why: HonourReason };

interface Entry {
  /** As ssh_config(5) spells it. */
  readonly name: string;
  readonly honour: Honour;
}

const honoured: Honour = { k: 'honoured' };
const different = (why: HonourReason): Honour => ({ k: 'different', why });
const not = (why: HonourReason): Honour => ({ k: 'not', why });
const all = (honour: Honour, names: string): readonly Entry[] =>
  names.split(' ').map((name) => ({ name, honour }));

/** What Termind does with each keyword. Complete: a test compares it with what we read and what `ssh -G` prints. Source: ssh.md 4.5. */
const entries: readonly Entry[] = [
  ...all(
    honoured,
    'Host HostName User Port AddressFamily BindAddress BindInterface ConnectTimeout ProxyJump ProxyCommand HostKeyAlias ' +
      'UserKnownHostsFile GlobalKnownHostsFile UpdateHostKeys Compression IdentityFile IdentitiesOnly IdentityAgent ' +
      'CertificateFile PreferredAuthentications PubkeyAuthentication PasswordAuthentication KbdInteractiveAuthentication ' +
      'NumberOfPasswordPrompts ForwardAgent LocalForward RemoteForward DynamicForward GatewayPorts ExitOnForwardFailure ' +
      'ClearAllForwardings PermitRemoteOpen StreamLocalBindMask StreamLocalBindUnlink ServerAliveCountMax TCPKeepAlive SetEnv SendEnv ' +
      'RemoteCommand RequestTTY Tag CanonicalizeHostname CanonicalDomains CanonicalizeMaxDots CanonicalizeFallbackLocal ' +
      'CanonicalizePermittedCNAMEs IgnoreUnknown',
  ),
  ...all(
    different('ownAlgorithms'),
    'HostKeyAlgorithms KexAlgorithms Ciphers MACs CASignatureAlgorithms PubkeyAcceptedAlgorithms',
  ),
  ...all(different('offIsAcceptNew'), 'StrictHostKeyChecking'),
  ...all(different('keyLists'), 'RevokedHostKeys'),
  ...all(different('keepalive'), 'ServerAliveInterval'),
  ...all(different('ownReconnect'), 'ConnectionAttempts'),
  ...all(different('refusalWarns'), 'RefuseConnection'),
  ...all(different('ownDialogs'), 'FingerprintHash VisualHostKey'),
  ...all(different('rsaMinimum'), 'RequiredRSASize'),
  ...all(not('agentStays'), 'AddKeysToAgent'),
  ...all(not('alwaysVerified'), 'NoHostAuthenticationForLocalhost'),
  ...all(not('askedHere'), 'BatchMode KbdInteractiveDevices'),
  ...all(not('commandLine'), 'StdinNull ForkAfterAuthentication SessionType'),
  ...all(not('dnsKeys'), 'VerifyHostKeyDNS'),
  ...all(not('escapes'), 'EscapeChar EnableEscapeCommandline'),
  ...all(not('fdPassing'), 'ProxyUseFdpass'),
  ...all(
    not('gssapi'),
    'GSSAPIAuthentication GSSAPIDelegateCredentials GSSAPIKeyExchange GSSAPIRenewalForcesRekey GSSAPITrustDns ' +
      'GSSAPIClientIdentity GSSAPIServerIdentity GSSAPIKexAlgorithms',
  ),
  ...all(not('hostbased'), 'HostbasedAuthentication HostbasedAcceptedAlgorithms EnableSSHKeysign'),
  ...all(not('log'), 'LogLevel LogVerbose SyslogFacility'),
  ...all(not('namesOnly'), 'CheckHostIP'),
  ...all(not('newerFeature'), 'ObscureKeystrokeTiming ChannelTimeout VersionAddendum WarnWeakCrypto'),
  ...all(not('ownSharing'), 'ControlMaster ControlPath ControlPersist'),
  ...all(not('ownStore'), 'HashKnownHosts'),
  ...all(not('pkcs11'), 'PKCS11Provider'),
  ...all(not('programs'), 'KnownHostsCommand LocalCommand PermitLocalCommand'),
  ...all(not('rekeying'), 'RekeyLimit'),
  ...all(not('securityKeys'), 'SecurityKeyProvider'),
  ...all(not('serviceQuality'), 'IPQoS'),
  ...all(not('tunnel'), 'Tunnel TunnelDevice'),
  ...all(not('x11'), 'ForwardX11 ForwardX11Trusted ForwardX11Timeout XAuthLocation'),
];

const byKeyword: ReadonlyMap<string, Entry> = new Map(
  entries.map((entry) => [entry.name.toLowerCase(), entry]),
);

/** What Termind does with a lower-case keyword; undefined for one that we have not read about. */
export function honourOf(keyword: string): Honour | undefined {
  return byKeyword.get(keyword)?.honour;
}

/** The spelling of ssh_config(5). */
export function keywordName(keyword: string): string {
  return byKeyword.get(keyword)?.name ?? keyword;
}
