import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { ProgramConsents } from '../../../src/application/vault/programConsents.ts';
import { lastWordsOfDebug, sightingOfDebug, sightingOfTrace } from '../../../src/domain/ssh/sighting.ts';
import { OpenSshConfig } from '../../../src/infrastructure/config/openSshConfig.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { silentLog } from '../../support/silentLog.ts';
import { never, SshBench, startServer, targetOf } from '../ssh/sshBench.ts';

describe('what ssh -vvv says of a host', () => {
  let server: Sshd;
  let home: string;
  let config: OpenSshConfig;
  let isTrusted: boolean;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    isTrusted = true;
    home = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-debug-'));
    const known = path.join(home, 'known_hosts');
    const names = [`[${server.host}]:${String(server.port)}`];
    await fs.writeFile(
      known,
      names.map((name) => `${name} ${server.hostKeys[0]?.publicLine.trim() ?? ''}\n`).join(''),
    );
    const all = [
      `  HostName ${server.host}`,
      `  Port ${String(server.port)}`,
      `  User ${server.account.name}`,
      `  IdentityFile ${server.key.privateFile}`,
      '  IdentitiesOnly yes',
      `  UserKnownHostsFile ${known}`,
      '  GlobalKnownHostsFile none',
      `  HostKeyAlgorithms ${server.hostKeys[0]?.publicLine.split(' ')[0] ?? ''}`,
    ];
    const hosts = ['Host behind', '  ProxyJump gate', 'Host nobody', '  User nobody-here', 'Host *', ...all];
    await fs.writeFile(path.join(home, 'config'), hosts.join('\n'));
    config = new OpenSshConfig({
      configFile: () => path.join(home, 'config'),
      sshProgram: () => undefined,
      mayRunPrograms: () => isTrusted,
      consents: new ProgramConsents({
        store: { get: () => undefined, list: () => [], put: async () => {}, remove: async () => {} },
        prompt: { ask: async () => 'deny' },
        mayRunPrograms: () => isTrusted,
        clock: systemClock,
      }),
      clock: systemClock,
      log: silentLog,
      home,
      systemFile: path.join(home, 'none'),
    });
  });
  afterEach(async () => {
    config.dispose();
    await fs.rm(home, { recursive: true });
  });

  const debugText = async (alias: string): Promise<string> => {
    const debug = await config.debug({ alias }, never);
    assert.ok(debug.k === 'ran', JSON.stringify(debug));
    return debug.text;
  };

  it('the same server, key and sign-in as Termind saw', async () => {
    const bench = new SshBench();
    await bench.open(targetOf(server));
    const own = sightingOfTrace(bench.trace.events);
    await bench.dispose();
    const ssh = sightingOfDebug(await debugText('web'));
    const { address, software, hostKey, offeredKeys, signedInBy, knownAt } = ssh;
    assert.deepEqual(
      { address, software, hostKey, offeredKeys, signedInBy },
      {
        address: own.address,
        software: own.software,
        hostKey: own.hostKey,
        offeredKeys: own.offeredKeys,
        signedInBy: 'publickey',
      },
    );
    assert.equal(knownAt, `${path.join(home, 'known_hosts')}:1`);
    assert.ok(ssh.kex !== undefined && ssh.cipher !== undefined && ssh.hostKeyAlgorithm !== undefined);
  });

  it('behind a jump host goes on to the target', async () => {
    const text = await debugText('behind');
    assert.match(text, /Authenticated to .*\(via proxy\) using "publickey"/);
  });

  it('a sign-in that is refused ends with its own words', async () => {
    const text = await debugText('nobody');
    assert.equal(sightingOfDebug(text).signedInBy, undefined);
    assert.match(lastWordsOfDebug(text), /^nobody-here@.*Permission denied/);
  });

  it('is not asked for where a folder is not trusted, or programs are not allowed', async () => {
    isTrusted = false;
    assert.deepEqual(await config.debug({ alias: 'web' }, never), { k: 'notRun', why: 'untrusted' });
    isTrusted = true;
    await fs.appendFile(path.join(home, 'config'), '\nMatch exec "touch ran"\n  Compression no\n');
    assert.deepEqual(await config.debug({ alias: 'web' }, never), { k: 'notRun', why: 'programs' });
  });

  it('is never started with a name that could be an option', async () => {
    await assert.rejects(config.debug({ alias: '-oProxyCommand=touch x' }, never), /could be an option/);
  });

  it('an abort ends it', async () => {
    await assert.rejects(config.debug({ alias: 'web' }, AbortSignal.abort(new Error('enough'))), /enough/);
  });
});
