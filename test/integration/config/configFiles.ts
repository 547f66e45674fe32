import fc from 'fast-check';

/** A configuration to try: the main file, a file that it includes, and what is asked of both. */
export interface ConfigCase {
  /** `@INCLUDE@` stands for the path of the included file, `@FOLDER@` for its folder. */
  readonly main: string;
  readonly included: string;
  readonly alias: string;
  readonly user: string | undefined;
  readonly port: number | undefined;
}

/** What a generated file may use of the environment. */
export const caseEnvironment = {
  TERMIND_DIR: '/run/x%h',
  TERMIND_PORT: '9022',
  TERMIND_NAME: 'env name',
} as const;

const alias = fc.constantFrom(
  ...['web', 'db', 'a.b', 'web2', 'unheard-of', 'WEB', 'web.example.com', 'wéb'],
  ...['127.1', '192.0.2.7', '010.1', '0x7f.1', '::1', '2001:DB8::00ff', 'FE80::1', '1.2.3.4.5', 'localhost.'],
);
const pattern = fc.oneof(
  { weight: 3, arbitrary: alias },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...[
        '*',
        'w*',
        '?b',
        '!web',
        '!d?',
        '*.b',
        'web?',
        '!*',
        '**',
        'W*',
        'w?b',
        '*.example.com',
        '!a.*',
        'a,b',
        '[w]eb',
      ],
    ),
  },
);
const hostList = fc.constantFrom(
  ...[
    'web',
    'w*,!web2',
    '*.example.com',
    'DB',
    '!web,*',
    'a,b,web',
    '192.0.2.*',
    '127.0.0.1',
    'w?b',
    '*',
    '!db',
    '::1',
  ],
);
const userList = fc.constantFrom('alice', 'root', 'b*', '!root,*', 'ALICE', '*', 'alice,bob', '!alice');

/** Keyword, then its arguments before they are quoted. */
type Setting = readonly [keyword: string, ...args: string[]];
const setting = (keyword: string, ...lists: readonly (string | readonly string[])[]): fc.Arbitrary<Setting> =>
  fc.constantFrom(
    ...lists.map((list): Setting => (typeof list === 'string' ? [keyword, list] : [keyword, ...list])),
  );

const flags = fc
  .constantFrom(
    ...[
      'BatchMode',
      'CheckHostIP',
      'ClearAllForwardings',
      'EnableSSHKeysign',
      'ExitOnForwardFailure',
      'ForwardX11',
    ],
    ...[
      'ForwardX11Trusted',
      'GatewayPorts',
      'GSSAPIAuthentication',
      'GSSAPIDelegateCredentials',
      'HashKnownHosts',
    ],
    ...[
      'HostbasedAuthentication',
      'IdentitiesOnly',
      'KbdInteractiveAuthentication',
      'ChallengeResponseAuthentication',
    ],
    ...[
      'NoHostAuthenticationForLocalhost',
      'PasswordAuthentication',
      'PermitLocalCommand',
      'ProxyUseFdpass',
      'StdinNull',
    ],
    ...['StreamLocalBindUnlink', 'TCPKeepAlive', 'KeepAlive', 'VisualHostKey', 'EnableEscapeCommandline'],
    ...['CanonicalizeFallbackLocal'],
  )
  .chain((keyword) =>
    fc.constantFrom('yes', 'no', 'true', 'False', 'YES').map((value): Setting => [keyword, value]),
  );

