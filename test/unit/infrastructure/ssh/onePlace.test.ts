import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';

const root = path.join(import.meta.dirname, '../../../..');

function sources(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name));
}

describe('the SSH library', () => {
  it('has one place where a client is made', () => {
    // agentkit knows no SSH; its providers have clients of their own
    const makers = sources(path.join(root, 'src'))
      .filter((file) => !file.includes(`${path.sep}agentkit${path.sep}`))
      .flatMap((file) =>
        [...fs.readFileSync(file, 'utf8').matchAll(/\bnew (?:\w+\.)?Client\(/g)].map(() =>
          path.relative(root, file),
        ),
      );
    assert.deepEqual(makers, [path.join('src', 'infrastructure', 'ssh', 'connectAttempt.ts')]);
  });

  it('is not loaded by whoever loads our code, only by the first attempt', () => {
    const modules = ['sshTransport', 'connectAttempt', 'sshConnection', 'ssh2Library'].map((name) =>
      path.join(root, 'src/infrastructure/ssh', `${name}.ts`),
    );
    const script = `
      import { createRequire } from 'node:module';
      for (const file of ${JSON.stringify(modules)}) await import(file);
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((name) => /node_modules.ssh2/.test(name));
      const before = loaded();
      const { loadSsh2 } = await import(${JSON.stringify(modules.at(-1))});
      await loadSsh2();
      console.log(JSON.stringify([before, loaded()]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(output), [false, true]);
  });

  it('captures the fallback for missing Diffie-Hellman groups, which is gone again afterwards', () => {
    const script = `
      import crypto from 'node:crypto';
      const electron = (name) => { throw new Error('Unknown DH group ' + name); };
      crypto.createDiffieHellmanGroup = electron;
      const { loadSsh2 } = await import(${JSON.stringify(path.join(root, 'src/infrastructure/ssh/ssh2Library.ts'))});
      const captured = [];
      const real = crypto.createDiffieHellman;
      crypto.createDiffieHellman = (...given) => { captured.push(given[0].length * 8); return real(...given); };
      const ssh2 = await loadSsh2();
      const isBack = crypto.createDiffieHellmanGroup === electron;
      const key = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'sec1' });
      const server = new ssh2.Server({ hostKeys: [key] }, (c) => { c.on('error', () => {}); c.on('authentication', (x) => x.accept()); });
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
      const client = new ssh2.Client();
      const outcome = await new Promise((done) => client.on('ready', () => done('ready')).on('error', (e) => done(e.message))
        .connect({ host: '127.0.0.1', port: server.address().port, username: 'op', algorithms: { kex: ['diffie-hellman-group14-sha256'] }, hostVerifier: () => true }));
      client.end();
      server.close();
      console.log(JSON.stringify([outcome, isBack, captured]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(output), ['ready', true, [2048, 2048]]);
  });
});
