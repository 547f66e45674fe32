/** How the value of a keyword is read and what a second line with it does. */
export type KeywordKind =
  /** One argument; the first line wins. */
  | 'word'
  /** One of the fixed words of `choiceOf`. */
  | 'choice'
  | 'flag'
  | 'number'
  | 'time'
  | 'port'
  /** Several arguments, `none` only alone; the first line wins as a whole. */
  | 'words'
  | 'domains'
  | 'cnames'
  | 'remoteOpens'
  /** Each line adds its one argument. */
  | 'append'
  | 'sendEnv'
  | 'setEnv'
  /** The rest of the line as written. */
  | 'verbatim'
  | 'jump'
  | 'localForward'
  | 'remoteForward'
  | 'dynamicForward'
  | 'addKeys'
  | 'agentForward'
  | 'agentPath'
  | 'channelTimeout'
  | 'controlPersist'
  | 'escapeChar'
  | 'keystrokes'
  | 'mask'
  | 'qos'
  | 'rekeyLimit'
  | 'tunnelDevice'
  | 'addendum'
  /** An active line makes `ssh` refuse the name. */
  | 'refusal'
  /** Read by OpenSSH and without effect. */
  | 'ignored';

export interface Keyword {
  readonly kind: KeywordKind;
  /** The first release that knows it; 0 for those that all supported ones know. */
  readonly since: number;
}

const of = (kind: KeywordKind, names: string, since = 0): readonly (readonly [string, Keyword])[] =>
  names.split(' ').map((name) => [name, { kind, since }] as const);

/** Every keyword of ssh_config(5), lower case. What is missing here is reported as unknown. */
const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...of(
    'word',
    'bindaddress bindinterface casignaturealgorithms ciphers controlpath gssapiclientidentity gssapikexalgorithms ' +
      'gssapiserveridentity hostbasedacceptedalgorithms hostkeyalgorithms hostkeyalias hostname ignoreunknown ' +
      'kbdinteractivedevices kexalgorithms macs pkcs11provider preferredauthentications pubkeyacceptedalgorithms ' +
      'securitykeyprovider user xauthlocation',
  ),
  ...of('word', 'tag', 904),
  ...of(
    'choice',
    'addressfamily canonicalizehostname compression controlmaster fingerprinthash loglevel pubkeyauthentication requesttty ' +
      'sessiontype stricthostkeychecking syslogfacility tunnel updatehostkeys verifyhostkeydns',
  ),
  ...of('choice', 'warnweakcrypto', 1001),
  ...of(
    'flag',
    'batchmode canonicalizefallbacklocal checkhostip clearallforwardings enablesshkeysign exitonforwardfailure ' +
      'forkafterauthentication forwardx11 forwardx11trusted gatewayports gssapiauthentication gssapidelegatecredentials ' +
      'gssapikeyexchange gssapirenewalforcesrekey gssapitrustdns hashknownhosts hostbasedauthentication identitiesonly ' +
      'kbdinteractiveauthentication nohostauthenticationforlocalhost passwordauthentication permitlocalcommand proxyusefdpass ' +
      'stdinnull streamlocalbindunlink tcpkeepalive visualhostkey',
  ),
  ...of('flag', 'enableescapecommandline', 902),
  ...of('number', 'canonicalizemaxdots connectionattempts numberofpasswordprompts serveralivecountmax'),
  ...of('number', 'requiredrsasize', 901),
  ...of('time', 'connecttimeout forwardx11timeout serveraliveinterval'),
  ...of('port', 'port'),
  ...of('words', 'globalknownhostsfile logverbose revokedhostkeys userknownhostsfile'),
  ...of('domains', 'canonicaldomains'),
  ...of('cnames', 'canonicalizepermittedcnames'),
  ...of('remoteOpens', 'permitremoteopen'),
  ...of('append', 'certificatefile identityfile'),
  ...of('sendEnv', 'sendenv'),
  ...of('setEnv', 'setenv'),
  ...of('verbatim', 'knownhostscommand localcommand proxycommand remotecommand'),
  ...of('jump', 'proxyjump'),
  ...of('localForward', 'localforward'),
  ...of('remoteForward', 'remoteforward'),
  ...of('dynamicForward', 'dynamicforward'),
  ...of('addKeys', 'addkeystoagent'),
  ...of('agentForward', 'forwardagent'),
  ...of('agentPath', 'identityagent'),
  ...of('channelTimeout', 'channeltimeout', 906),
  ...of('controlPersist', 'controlpersist'),
  ...of('escapeChar', 'escapechar'),
  ...of('keystrokes', 'obscurekeystroketiming', 905),
  ...of('mask', 'streamlocalbindmask'),
  ...of('qos', 'ipqos'),
  ...of('rekeyLimit', 'rekeylimit'),
  ...of('tunnelDevice', 'tunneldevice'),
  ...of('addendum', 'versionaddendum', 1000),
  ...of('refusal', 'refuseconnection', 1001),
  ...of(
    'ignored',
    'afstokenpassing cipher compressionlevel fallbacktorsh globalknownhostsfile2 kerberosauthentication kerberostgtpassing ' +
      'protocol rhostsauthentication rhostsrsaauthentication rsaauthentication useprivilegedport userknownhostsfile2 useroaming ' +
      'usersh',
  ),
]);

/** Older spellings that OpenSSH, or the build of a distribution, still reads. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['challengeresponseauthentication', 'kbdinteractiveauthentication'],
  ['dsaauthentication', 'pubkeyauthentication'],
  ['hostbasedkeytypes', 'hostbasedacceptedalgorithms'],
  ['identityfile2', 'identityfile'],
  ['keepalive', 'tcpkeepalive'],
  ['protocolkeepalives', 'serveraliveinterval'],
  ['pubkeyacceptedkeytypes', 'pubkeyacceptedalgorithms'],
  ['setuptimeout', 'serveraliveinterval'],
  ['skeyauthentication', 'kbdinteractiveauthentication'],
  ['smartcarddevice', 'pkcs11provider'],
  ['tisauthentication', 'kbdinteractiveauthentication'],
]);

/** The present spelling of a lower-case keyword. */
export function canonicalKeyword(keyword: string): string {
  return synonyms.get(keyword) ?? keyword;
}

/** Undefined for a keyword that no OpenSSH knows. */
export function keywordOf(keyword: string): Keyword | undefined {
  return keywords.get(keyword);
}

export function keywordKind(keyword: string): KeywordKind | undefined {
  return keywords.get(keyword)?.kind;
}

/** Every keyword that carries a value, sorted. */
export function allKeywords(): readonly string[] {
  return [...keywords].flatMap(([name, { kind }]) => (kind === 'ignored' ? [] : name)).sort();
}
