import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { HostTrust } from '../../../src/application/trust/hostTrust.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { never, SshBench, startServer, targetOf } from './sshBench.ts';

describe('KH-10: a host whose key has changed', () => {
  let server: Sshd;
  let bench: SshBench;
  let target: Target;
  let trust: HostTrust;
  const clock = new FakeClock();
  let oldKey: { readonly publicLine: string; readonly fingerprint: string };
  before(async () => {
    server = await startServer({ hostKeys: ['ed25519'] });
    oldKey = await server.newKey();
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
    target = targetOf(server, { label: 'db1' });
    trust = new HostTrust({
      store: bench.knownHosts,
      changed: bench.changedKeys,
      directory: { target: async () => target },
      clock,
    });
  });
  afterEach(() => bench.dispose());

  const keep = async (key: { readonly publicLine: string }, change: { readonly port?: number } = {}) => {
    const [keyType = '', keyBase64 = ''] = key.publicLine.split(' ');
    const row = { name: target.trustName, port: target.port, ...change, keyType, keyBase64 };
    await bench.knownHosts.add({ ...row, origin: 'asked', addedAt: 1 });
  };
  const changedKey = async () => {
    const fault = await bench.fault(target);
    assert.equal(fault.code, 'key-changed');
    const changed = await trust.changedKey(target.hostId, never);
    assert.ok(changed);
    return changed;
  };
  const newName = (): string => `ssh-ed25519 ${server.hostKeys[0]?.fingerprint ?? ''}`;

  it('is refused until its name is typed, and then accepted; the old key is in an audit line', async () => {
    await keep(oldKey);
    const changed = await changedKey();
    for (const typedName of ['', 'db', 'DB1'])
      assert.equal(await trust.replace(changed, { typedName, reason: 'x' }), 'name');
    assert.equal((await bench.fault(target)).code, 'key-changed');
    const again = await trust.changedKey(target.hostId, never);
    assert.ok(again);
    assert.equal(await trust.replace(again, { typedName: 'db1', reason: '' }), 'done');
    await bench.open(target);
    assert.deepEqual(bench.person.hostKeys, []);
    assert.deepEqual(
      bench.knownHosts.list.map(({ keyType, keyBase64, origin }) => [`${keyType} ${keyBase64}`, origin]),
      [[server.hostKeys[0]?.publicLine, 'replaced']],
    );
    const place = { name: target.trustName, port: target.port };
    assert.deepEqual(bench.knownHosts.lines, [
      {
        at: clock.now(),
        ...place,
        oldKey: `ssh-ed25519 ${oldKey.fingerprint}`,
        newKey: newName(),
        actor: 'person',
      },
    ]);
    assert.equal(await trust.changedKey(target.hostId, never), undefined);
  });

  it('of production needs a reason, which is kept', async () => {
    await keep(oldKey);
    target = { ...target, tier: 'prod' };
    const changed = await changedKey();
    assert.equal(await trust.replace(changed, { typedName: 'db1', reason: ' ' }), 'reason');
    assert.equal(await trust.replace(changed, { typedName: 'db1', reason: ' new disk ' }), 'done');
    assert.equal(bench.knownHosts.lines[0]?.reason, 'new disk');
    await bench.open(target);
  });

  it('whose key stands in a file of the person is accepted by the store; the file keeps its bytes', async () => {
    const file = path.join(server.folder, 'known');
    const text = `# mine\n[${target.trustName}]:${String(target.port)} ${oldKey.publicLine}\n`;
    await fs.writeFile(file, text);
    target = { ...target, userKnownHostsFiles: [file] };
    const changed = await changedKey();
    assert.deepEqual(
      changed.known.map(({ source, line }) => [source, line]),
      [[file, 2]],
    );
    assert.equal(await trust.replace(changed, { typedName: 'db1', reason: '' }), 'done');
    await bench.open(target);
    assert.equal(await fs.readFile(file, 'utf8'), text);
    assert.equal(bench.knownHosts.lines[0]?.oldKey, `ssh-ed25519 ${oldKey.fingerprint}`);
  });

  it('is not replaced by a key that was shown before another attempt', async () => {
    await keep(oldKey);
    const first = await changedKey();
    await bench.fault(target);
    assert.equal(await trust.replace(first, { typedName: 'db1', reason: '' }), 'not-current');
    assert.deepEqual(bench.knownHosts.lines, []);
  });

  it('behind a jump host: the key of that host is what is replaced', async () => {
    await keep(oldKey);
    await changedKey();
    const jump = target;
    target = {
      ...targetOf(server, { label: 'behind', trustName: 'behind' }),
      route: { k: 'jump', via: jump },
    };
    assert.equal((await trust.changedKey(target.hostId, never))?.label, 'db1');
  });

  it('at a secondary address changes nothing: it is another machine', async () => {
    await keep(oldKey);
    await bench.fault({ ...target, addresses: ['127.0.0.9', server.host] });
    assert.equal(await trust.changedKey(target.hostId, never), undefined);
  });

  it('can be forgotten, with a line for each key', async () => {
    await keep(oldKey);
    await keep(oldKey, { port: 22 });
    await keep(oldKey, { port: 2_200 });
    target = { ...target, tier: 'prod' };
    const kept = await trust.keptKeys(target.hostId, never);
    assert.equal(await trust.forget(kept, { typedName: 'db1', reason: '' }), 'reason');
    assert.equal(await trust.forget(kept, { typedName: 'db1', reason: 'gone' }), 'done');
    assert.deepEqual(
      [bench.knownHosts.list.map(({ port }) => port), bench.knownHosts.lines.map(({ port }) => port)],
      [[2_200], [22, target.port]],
    );
  });
});

describe('a key that the store has accepted', () => {
  it('says when it was shown last', async () => {
    const server = await startServer();
    const bench = new SshBench();
    try {
      bench.person.answerHostKey = () => 'remember';
      await bench.open(targetOf(server));
      assert.equal(bench.knownHosts.list[0]?.lastUsedAt, undefined);
      await bench.open(targetOf(server));
      assert.equal(typeof (await bench.knownHosts.rows())[0]?.lastUsedAt, 'number');
    } finally {
      await bench.dispose();
      await server.stop();
    }
  });
});