const words = fc.oneof(
  setting(
    'HostName',
    '192.0.2.7',
    'x.Example.com',
    '%h.example.com',
    '127.1',
    '::0001',
    'W%%x',
    '%h',
    'FE80::1%none',
    'zz::1',
    '1::zz',
    '::1.2.3.400',
    '1:2:3:4:5:6:7:8:9',
    '0300.1',
    '::ffff:1.2.3.4',
    '::1.2.3.4',
    '1::0:0:1',
    '256.1',
  ),
  setting('User', 'alice', 'bob', 'b c', 'a#b', "o'x", 'q"q', 'back\\slash'),
  setting('Port', '22', '2222', '65535', '0022', '+23'),
  setting('Tunnel', 'yes', 'ethernet', 'point-to-point', 'no'),
  setting('HostKeyAlias', 'key.example.com', 'Key', '[h]:22'),
  setting('BindAddress', '127.0.0.1', '*'),
  setting('BindInterface', 'eth0'),
  setting('AddressFamily', 'inet', 'INET6', 'any'),
  setting('CanonicalizeHostname', 'no', 'yes', 'always', 'none-such.invalid'.slice(0, 2)),
  setting('CanonicalizeMaxDots', '0', '1', '2'),
  setting('CanonicalDomains', ['invalid', 'Example.Invalid.'], 'none', 'a_b.invalid'),
  setting('CompressIon', 'yes', 'NO'),
  setting('ControlMaster', 'auto', 'yes', 'ask', 'autoask', 'false'),
  setting('ControlPath', '~/.ssh/%C', '/run/%L-%l-%n-%p-%r-%u-%i-%k', 'none', '${TERMIND_DIR}/s', '%d/%h'),
  setting('ControlPersist', 'yes', '0', '10m', 'no', '1h30m'),
  setting('FingerprintHash', 'md5', 'SHA256'),
  setting('LogLevel', 'quiet', 'INFO', 'debug1', 'Verbose', 'DEBUG3', 'error'),
  setting('SyslogFacility', 'auth', 'LOCAL3'),
  setting('PubkeyAuthentication', 'yes', 'no', 'unbound', 'host-bound'),
  setting('RequestTTY', 'yes', 'no', 'force', 'auto'),
  setting('SessionType', 'none', 'subsystem', 'default'),
  setting('StrictHostKeyChecking', 'yes', 'no', 'ask', 'accept-new', 'off', 'True'),
  setting('UpdateHostKeys', 'yes', 'no', 'ask'),
  setting('VerifyHostKeyDNS', 'yes', 'ask', 'no'),
  setting('KnownHostsCommand', '/bin/true %h'),
  setting('RevokedHostKeys', '/k/revoked', 'none'),
  setting('PreferredAuthentications', 'password,publickey', 'publickey', 'none'),
  setting('KbdInteractiveDevices', 'pam'),
  setting('XAuthLocation', '/x/auth'),
  setting('SecurityKeyProvider', '/x/sk', 'internal'),
  setting('PKCS11Provider', '/x/p11', 'none'),
  setting('IgnoreUnknown', 'Frob*,usekeychain', 'none'),
  setting(
    'Ciphers',
    '+aes128-cbc',
    '-aes*',
    '^aes256-ctr',
    'aes128-ctr,aes256-ctr',
    '+aes128-ctr',
    '^aes128-cbc,aes256-ctr',
  ),
  setting('MACs', '-*-etm@openssh.com', '+hmac-md5', 'hmac-sha2-256'),
  setting(
    'KexAlgorithms',
    '+diffie-hellman-group14-sha1',
    '-ecdh*',
    '^ecdh-sha2-nistp256',
    'curve25519-sha256',
  ),
  setting('HostKeyAlgorithms', '+ssh-rsa', '-*cert*', '^rsa-sha2-512', 'ssh-ed25519'),
  setting('PubkeyAcceptedKeyTypes', '+ssh-rsa', 'ssh-ed25519,rsa-sha2-256'),
  setting('CASignatureAlgorithms', '^rsa-sha2-256', '-ecdsa*'),
  setting('HostbasedAcceptedAlgorithms', '-*', '+ssh-rsa'),
);
const numbers = fc.oneof(
  setting('ConnectionAttempts', '1', '3'),
  setting('NumberOfPasswordPrompts', '0', '07', '+4'),
  setting('ServerAliveCountMax', '4', '07', '0'),
  setting('RequiredRSASize', '2048'),
  setting('ConnectTimeout', '5', '1m', '1h30m', 'none', '2W'),
  setting('ServerAliveInterval', '15', '2m', 'none', '0'),
  setting('ForwardX11Timeout', '1d', '30S'),
  setting('RekeyLimit', '1G', ['1G', '1h'], 'default', ['default', 'none'], ['1.5K', '0'], ['16', '10']),
  setting('StreamLocalBindMask', '0177', '0', '644', '7x'),
  setting('IPQoS', 'af21', ['lowdelay', 'throughput'], '0x10', ['040', '7'], 'none', 'Reliability', 'cs1'),
  setting('TunnelDevice', 'any', '1', '1:2', 'any:3'),
  setting('EscapeChar', 'none', '^a', '^]', '%', '#', "'", '~', '^?'.slice(0, 1)),
  setting('AddKeysToAgent', 'yes', 'ask', 'confirm', '5m', ['confirm', '1h'], '0', 'no'),
);
const lists = fc.oneof(
  setting('IdentityFile', '~/.ssh/a', '/k/b c', '~/.ssh/%r@%h', 'none', '${TERMIND_DIR}/k', '~/.ssh/a'),
  setting('CertificateFile', '~/.ssh/a-cert.pub', '/k/c'),
  setting('SendEnv', 'A', ['B', 'C'], 'LC_*', '-A', ['-*'], ['-LC*', 'D'], 'B'),
  setting('SetEnv', 'A=1', ['B=2', 'C=3 4'], ['A=1', 'A=2'], 'E='),
  setting(
    'UserKnownHostsFile',
    ['/k/one', '/k/two'],
    '/k/three',
    'none',
    '~/k',
    '~/.ssh/known_hosts',
    '/k/%h-%k',
    '${TERMIND_DIR}/k',
    'NONE',
  ),
  setting('GlobalKnownHostsFile', ['/k/one', '/k/two'], 'none', '~/k', '/k/%h'),
  setting('LogVerbose', 'kex.c:*', 'none'),
  setting('PermitRemoteOpen', 'any', 'none', ['a:1', '[::1]:*']),
  setting('CanonicalizePermittedCNAMEs', 'none', ['*.A:b,c', 'x:Y']),
);
const forwards = fc.oneof(
  setting(
    'LocalForward',
    ['8080', 'localhost:80'],
    ['[::1]:81', '[2001:db8::1]:82'],
    ['*:8081', 'a:80'],
    ['/run/%h', '/run/b'],
    ['/run/a', 'b:5'],
    ['83', '/run/%n'],
    ['127.0.0.1:84', '/x'],
  ),
  setting('LocalForward', ['${TERMIND_PORT}', 'b:1'], ['8\\080', 'x:1'], [':85', 'x:1']),
  setting(
    'RemoteForward',
    ['1081'],
    ['0', 'a:1'],
    ['/run/%r', 'b:5'],
    ['h:1082', '[::1]:2'],
    ['[::]:1083'],
    ['9', '/run/x'],
  ),
  setting('DynamicForward', '1080', 'h:1081', '[::1]:1082', '*:1083'),
);
const agents = fc.oneof(
  setting('ForwardAgent', 'yes', 'no', '$TERMIND_DIR', '~/a%h', '/run/%r'),
  setting('IdentityAgent', 'none', 'SSH_AUTH_SOCK', '$TERMIND_DIR', '${TERMIND_DIR}', '~/agent', '/run/%d'),
);
const ignored = fc.oneof(
  setting('Protocol', '2', ['1', '2']),
  setting('Cipher', 'blowfish'),
  setting('UseRoaming', 'no'),
  setting('RSAAuthentication', 'yes'),
);
const routes = fc.oneof(
  setting(
    'ProxyJump',
    'none',
    'None',
    'gate',
    'u@gate:22,b',
    'ssh://u@b:2222',
    'gate,[::1]:2222',
    'u@192.0.2.9',
    'x@y@z',
    'a,b,c:23',
  ),
);
/** The rest of the line as it stands. */
const verbatim = fc.oneof(
  fc.tuple(
    fc.constantFrom('ProxyCommand', 'proxycommand'),
    fc.constantFrom(
      'nc %h %p',
      '"a b" "c" # keep',
      'none',
      String.raw`"C:\foo bar\baz.exe" "arg" # keep`,
      "sh -c 'x y'",
      '= odd',
    ),
  ),
  fc.tuple(fc.constant('LocalCommand'), fc.constantFrom('echo %h', 'none')),
  fc.tuple(fc.constant('RemoteCommand'), fc.constantFrom('tmux new -A -s %n', 'none', 'echo "a  b" %%')),
);

