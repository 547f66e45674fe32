import { sftpServerProgram } from './scriptedSftp.ts';
import type { SshdOptions } from './sshd.ts';

export interface SshdPaths {
  readonly hostKeys: readonly string[];
  readonly authorizedKeys: string;
  readonly userCa: string;
  readonly banner: string;
}

/** What the lab itself decides about one server. */
export interface SshdFacts {
  readonly port: number;
  readonly user: string;
  readonly hasPassword: boolean;
  readonly paths: SshdPaths;
}

/**
 * The text of sshd_config. The first value of a keyword wins there, so the caller's lines stand first and `Match`
 * blocks, which reach to the end of the file, stand last. Source: sshd_config(5).
 */
export function sshdConfig(options: SshdOptions, facts: SshdFacts): string {
  const { paths } = facts;
  const hasPam = options.pam === undefined ? 'no' : 'yes';
  const given: [keyword: string, value: string | number | undefined][] = [
    ['MaxSessions', options.maxSessions],
    ['MaxAuthTries', options.maxAuthTries],
    ['RekeyLimit', options.rekeyLimit],
    ['Banner', options.banner === undefined ? undefined : paths.banner],
    ['ForceCommand', options.forceCommand],
    ['AuthenticationMethods', options.authenticationMethods],
  ];
  return [
    ...(options.config ?? []),
    ...given.flatMap(([keyword, value]) => (value === undefined ? [] : [`${keyword} ${value}`])),
    `Port ${facts.port}`,
    'ListenAddress 127.0.0.1',
    ...paths.hostKeys.map((file) => `HostKey ${file}`),
    'PidFile none',
    `LogLevel ${options.logLevel ?? 'VERBOSE'}`,
    // Without being asked for, PAM would bring the machine's own policy into the tests.
    `UsePAM ${hasPam}`,
    'StrictModes no', // the temporary folder is not owned by every account that logs in
    'UseDNS no',
    'PrintMotd no',
    'PrintLastLog no',
    'MaxStartups 500', // tests connect in bursts
    // Tests fail to log in on purpose, all from one address. Older builds do not know the word.
    ...(options.build === 'newest' ? ['PerSourcePenalties no'] : []),
    `AllowUsers ${facts.user}`,
    'PermitRootLogin yes',
    'PubkeyAuthentication yes',
    `AuthorizedKeysFile ${paths.authorizedKeys}`,
    `TrustedUserCAKeys ${paths.userCa}`,
    `PasswordAuthentication ${facts.hasPassword ? 'yes' : 'no'}`,
    `KbdInteractiveAuthentication ${hasPam}`,
    ...sftpLines(options.sftp ?? 'internal'),
    // One line only: a second SetEnv would be ignored.
    `SetEnv ${Object.entries(options.environment ?? {})
      .map(([name, value]) => `"${name}=${value}"`)
      .join(' ')}`,
    ...(options.matchBlocks ?? []),
    '',
  ].join('\n');
}

/** A program is started by the login shell, with its start-up files; the internal one is not. */
function sftpLines(sftp: NonNullable<SshdOptions['sftp']>): string[] {
  if (sftp === 'none') return [];
  return [`Subsystem sftp ${sftp === 'internal' ? 'internal-sftp' : sftpServerProgram}`];
}
