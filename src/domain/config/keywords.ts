/** How the value of a keyword is read and what a second line with it does. */
export type KeywordKind =
  /** One argument; the first line wins. */
  | 'word'
  | 'flag'
  | 'number'
  | 'time'
  | 'port'
  /** Several arguments; the first line wins as a whole. */
  | 'words'
  /** The first argument counts, further ones are tolerated by OpenSSH. */
  | 'jump'
  /** Each line adds its one argument. */
  | 'append'
  /** Each line adds all its arguments. */
  | 'appendAll'
  /** The rest of the line as written. */
  | 'verbatim'
  | 'localForward'
  | 'remoteForward'
  | 'dynamicForward'
  /** Read by OpenSSH and without effect on us. */
  | 'ignored';

const of = (kind: KeywordKind, names: string): readonly (readonly [string, KeywordKind])[] =>
  names.split(' ').map((name) => [name, kind] as const);

/**
 * Every keyword of ssh_config(5), lower case. What is missing here is reported as unknown, so the list holds names up to OpenSSH 10
 * even where the installed one is older.
 */
const kinds: ReadonlyMap<string, KeywordKind> = new Map([
  ...of(
    'word',
    'addkeystoagent addressfamily bindaddress bindinterface canonicalizehostname casignaturealgorithms ciphers controlmaster ' +
      'controlpath controlpersist escapechar fingerprinthash forwardagent hostbasedacceptedalgorithms hostkeyalgorithms ' +
      'hostkeyalias hostname identityagent kbdinteractivedevices kexalgorithms loglevel logverbose macs obscurekeystroketiming ' +
      'pkcs11provider preferredauthentications pubkeyacceptedalgorithms pubkeyauthentication requesttty revokedhostkeys ' +
      'securitykeyprovider sessiontype streamlocalbindmask stricthostkeychecking syslogfacility tag tunnel tunneldevice ' +
      'updatehostkeys user verifyhostkeydns versionaddendum xauthlocation',
  ),
  ...of(
    'flag',
    'batchmode canonicalizefallbacklocal checkhostip clearallforwardings compression enableescapecommandline enablesshkeysign ' +
      'exitonforwardfailure forkafterauthentication forwardx11 forwardx11trusted gatewayports gssapiauthentication ' +
      'gssapidelegatecredentials gssapikeyexchange gssapirenewalforcesrekey gssapitrustdns hashknownhosts ' +
      'hostbasedauthentication identitiesonly kbdinteractiveauthentication nohostauthenticationforlocalhost ' +
      'passwordauthentication permitlocalcommand proxyusefdpass refuseconnection stdinnull streamlocalbindunlink tcpkeepalive ' +
      'visualhostkey warnweakcrypto',
  ),
  ...of(
    'number',
    'canonicalizemaxdots connectionattempts numberofpasswordprompts requiredrsasize serveralivecountmax',
  ),
  ...of('time', 'connecttimeout forwardx11timeout serveraliveinterval'),
  ...of('port', 'port'),
  ...of('jump', 'proxyjump'),
  ...of(
    'words',
    'canonicaldomains canonicalizepermittedcnames channeltimeout globalknownhostsfile ipqos permitremoteopen rekeylimit setenv ' +
      'userknownhostsfile gssapiclientidentity gssapiserveridentity gssapikexalgorithms',
  ),
  ...of('append', 'certificatefile identityfile'),
  ...of('appendAll', 'sendenv ignoreunknown'),
  ...of('verbatim', 'knownhostscommand localcommand proxycommand remotecommand'),
  ...of('localForward', 'localforward'),
  ...of('remoteForward', 'remoteforward'),
  ...of('dynamicForward', 'dynamicforward'),
  ...of(
    'ignored',
    'afstokenpassing cipher compressionlevel fallbacktorsh globalknownhostsfile2 kerberosauthentication kerberostgtpassing ' +
      'protocol rhostsauthentication rhostsrsaauthentication rsaauthentication useprivilegedport userknownhostsfile2 useroaming ' +
      'usersh',
  ),
]);

/** Older spellings that OpenSSH still reads. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['challengeresponseauthentication', 'kbdinteractiveauthentication'],
  ['dsaauthentication', 'pubkeyauthentication'],
  ['hostbasedkeytypes', 'hostbasedacceptedalgorithms'],
  ['identityfile2', 'identityfile'],
  ['keepalive', 'tcpkeepalive'],
  ['pubkeyacceptedkeytypes', 'pubkeyacceptedalgorithms'],
  ['skeyauthentication', 'kbdinteractiveauthentication'],
  ['smartcarddevice', 'pkcs11provider'],
  ['tisauthentication', 'kbdinteractiveauthentication'],
]);

/** The present spelling of a lower-case keyword. */
export function canonicalKeyword(keyword: string): string {
  return synonyms.get(keyword) ?? keyword;
}

/** Undefined for a keyword that no OpenSSH knows. */
export function keywordKind(keyword: string): KeywordKind | undefined {
  return kinds.get(keyword);
}

export function isAccumulating(kind: KeywordKind): boolean {
  return (
    kind === 'append' ||
    kind === 'appendAll' ||
    kind === 'localForward' ||
    kind === 'remoteForward' ||
    kind === 'dynamicForward'
  );
}