const oddCase = (keyword: string, mask: number): string =>
  Array.from(keyword)
    .map((char, index) => ((mask >> (index % 16)) & 1 ? char.toUpperCase() : char.toLowerCase()))
    .join('');

const quote = (word: string, style: number): string => {
  const isPlain = /^[^\s"'#\\][^\s"'\\]*$/.test(word);
  if (isPlain && style < 5) return word;
  if (style === 6 && !word.includes("'")) return `'${word.replaceAll('\\', '\\\\')}'`;
  if (style === 7 && isPlain && word.length > 1) return `${word.slice(0, 1)}"${word.slice(1)}"`;
  if (style === 8 && /^[^"'#\\]+$/.test(word)) return word.replaceAll(' ', '\\ ');
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};

const before = fc.constantFrom('', '', '', '\t', '  ');
const between = fc.constantFrom(' ', ' ', ' ', '\t', '=', ' = ', '\t  ', '= ', ' =');
const behind = fc.constantFrom('', '', '', '  ', '\t', ' # c', ' #"open', '\f', ' \r');

const settingLine = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: flags },
      { weight: 12, arbitrary: words },
      { weight: 4, arbitrary: numbers },
      { weight: 5, arbitrary: lists },
      { weight: 3, arbitrary: forwards },
      { weight: 2, arbitrary: agents },
      { weight: 2, arbitrary: routes },
      { weight: 1, arbitrary: ignored },
    ),
    fc.tuple(before, between, behind),
    fc.nat(65535),
    fc.array(fc.nat(8), { minLength: 2, maxLength: 2 }),
  )
  .map(([[keyword, ...args], [pre, separator, tail], mask, styles]) => {
    const isJump = keyword === 'ProxyJump';
    const text = args.map((word, index) => (isJump ? word : quote(word, styles[index % 2] ?? 0))).join(' ');
    // A comment behind `ProxyJump none` makes ssh jump through a host of that name.
    const end = isJump && tail.includes('#') ? '' : tail;
    return `${pre}${mask % 3 === 0 ? oddCase(keyword, mask) : keyword}${separator}${text}${end}`;
  });
