import fs from 'node:fs/promises';
import path from 'node:path';
import { startDropbear } from './dropbear.ts';
import type { LabServer } from './labServer.ts';
import { newCodeSecret, oneTimeCode } from './oneTimeCode.ts';
import { privateRootObstacle } from './privateRoot.ts';
import { startSshd, type PamPolicy, type Sshd, type SshdOptions } from './sshd.ts';
import { startTinysshd } from './tinysshd.ts';

/** The machine's OpenSSH, OpenSSH 10, and two servers of other makes. */
export type ServerKind = 'openssh' | 'openssh10' | 'dropbear' | 'tinysshd';

/**
 * How the account is opened, besides by its key, which always works:
 * - `password`: by its password, in the method of that name;
 * - `pam-password`: by its password, in both methods, asked by PAM;
 * - `pam-expired`: as before, and the password has to be changed first;
 * - `pam-code`: PAM asks for the password and then for a code of the authenticator;
 * - `key-then-code`: the key alone is not enough, PAM asks for a code after it.
 */
export type ServerAuth = 'key' | 'password' | 'pam-password' | 'pam-expired' | 'pam-code' | 'key-then-code';

export interface ServerRequest {
  readonly kind: ServerKind;
  /** `key` when absent. */
  readonly auth?: ServerAuth;
  /** Lines of sshd_config, or arguments of dropbear or tinysshd. */
  readonly config?: readonly string[];
}

/** A server and what only its account's owner has. */
export type StartedServer = LabServer & {
  /** The code that the authenticator shows now; throws where none is asked for. */
  readonly code: () => string;
};

const passwordLines = [
  'auth required pam_unix.so',
  'account required pam_unix.so',
  'password required pam_unix.so',
];
const sessionLines = ['session required pam_unix.so'];
const codeLine = 'auth required pam_google_authenticator.so';

const policies: Readonly<Record<ServerAuth, PamPolicy | undefined>> = {
  key: undefined,
  password: undefined,
  'pam-password': { lines: [...passwordLines, ...sessionLines] },
  'pam-expired': { lines: [...passwordLines, ...sessionLines], mustChangePassword: true },
  'pam-code': { lines: [...passwordLines.slice(0, 1), codeLine, ...passwordLines.slice(1), ...sessionLines] },
  'key-then-code': { lines: [codeLine, 'account required pam_unix.so', ...sessionLines] },
};

/** Why this server cannot run here, for the reason of a skipped test; undefined when it can. */
export function serverObstacle({
  kind,
  auth = 'key',
}: Pick<ServerRequest, 'kind' | 'auth'>): string | undefined {
  if (kind === 'openssh' && auth === 'key') return undefined;
  if (kind === 'openssh')
    return process.getuid?.() === 0 ? undefined : 'an account with a password needs root';
  return privateRootObstacle();
}

/**
 * Starts a server of a kind and resolves when it listens. Its account is made for it, except with `openssh` and a key, where it is
 * the one that runs the lab. Rejects for a combination that the server does not know. Whoever starts it stops it.
 */
export async function startServer(request: ServerRequest): Promise<StartedServer> {
  const { kind, auth = 'key', config = [] } = request;
  const pam = policies[auth];
  const isPlain = auth === 'key' || auth === 'password';
  switch (kind) {
    case 'openssh':
      if (!isPlain) throw new Error(`${auth} needs the kind openssh10.`);
      return withoutCode(
        await startSshd({ config, ...(auth === 'key' ? {} : { account: { hasPassword: true } }) }),
      );
    case 'openssh10':
      return startNewest(
        { config, pam, needsCode: auth.endsWith('code'), isKeyFirst: auth === 'key-then-code' },
        auth,
      );
    case 'dropbear':
      if (!isPlain) throw new Error(`dropbear has no ${auth} here.`);
      return withoutCode(await startDropbear({ config, hasPassword: auth === 'password' }));
    case 'tinysshd':
      if (auth !== 'key') throw new Error('tinysshd knows keys only.');
      return withoutCode(await startTinysshd({ config }));
  }
}

interface NewestRequest {
  readonly config: readonly string[];
  readonly pam: PamPolicy | undefined;
  readonly needsCode: boolean;
  readonly isKeyFirst: boolean;
}

async function startNewest(request: NewestRequest, auth: ServerAuth): Promise<StartedServer> {
  const { config, pam, needsCode, isKeyFirst } = request;
  const options: SshdOptions = {
    build: 'newest',
    config,
    account: { hasPassword: auth !== 'key' && !isKeyFirst },
    ...(pam === undefined ? {} : { pam }),
    ...(isKeyFirst ? { authenticationMethods: 'publickey,keyboard-interactive' } : {}),
  };
  const server = await startSshd(options);
  if (!needsCode) return withoutCode(server);
  try {
    const secret = newCodeSecret();
    await enrol(server, secret);
    return Object.assign(server, { code: () => oneTimeCode(secret, Date.now()) });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Codes of some minutes ago count too, so that a slow machine cannot make one too old. Source: google-authenticator(1). */
async function enrol({ account }: Sshd, secret: string): Promise<void> {
  const file = path.join(account.home, '.google_authenticator');
  await fs.writeFile(file, [secret, '" WINDOW_SIZE 17', '" TOTP_AUTH', ''].join('\n'), { mode: 0o400 });
  await fs.chown(file, account.uid, account.gid);
}

function withoutCode(server: LabServer): StartedServer {
  return Object.assign(server, {
    code: (): string => {
      throw new Error('This server asks for no code.');
    },
  });
}
