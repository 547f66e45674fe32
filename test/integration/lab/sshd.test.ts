import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { after, before, describe, it } from 'mocha';
import { canCreateAccounts } from '../../lab/account.ts';
import { answeringEnvironment } from '../../lab/askPass.ts';
import { isAlive } from '../../lab/processes.ts';
import { run } from '../../lab/run.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';

/** Runs `ssh` against `server`; `options` replaces client options. */
function ssh(server: Sshd, command: string, options: Record<string, string> = {}) {
  return run('ssh', server.sshArguments(command, { LogLevel: 'ERROR', ...options }));
}

describe('lab sshd', function () {
  this.timeout(120_000);

  describe('with the own account', () => {
    let server: Sshd;
    before(async () => {
      server = await startSshd({
        hostKeys: ['ed25519', 'ecdsa', 'rsa'],
        environment: { TIER: 'lab one' },
        maxAuthTries: 2,
        maxSessions: 1,
      });
    });
    after(() => server.stop());

    it('the OpenSSH client logs in by key and gets exit status and environment', async () => {
      assert.deepEqual(await ssh(server, 'id -un; echo "$TIER"; exit 7'), {
        status: 7,
        stdout: `${server.account.name}\nlab one\n`,
        stderr: '',
      });
      await server.waitForLog(new RegExp(`Accepted publickey for ${server.account.name}`));
    });

    for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
      it(`the ${type} host key is the one the lab announces`, async () => {
        const algorithm = { ed25519: 'ssh-ed25519', ecdsa: 'ecdsa-sha2-nistp256', rsa: 'rsa-sha2-512' }[type];
        assert.equal((await ssh(server, 'true', { HostKeyAlgorithms: algorithm })).status, 0);
      });

      it(`a new ${type} key opens the account only after it was authorised`, async () => {
        const key = await server.newKey({ type });
        const withKey = { IdentityFile: key.privateFile };
        assert.equal((await ssh(server, 'true', withKey)).status, 255);
        await server.authorize(key, 'command="echo forced"');
        assert.equal((await ssh(server, 'true', withKey)).stdout, 'forced\n');
      });
    }

    it('a key with a passphrase works when the question is answered', async () => {
      const key = await server.newKey({ passphrase: 'correct horse' });
      await server.authorize(key);
      const args = server.sshArguments('echo in', { IdentityFile: key.privateFile, BatchMode: 'no' });
      const env = answeringEnvironment(server.folder, 'correct horse');
      assert.equal((await run('ssh', args, { env })).stdout, 'in\n');
    });

    for (const { name, principals, validity, status } of [
      {
        name: 'a valid certificate opens the account',
        principals: undefined,
        validity: '-1h:+1h',
        status: 0,
      },
      { name: 'an expired certificate does not', principals: undefined, validity: '-2h:-1h', status: 255 },
      {
        name: 'a certificate for somebody else does not',
        principals: ['other'],
        validity: '-1h:+1h',
        status: 255,
      },
    ])
      it(name, async () => {
        const key = await server.newKey();
        await server.certify(key, principals === undefined ? { validity } : { validity, principals });
        assert.equal((await ssh(server, 'true', { IdentityFile: key.privateFile })).status, status);
      });

    it('replaced host keys are refused by a client that knows the old ones, and open connections stay', async () => {
      const open = spawn('ssh', server.sshArguments('echo ready; read line; echo "$line"'));
      await once(open.stdout, 'data');
      const before = server.knownHosts();
      await server.replaceHostKeys();
      assert.notEqual(server.knownHosts(), before);
      const known = `${server.folder}/known_before`;
      fs.writeFileSync(known, before);
      const refused = await ssh(server, 'true', { UserKnownHostsFile: known });
      assert.equal(refused.status, 255);
      assert.match(refused.stderr, /REMOTE HOST IDENTIFICATION HAS CHANGED/);
      assert.equal((await ssh(server, 'echo new')).stdout, 'new\n');
      open.stdin.end('still here\n');
      const [answer] = (await once(open.stdout, 'data')) as [Buffer];
      assert.equal(answer.toString(), 'still here\n');
      await once(open, 'close');
    });

    it('dropped connections end their clients, and new ones are accepted', async () => {
      const open = spawn('ssh', server.sshArguments('echo ready; sleep 600'), {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(open.stdout, 'data');
      server.dropConnections();
      assert.deepEqual(await once(open, 'close'), [255, null]);
      assert.equal((await ssh(server, 'true')).status, 0);
    });
  });

  it('banner and forced command are what the client meets', async () => {
    const server = await startSshd({
      banner: 'Authorised use only.\n',
      forceCommand: 'echo "wanted: $SSH_ORIGINAL_COMMAND"',
    });
    try {
      const { stdout, stderr } = await run('ssh', server.sshArguments('uptime'));
      assert.deepEqual([stdout, stderr], ['wanted: uptime\n', 'Authorised use only.\n']);
    } finally {
      await server.stop();
    }
  });

  it('stop ends the server, its sessions and what they left in the background, and removes the folder', async () => {
    const server = await startSshd();
    const { stdout } = await ssh(server, 'sleep 600 >/dev/null 2>&1 & echo $!');
    const open = spawn('ssh', server.sshArguments('echo ready; sleep 600'), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(open.stdout, 'data');
    const closed = once(open, 'close'); // it may be over before the server has stopped
    await server.stop();
    await closed;
    assert.equal(isAlive(Number(stdout)), false);
    assert.equal(fs.existsSync(server.folder), false);
    await server.stop();
  });

  it('a kept folder brings the same server back', async () => {
    const first = await startSshd();
    const folder = fs.mkdtempSync(`${first.folder}-kept-`);
    try {
      const one = await startSshd({ folder });
      const { port } = one;
      const identity = [one.knownHosts(), one.key.publicLine];
      await one.stop();
      const two = await startSshd({ folder, port });
      assert.deepEqual([two.knownHosts(), two.key.publicLine], identity);
      await assert.rejects(startSshd({ port }), /^Error: Port \d+ on 127\.0\.0\.1 is in use/);
      await two.stop();
    } finally {
      await first.stop();
      fs.rmSync(folder, { recursive: true });
    }
  });

  describe('with accounts of its own', () => {
    before(function () {
      if (!canCreateAccounts()) skipBecause(this, 'only root can create accounts');
    });

    it('a password opens the account, a wrong one does not, and stop removes the account', async () => {
      const server = await startSshd({ account: { hasPassword: true, shell: '/bin/sh' } });
      const { name, home, password } = server.account;
      try {
        assert.ok(password !== undefined);
        const args = server.sshArguments('pwd; echo $0', {
          BatchMode: 'no',
          PreferredAuthentications: 'password',
          NumberOfPasswordPrompts: '1',
        });
        const right = await run('ssh', args, { env: answeringEnvironment(server.folder, password) });
        assert.deepEqual([right.status, right.stdout], [0, `${home}\nsh\n`]);
        const wrong = await run('ssh', args, { env: answeringEnvironment(server.folder, 'wrong') });
        assert.deepEqual([wrong.status, /Permission denied/.test(wrong.stderr)], [255, true]);
        assert.equal((await ssh(server, 'id -un')).stdout, `${name}\n`);
      } finally {
        await server.stop();
      }
      assert.equal((await run('id', [name])).status, 1);
      assert.equal(fs.existsSync(home), false);
    });

    it('key then password are both asked for where the server wants both', async () => {
      const server = await startSshd({
        account: { hasPassword: true },
        authenticationMethods: 'publickey,password',
      });
      try {
        const env = answeringEnvironment(server.folder, server.account.password ?? '');
        const both = await run('ssh', server.sshArguments('echo in', { BatchMode: 'no' }), { env });
        assert.equal(both.stdout, 'in\n');
        assert.match((await ssh(server, 'true')).stderr, /Permission denied/);
        assert.match(server.log(), /Partial publickey for/);
      } finally {
        await server.stop();
      }
    });
  });

  it('a process that is interrupted leaves no server, no session, no folder and no account behind', async () => {
    const main = `
      import { startSshd } from ${JSON.stringify(new URL('../../lab/sshd.ts', import.meta.url).href)};
      import { canCreateAccounts } from ${JSON.stringify(new URL('../../lab/account.ts', import.meta.url).href)};
      const server = await startSshd(canCreateAccounts() ? { account: {} } : {});
      console.log(JSON.stringify([server.folder, server.account.name, server.port, server.account.isDedicated]));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', main], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const [folder, name, port, isDedicated] = JSON.parse(line.toString()) as [
      string,
      string,
      number,
      boolean,
    ];
    assert.equal(fs.existsSync(folder), true);
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'close'), [130, null]);
    assert.equal(fs.existsSync(folder), false);
    if (isDedicated) assert.equal((await run('id', [name])).status, 1);
    const again = await startSshd({ port });
    await again.stop();
  });
});