const verbatimLine = fc
  .tuple(verbatim, before, between)
  .map(([[keyword, rest], pre, separator]) => `${pre}${keyword}${separator}${rest}`);

const criterion = fc.oneof(
  fc.tuple(fc.constantFrom('', '!'), fc.constantFrom('host', 'originalhost', 'Host'), hostList),
  fc.tuple(fc.constantFrom('', '!'), fc.constantFrom('user', 'localuser', 'USER'), userList),
);
const newCriterion = fc.oneof(
  fc.tuple(fc.constantFrom('', '!'), fc.constantFrom('tagged'), fc.constantFrom('prod', 'p*', 'x,prod')),
  fc.tuple(
    fc.constantFrom('', '!'),
    fc.constantFrom('sessiontype'),
    fc.constantFrom('shell', 'none', 'exec,shell'),
  ),
  fc.tuple(fc.constantFrom('', '!'), fc.constantFrom('command'), fc.constantFrom('""', 'x*')),
  fc.tuple(
    fc.constantFrom('', '!'),
    fc.constantFrom('localnetwork'),
    fc.constantFrom('127.0.0.0/8', '192.0.2.0/24', '::1/128'),
  ),
);
const programs = fc
  .tuple(
    fc.constantFrom('', '!'),
    fc.constantFrom('true', 'false', 'test %h = web', 'test %r = alice', 'test %n = db', 'exit 3'),
  )
  .map(([not, program]) => `${not}exec "${program}"`);

const matchLine = (isNewest: boolean, hasPrograms: boolean): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', '', 'final ', '!final ', 'canonical ', '!canonical '),
      fc.array(isNewest ? fc.oneof(criterion, newCriterion) : criterion, { minLength: 1, maxLength: 3 }),
      hasPrograms
        ? fc.oneof(
            fc.constant(''),
            programs.map((text) => ` ${text}`),
          )
        : fc.constant(''),
      fc.constantFrom(' ', ' ', '='),
      fc.constantFrom('', '', ' # all', '\t'),
    )
    .map(
      ([pass, list, program, equals, tail]) =>
        `Match ${pass}${list.map(([not, kind, value]) => `${not}${kind}${/command|sessiontype/.test(kind) ? ' ' : equals}${value}`).join(' ')}${program}${tail}`,
    );

const blockLine = (options: GeneratorOptions): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.array(pattern, { minLength: 1, maxLength: 3 }), fc.nat(8), behind, between)
        .map(
          ([list, style, tail, separator]) =>
            `Host${separator}${list.map((word) => quote(word, style)).join(' ')}${tail}`,
        ),
    },
    { weight: 2, arbitrary: matchLine(options.isNewest, options.hasPrograms) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'Match all',
        'Match final all',
        'Match !all',
        'Match canonical all',
        'Match host web all',
        'Host #nobody',
        'Match ALL # x',
      ),
    },
  );

const emptyLine = fc.constantFrom('', '   ', '# comment', '\t# Host web', '"', '=', '\r');

