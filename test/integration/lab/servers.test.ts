import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { LabServer } from '../../lab/labServer.ts';
import { newestProgram } from '../../lab/newestProgram.ts';
import { isAlive, processesOfUser } from '../../lab/processes.ts';
import { privateRootObstacle } from '../../lab/privateRoot.ts';
import { mustRun, run } from '../../lab/run.ts';
import {
  serverObstacle,
  startServer,
  type ServerAuth,
  type ServerKind,
  type StartedServer,
} from '../../lab/startServer.ts';
import { skipBecause } from '../../skip.ts';

describe('lab servers of every make', function () {
  this.timeout(120_000);

  for (const kind of ['openssh', 'openssh10', 'dropbear', 'tinysshd'] satisfies ServerKind[])
    describe(kind, () => {
      let server: LabServer;
      const obstacle = serverObstacle({ kind });
      before(async function () {
        if (obstacle !== undefined) skipBecause(this, obstacle);
        server = await startServer({ kind });
      });
      after(async () => {
        if (obstacle === undefined) await server.stop();
      });

      it('logs in by key and tells the exit status', async () => {
        const { status, stdout } = await run('ssh', server.sshArguments('id -un; exit 7'));
        assert.deepEqual({ status, stdout }, { status: 7, stdout: `${server.account.name}\n` });
      });

      it('lets a key in only after it was authorised', async () => {
        const key = await server.newKey();
        const withKey = { IdentityFile: key.privateFile };
        assert.equal((await run('ssh', server.sshArguments('true', withKey))).status, 255);
        await server.authorize(key);
        assert.equal((await run('ssh', server.sshArguments('true', withKey))).status, 0);
      });

      it('speaks SFTP', async () => {
        const args = server.sshArguments().slice(0, -3);
        const target = ['-P', String(server.port), `${server.account.name}@${server.host}`];
        const { stdout } = await run('sftp', [...args, '-b', '-', ...target], { input: 'pwd\n' });
        assert.match(stdout, new RegExp(`Remote working directory: ${server.account.home}`));
      });

      it('drops its connections and takes new ones', async () => {
        const client = spawn('ssh', server.sshArguments('echo up; exec sleep 100'), { stdio: 'pipe' });
        const gone = once(client, 'exit');
        await once(client.stdout, 'data');
        server.dropConnections();
        assert.equal((await gone)[0], 255);
        assert.equal((await run('ssh', server.sshArguments('true'))).status, 0);
      });
    });

  it('a server leaves neither processes nor folders behind', async function () {
    const obstacle = privateRootObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    for (const kind of ['openssh10', 'dropbear', 'tinysshd'] satisfies ServerKind[]) {
      const server = await startServer({ kind });
      await mustRun('ssh', server.sshArguments('setsid sleep 100 >/dev/null 2>&1 </dev/null &'));
      const left = processesOfUser(server.account.uid);
      await server.stop();
      assert.deepEqual(left.filter(isAlive), []);
      assert.equal(existsSync(server.folder), false);
      assert.equal(existsSync(server.account.home), false);
      assert.equal(readFileSync('/etc/passwd', 'utf8').includes(server.account.name), false);
    }
  });

  it('dropbear takes the password of its account', async function () {
    const obstacle = serverObstacle({ kind: 'dropbear', auth: 'password' });
    if (obstacle !== undefined) skipBecause(this, obstacle);
    const server = await startServer({ kind: 'dropbear', auth: 'password' });
    try {
      const asked = await logIn(server, { PubkeyAuthentication: 'no' }, { assword: server.account.password });
      assert.equal(asked.status, 0);
    } finally {
      await server.stop();
    }
  });

  it('runs the client of OpenSSH 10 as an oracle', async function () {
    const obstacle = privateRootObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    const { program, args } = await newestProgram(['/usr/bin/ssh', '-G', '-F', 'none', 'name.example.com']);
    assert.match(await mustRun(program, args), /^kexalgorithms mlkem768x25519-sha256,/m);
  });
});

describe('lab server that asks PAM', function () {
  this.timeout(120_000);
  let server: StartedServer | undefined;
  before(function () {
    const obstacle = privateRootObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });
  const started = async (auth: ServerAuth): Promise<StartedServer> =>
    (server = await startServer({ kind: 'openssh10', auth }));
  const interactive = { PubkeyAuthentication: 'no', PreferredAuthentications: 'keyboard-interactive' };

  it('takes a password and refuses another', async () => {
    const { account } = await started('pam-password');
    const right = await logIn(server, interactive, { 'Password:': account.password });
    assert.deepEqual([right.status, right.questions], [0, ['Password:']]);
    const wrong = await logIn(
      server,
      { ...interactive, NumberOfPasswordPrompts: '1' },
      { 'Password:': 'other' },
    );
    assert.equal(wrong.status, 255);
  });

  it('asks for a new password when the old one has expired, once', async () => {
    const { account } = await started('pam-expired');
    const chosen = 'Kq8-long-enough-1';
    const answers = { 'New password:': chosen, 'Retype new password:': chosen };
    const first = await logIn(server, interactive, {
      'Password:': account.password,
      'Current password:': account.password,
      ...answers,
    });
    assert.deepEqual(
      [first.status, first.questions],
      [0, ['Password:', 'Current password:', 'New password:', 'Retype new password:']],
    );
    const second = await logIn(server, interactive, { 'Password:': chosen });
    assert.deepEqual([second.status, second.questions], [0, ['Password:']]);
  });

  it('asks for the code of an authenticator behind the password', async () => {
    const { account, code } = await started('pam-code');
    const answers = { 'Password:': account.password, 'Verification code:': code() };
    const right = await logIn(server, interactive, answers);
    assert.deepEqual([right.status, right.questions], [0, ['Password:', 'Verification code:']]);
    const once = { ...interactive, NumberOfPasswordPrompts: '1' };
    const wrong = await logIn(server, once, { ...answers, 'Verification code:': '000000' });
    assert.equal(wrong.status, 255);
  });

  it('asks for the code alone behind a key', async () => {
    const { code } = await started('key-then-code');
    const right = await logIn(server, {}, { 'Verification code:': code() });
    assert.deepEqual([right.status, right.questions], [0, ['Verification code:']]);
  });
});

/** Logs in with `ssh`; each question that ends like a name in `answers` gets that answer. */
async function logIn(
  server: LabServer | undefined,
  options: Readonly<Record<string, string>>,
  answers: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly status: number | undefined; readonly questions: readonly string[] }> {
  assert.ok(server !== undefined);
  const asked = path.join(server.folder, 'asked');
  const program = path.join(server.folder, 'askpass');
  const cases = Object.entries(answers).map(([end, answer]) => `*'${end}'*) echo '${answer ?? ''}' ;;`);
  writeFileSync(program, `#!/bin/sh\necho "$1" >> '${asked}'\ncase "$1" in ${cases.join(' ')} esac\n`);
  chmodSync(program, 0o700);
  writeFileSync(asked, '');
  const env = { ...process.env, SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force' };
  const { status } = await run('ssh', server.sshArguments('true', { BatchMode: 'no', ...options }), { env });
  const questions = [...readFileSync(asked, 'utf8').matchAll(/([A-Z][A-Za-z ]*:)\s*$/gm)].map(
    ([, text]) => text,
  );
  return { status, questions: questions.filter((text) => text !== undefined) };
}
