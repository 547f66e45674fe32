import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { LabServer } from '../../lab/labServer.ts';
import { privateRootObstacle } from '../../lab/privateRoot.ts';
import { mustRun } from '../../lab/run.ts';
import { startSshd } from '../../lab/sshd.ts';
import { startServer } from '../../lab/startServer.ts';
import { skipBecause } from '../../skip.ts';
import type { ConnectOnce } from './connectOnce.ts';

interface Outcome {
  readonly algorithms?: Readonly<Record<string, string>>;
  readonly code?: string;
  readonly facts?: Readonly<Record<string, string>>;
}

describe('a run time with the crypto of Electron', function () {
  this.timeout(60_000);
  let server: LabServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  const here = import.meta.dirname;
  async function connect(to: LabServer, legacy: readonly string[] = []): Promise<Outcome> {
    const { host, port, account, key } = to;
    const question: ConnectOnce = { server: { host, port, account, key }, legacy };
    const printed = await mustRun(process.execPath, [
      ...['--import', path.join(here, '../../support/electronCrypto.ts')],
      path.join(here, 'connectOnce.ts'),
      JSON.stringify(question),
    ]);
    return JSON.parse(printed) as Outcome;
  }

  it('connects to an ordinary server', async () => {
    server = await startSshd();
    assert.equal((await connect(server)).algorithms?.['cipher'], 'aes128-gcm@openssh.com');
  });

  it('has ML-KEM', async function () {
    const obstacle = privateRootObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    server = await startServer({ kind: 'openssh10' });
    assert.equal((await connect(server)).algorithms?.['kex'], 'mlkem768x25519-sha256');
  });

  it('says what is missing to a server that has only chacha20', async () => {
    server = await startSshd({ config: ['Ciphers chacha20-poly1305@openssh.com'] });
    const { code, facts } = await connect(server);
    assert.deepEqual(
      [code, facts?.['category'], facts?.['theirs'], facts?.['legacy']],
      ['no-common-algorithm', 'cipher', 'chacha20-poly1305@openssh.com', undefined],
    );
    assert.equal(facts?.['ours']?.includes('chacha20'), false);
  });

  it('has the small group that it lacks, for a host that was allowed to use it', async () => {
    server = await startSshd({ config: ['KexAlgorithms diffie-hellman-group1-sha1'] });
    assert.equal((await connect(server)).facts?.['legacy'], 'diffie-hellman-group1-sha1');
    const { algorithms } = await connect(server, ['diffie-hellman-group1-sha1']);
    assert.equal(algorithms?.['kex'], 'diffie-hellman-group1-sha1');
  });

  for (const kex of ['diffie-hellman-group14-sha256', 'diffie-hellman-group18-sha512', 'ecdh-sha2-nistp521'])
    it(`has ${kex}`, async () => {
      server = await startSshd({ config: [`KexAlgorithms ${kex}`] });
      assert.equal((await connect(server)).algorithms?.['kex'], kex);
    });
});