/** Lines that OpenSSH refuses, or keywords that it does not know. */
const brokenLine = fc.constantFrom(
  ...[
    'Frobnicate yes',
    'FrobX',
    'UseKeychain yes',
    'Port 0',
    'Port 70000',
    'Port x',
    'Port',
    'User',
    'User ""',
    'User a b',
  ],
  ...[
    'Compression maybe',
    'Compression true',
    'ConnectTimeout 5x',
    'ConnectTimeout',
    'ServerAliveCountMax -1',
    'LocalForward 1',
  ],
  ...[
    'LocalForward a b',
    'DynamicForward 1:2:3',
    'RemoteForward /a',
    'ProxyCommand nc "x',
    'Match all host web',
    'Match host',
    'Match',
  ],
  ...[
    'Match frob x',
    'Match host web user alice all',
    'Host ""',
    'Host web "',
    'SendEnv A=1',
    'SetEnv A',
    'EscapeChar ab',
  ],
  ...[
    'RekeyLimit 5',
    'RekeyLimit x',
    'IPQoS x',
    'TunnelDevice x',
    'StreamLocalBindMask 8',
    'ControlPersist maybe',
    'AddKeysToAgent maybe',
  ],
  ...[
    'AddKeysToAgent ask 5m',
    'ForwardAgent ${TERMIND_NONE}',
    'IdentityAgent $a-b',
    'UserKnownHostsFile a none',
    'CanonicalDomains -a',
  ],
  ...[
    'CanonicalizePermittedCNAMEs a',
    'ProxyJump a:0',
    'ProxyJump ,',
    'ProxyJump @a',
    'ProxyJump',
    'GatewayPorts clientspecified',
    'Include ""',
  ],
  ...[
    'LogLevel loud',
    'SyslogFacility x',
    'FingerprintHash x',
    'RequestTTY maybe',
    'LocalForward 0 a:1',
    'HostName a b',
    'Tag',
  ],
);

export interface GeneratorOptions {
  /** Criteria of `Match` that came with OpenSSH 10. */
  readonly isNewest: boolean;
  /** `Match exec`. */
  readonly hasPrograms: boolean;
  /** Lines that OpenSSH refuses. */
  readonly hasBroken: boolean;
}

/**
 * Configuration files in every spelling of ssh.md 4.2. Left out, because the outcome is not of the file alone: names of algorithms that a build does not know, names that DNS would
 * have to find, interface names behind an address, names of services, the order of a user's locale. Left out because `ssh -G` prints
 * them wrongly: a DynamicForward beside a LocalForward to a socket (it prints both), a comment behind `ProxyJump none`.
 */
export function configCase(options: GeneratorOptions): fc.Arbitrary<ConfigCase> {
  const tag = setting('Tag', 'prod', 'x', 'pp').map((words_) => words_.join(' '));
  const line = fc.oneof(
    { weight: 40, arbitrary: settingLine },
    { weight: 4, arbitrary: verbatimLine },
    { weight: 20, arbitrary: blockLine(options) },
    { weight: 4, arbitrary: emptyLine },
    ...(options.hasBroken ? [{ weight: 3, arbitrary: brokenLine }] : []),
    ...(options.isNewest ? [{ weight: 3, arbitrary: tag }] : []),
  );
  const file = fc
    .array(line, { maxLength: 16 })
    .chain((lines) => fc.constantFrom('\n', '\n', '\r\n').map((end) => lines.map((text) => text + end)));
  const include = fc.constantFrom(
    ...[
      'Include @INCLUDE@',
      'include "@INCLUDE@"',
      'INCLUDE=@FOLDER@/*.inc',
      'Include @FOLDER@/none* @INCLUDE@ # both',
    ],
    ...['Include @HOME@', 'Include @FOLDER@/[a-z]*.inc', 'Include @FOLDER@/?.inc', 'Include'],
  );
  return fc
    .record({
      main: file,
      included: file,
      include,
      includeAt: fc.nat(16),
      alias,
      user: fc.constantFrom(undefined, undefined, 'alice'),
      port: fc.constantFrom(undefined, undefined, 2200),
    })
    .map(({ main, included, include: includeLine, includeAt, ...asked }) => ({
      ...asked,
      main: main.toSpliced(includeAt, 0, includeLine === 'Include' ? '' : `${includeLine}\n`).join(''),
      included: included.join(''),
    }));
}
