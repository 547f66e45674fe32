import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { chooseAlgorithms, type AlgorithmChoice } from '../../../src/domain/ssh/algorithmChoice.ts';
import { legacyAlgorithms } from '../../../src/domain/ssh/legacyAlgorithms.ts';
import type { TraceFact } from '../../../src/domain/ssh/trace.ts';
import { privateRootObstacle } from '../../lab/privateRoot.ts';
import { startSshd, type Sshd, type SshdOptions } from '../../lab/sshd.ts';
import { startServer } from '../../lab/startServer.ts';
import { skipBecause } from '../../skip.ts';
import { SshBench, targetOf } from './sshBench.ts';

const choice = (
  options: Readonly<Record<string, string>>,
  more: { readonly legacy?: readonly string[]; readonly wantsCompression?: boolean } = {},
): AlgorithmChoice =>
  chooseAlgorithms({
    written: (keyword) => options[keyword],
    wantsCompression: more.wantsCompression ?? false,
    legacy: more.legacy ?? [],
  });

describe('algorithms of a connection', function () {
  this.timeout(60_000);
  let bench: SshBench;
  let server: Sshd | undefined;
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(async () => {
    await bench.dispose();
    await server?.stop();
    server = undefined;
  });
  const start = async (config: readonly string[], options: SshdOptions = {}): Promise<Sshd> =>
    (server = await startSshd({ config, ...options }));
  const noted = <K extends TraceFact['k']>(k: K): Extract<TraceFact, { k: K }>[] =>
    bench.trace.events
      .map(({ fact }) => fact)
      .filter((fact): fact is Extract<TraceFact, { k: K }> => fact.k === k);

  it('are told with the connection, and both lists and the result are in the trace', async () => {
    const target = targetOf(
      await start(['KexAlgorithms ecdh-sha2-nistp384', 'Ciphers aes192-ctr', 'MACs hmac-sha2-512']),
    );
    const { facts } = await bench.open(target);
    const agreed = {
      kex: 'ecdh-sha2-nistp384',
      hostKey: 'ssh-ed25519',
      cipher: 'aes192-ctr',
      mac: 'hmac-sha2-512',
      compression: 'none',
    };
    assert.deepEqual(facts.algorithms, agreed);
    assert.deepEqual(noted('agreed'), [{ k: 'agreed', algorithms: agreed }]);
    const [ours, theirs] = noted('offered');
    assert.deepEqual([ours?.side, theirs?.side], ['ours', 'theirs']);
    assert.deepEqual(ours?.lists.kex[0], 'mlkem768x25519-sha256');
    assert.deepEqual(theirs?.lists, {
      kex: ['ecdh-sha2-nistp384', 'kex-strict-s-v00@openssh.com'],
      hostKey: ['ssh-ed25519'],
      cipher: ['aes192-ctr'],
      mac: ['hmac-sha2-512'],
      compression: ['none', 'zlib@openssh.com'],
    });
  });

  it('are those that the configuration names, and what it names in vain is in the trace', async () => {
    const algorithms = choice({
      ciphers: 'aes256-ctr',
      macs: '^hmac-sha1,umac-64@openssh.com',
      kexalgorithms: '-mlkem*,curve*',
    });
    const { facts } = await bench.open(targetOf(await start([]), { algorithms }));
    assert.deepEqual(
      [facts.algorithms.kex, facts.algorithms.cipher, facts.algorithms.mac],
      ['ecdh-sha2-nistp256', 'aes256-ctr', 'hmac-sha1'],
    );
    assert.deepEqual(noted('leftOut'), [{ k: 'leftOut', keyword: 'macs', names: ['umac-64@openssh.com'] }]);
  });

  it('compress only when it was asked for', async () => {
    const target = targetOf(await start([]));
    assert.equal((await bench.open(target)).facts.algorithms.compression, 'none');
    const asked = { ...target, algorithms: choice({}, { wantsCompression: true }) };
    assert.equal((await bench.open(asked)).facts.algorithms.compression, 'zlib@openssh.com');
  });

  it('that leave nothing are a fault of the configuration, before anything is sent', async () => {
    const started = await start([]);
    const target = targetOf(started, {
      algorithms: choice({ kexalgorithms: 'sntrup761x25519-sha512' }),
      origins: { kexalgorithms: '~/.ssh/config:7' },
    });
    const fault = await bench.fault(target);
    assert.deepEqual(
      [fault.code, fault.facts['reason']],
      ['config-error', 'KexAlgorithms leaves nothing that can be done here (~/.ssh/config:7)'],
    );
    assert.equal(started.log().includes('Connection from'), false);
  });

  it('keep the order of a written list of host keys, whatever is known of the host', async () => {
    const target = targetOf(await start([], { hostKeys: ['ed25519', 'rsa'] }), {
      algorithms: choice({ hostkeyalgorithms: 'rsa-sha2-256,ssh-ed25519' }),
    });
    assert.equal((await bench.open(target)).facts.algorithms.hostKey, 'rsa-sha2-256');
  });

  describe('of an old server', () => {
    const old = [
      'KexAlgorithms diffie-hellman-group1-sha1,diffie-hellman-group14-sha1',
      'HostKeyAlgorithms ssh-rsa',
      'Ciphers aes128-cbc,3des-cbc',
      'MACs hmac-md5',
    ];

    it('are refused, and the fault names both lists and exactly the legacy ones that would be enough', async () => {
      const target = targetOf(await start(old, { hostKeys: ['rsa'] }));
      const fault = await bench.fault(target);
      assert.deepEqual(
        [fault.code, fault.retry, fault.facts['category'], fault.facts['theirs'], fault.facts['legacy']],
        [
          'no-common-algorithm',
          'user',
          'key exchange',
          'diffie-hellman-group1-sha1, diffie-hellman-group14-sha1, kex-strict-s-v00@openssh.com',
          'diffie-hellman-group14-sha1, ssh-rsa, aes128-cbc, hmac-md5',
        ],
      );
      assert.match(fault.facts['ours'] ?? '', /^mlkem768x25519-sha256, curve25519-sha256, /);
    });

    it('connect once exactly these are switched on', async () => {
      const target = targetOf(await start(old, { hostKeys: ['rsa'] }));
      const { facts } = await bench.fault(target);
      const algorithms = choice({}, { legacy: facts['legacy']?.split(', ') ?? [] });
      assert.deepEqual((await bench.open({ ...target, algorithms })).facts.algorithms, {
        kex: 'diffie-hellman-group14-sha1',
        hostKey: 'ssh-rsa',
        cipher: 'aes128-cbc',
        mac: 'hmac-md5',
        compression: 'none',
      });
    });

    it('name no legacy ones when none would be enough', async () => {
      const target = targetOf(await start(['MACs umac-64@openssh.com', 'Ciphers aes128-ctr']));
      const fault = await bench.fault(target);
      assert.deepEqual(
        [fault.code, fault.facts['category'], fault.facts['theirs'], fault.facts['legacy']],
        ['no-common-algorithm', 'MAC', 'umac-64@openssh.com', undefined],
      );
    });
  });

  const each: Readonly<Record<string, readonly string[]>> = {
    KexAlgorithms: legacyAlgorithms.filter((name) => name.startsWith('diffie')),
    Ciphers: legacyAlgorithms.filter((name) => name.endsWith('cbc')),
    MACs: ['hmac-sha1-96', 'hmac-md5', 'hmac-md5-96'],
  };
  for (const [option, names] of Object.entries(each))
    for (const name of names)
      it(`legacy ${name} works against sshd when it is switched on`, async () => {
        const more = option === 'MACs' ? ['Ciphers aes128-ctr'] : [];
        const target = targetOf(await start([`${option} ${name}`, ...more]), {
          algorithms: choice({}, { legacy: [name] }),
        });
        const { kex, cipher, mac } = (await bench.open(target)).facts.algorithms;
        assert.ok([kex, cipher, mac].includes(name), `${kex} ${cipher} ${mac}`);
      });

  it('are post-quantum with OpenSSH 10 without anything being asked for', async function () {
    const obstacle = privateRootObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    server = await startSshd({ build: 'newest', account: {} });
    const { facts } = await bench.open(targetOf(server));
    assert.deepEqual(facts.algorithms, {
      kex: 'mlkem768x25519-sha256',
      hostKey: 'ssh-ed25519',
      cipher: 'aes128-gcm@openssh.com',
      mac: '',
      compression: 'none',
    });
  });

  for (const [kind, kex, cipher] of [
    ['dropbear', 'mlkem768x25519-sha256', 'chacha20-poly1305@openssh.com'],
    ['tinysshd', 'curve25519-sha256', 'chacha20-poly1305@openssh.com'],
  ] as const)
    it(`are found with ${kind}`, async function () {
      const obstacle = privateRootObstacle();
      if (obstacle !== undefined) skipBecause(this, obstacle);
      const other = await startServer({ kind });
      try {
        const { facts } = await bench.open(targetOf(other));
        assert.deepEqual([facts.algorithms.kex, facts.algorithms.cipher], [kex, cipher]);
      } finally {
        await other.stop();
      }
    });
});
