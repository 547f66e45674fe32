import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  chooseAlgorithms,
  usableChoice,
  type AlgorithmKeyword,
} from '../../../../src/domain/ssh/algorithmChoice.ts';
import { usualAlgorithms, type CryptoFacts } from '../../../../src/domain/ssh/algorithms.ts';
import {
  legacyAlgorithms,
  legacyConfigLines,
  legacyInForce,
  legacyThatHelps,
  withoutCommon,
} from '../../../../src/domain/ssh/legacyAlgorithms.ts';
import type { AlgorithmLists } from '../../../../src/domain/ssh/trace.ts';

const choice = (
  options: Partial<Record<AlgorithmKeyword, string>>,
  legacy: readonly string[] = [],
  wantsCompression = false,
) => chooseAlgorithms({ written: (keyword) => options[keyword], wantsCompression, legacy });

/** Everything that our rows ask for. */
const node: CryptoFacts = {
  ciphers: [
    ...['aes-128-gcm', 'aes-256-gcm', 'chacha20', 'aes-128-ctr', 'aes-192-ctr', 'aes-256-ctr'],
    ...['aes-256-cbc', 'aes-192-cbc', 'aes-128-cbc', 'des-ede3-cbc'],
  ],
  hashes: ['sha1', 'sha256', 'sha512', 'md5', 'ripemd160'],
  curves: ['prime256v1', 'secp384r1', 'secp521r1'],
  hasEd25519: true,
  hasX25519: true,
  hasGroup: () => true,
};

describe('the algorithms of a connection', () => {
  it('are the lists of the contract when nothing is written', () => {
    const { kex, hostKey, cipher, mac, compression, isHostKeyOrderWritten, leftOut } = choice({});
    assert.deepEqual(
      { kex, hostKey, cipher, mac, compression, isHostKeyOrderWritten, leftOut },
      {
        kex: [
          'mlkem768x25519-sha256',
          'curve25519-sha256',
          'curve25519-sha256@libssh.org',
          'ecdh-sha2-nistp256',
          'ecdh-sha2-nistp384',
          'ecdh-sha2-nistp521',
          'diffie-hellman-group-exchange-sha256',
          'diffie-hellman-group14-sha256',
          'diffie-hellman-group16-sha512',
          'diffie-hellman-group18-sha512',
        ],
        hostKey: [
          'ssh-ed25519',
          'ecdsa-sha2-nistp256',
          'ecdsa-sha2-nistp384',
          'ecdsa-sha2-nistp521',
          'rsa-sha2-512',
          'rsa-sha2-256',
          'ssh-ed25519-cert-v01@openssh.com',
          'ecdsa-sha2-nistp256-cert-v01@openssh.com',
          'ecdsa-sha2-nistp384-cert-v01@openssh.com',
          'ecdsa-sha2-nistp521-cert-v01@openssh.com',
          'rsa-sha2-512-cert-v01@openssh.com',
          'rsa-sha2-256-cert-v01@openssh.com',
        ],
        cipher: [
          'aes128-gcm@openssh.com',
          'aes256-gcm@openssh.com',
          'chacha20-poly1305@openssh.com',
          'aes128-ctr',
          'aes192-ctr',
          'aes256-ctr',
        ],
        mac: [
          'hmac-sha2-256-etm@openssh.com',
          'hmac-sha2-512-etm@openssh.com',
          'hmac-sha1-etm@openssh.com',
          'hmac-sha2-256',
          'hmac-sha2-512',
          'hmac-sha1',
        ],
        compression: ['none'],
        isHostKeyOrderWritten: false,
        leftOut: [],
      },
    );
  });

  const usual = usualAlgorithms('hostKey');
  for (const [written, expected, isWritten] of [
    ['+ssh-rsa', [...usual, 'ssh-rsa'], false],
    ['+ssh-ed25519', usual, false],
    ['-ssh-ed25519', usual.slice(1), false],
    ['-ecdsa-*,*-cert-v01@openssh.com', ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256'], false],
    ['^rsa-sha2-256', ['rsa-sha2-256', ...usual.filter((name) => name !== 'rsa-sha2-256')], true],
    ['rsa-sha2-512,ssh-ed25519', ['rsa-sha2-512', 'ssh-ed25519'], true],
  ] as const)
    it(`CFG-22: HostKeyAlgorithms ${written}`, () => {
      const made = choice({ hostkeyalgorithms: written });
      assert.deepEqual([made.hostKey, made.isHostKeyOrderWritten, made.leftOut], [expected, isWritten, []]);
    });

  it('say which written names we cannot do', () => {
    const made = choice({
      kexalgorithms: 'sntrup761x25519-sha512,curve25519-sha256',
      macs: '^umac-128-etm@openssh.com,hmac-sha2-512',
      ciphers: '-chacha20-poly1305@openssh.com,unknown@example.com',
    });
    assert.deepEqual(made.kex, ['curve25519-sha256']);
    assert.equal(made.mac[0], 'hmac-sha2-512');
    assert.deepEqual(made.leftOut, [
      { keyword: 'kexalgorithms', names: ['sntrup761x25519-sha512'] },
      { keyword: 'macs', names: ['umac-128-etm@openssh.com'] },
    ]);
  });

  it('of an authority never have SHA-1, asked for or not', () => {
    const made = choice({ casignaturealgorithms: '+ssh-rsa' });
    assert.equal(made.authoritySignature.includes('ssh-rsa'), false);
    assert.deepEqual(made.leftOut, [{ keyword: 'casignaturealgorithms', names: ['ssh-rsa'] }]);
  });

  it('of a signature have SHA-1 only when it is asked for', () => {
    assert.equal(choice({}).signature.includes('ssh-rsa'), false);
    assert.equal(choice({ pubkeyacceptedalgorithms: '+ssh-rsa' }).signature.at(-1), 'ssh-rsa');
    assert.equal(choice({}, ['ssh-rsa']).signature.at(-1), 'ssh-rsa');
    assert.deepEqual(choice({ pubkeyacceptedalgorithms: 'ssh-ed25519' }).signature, ['ssh-ed25519']);
  });

  it('have compression only when it is asked for', () => {
    assert.deepEqual(choice({}, [], true).compression, ['zlib@openssh.com', 'none']);
  });

  it('end with exactly the legacy names that were switched on, whatever the configuration says', () => {
    const legacy = ['diffie-hellman-group1-sha1', 'ssh-rsa', 'aes128-cbc'];
    const made = choice({ ciphers: 'aes256-ctr' }, legacy);
    assert.equal(made.kex.at(-1), 'diffie-hellman-group1-sha1');
    assert.equal(made.hostKey.at(-1), 'ssh-rsa');
    assert.deepEqual(made.cipher, ['aes256-ctr', 'aes128-cbc']);
    assert.deepEqual(made.mac, usualAlgorithms('mac'));
  });

  it('take nothing through the legacy switch that is not a legacy name', () => {
    assert.deepEqual(choice({}, ['none', 'arcfour', 'diffie-hellman-group15-sha512']), choice({}));
  });

  it('contain nothing of the legacy list by default', () => {
    const { kex, hostKey, cipher, mac, compression } = choice({});
    for (const name of [kex, hostKey, cipher, mac, compression].flat())
      assert.equal(legacyAlgorithms.includes(name), false, name);
  });

  describe('in a run time', () => {
    it('that can do everything are all offered', () => {
      const { kex, hostKey, cipher, mac, compression } = choice({});
      assert.deepEqual(usableChoice(choice({}), node), {
        lists: { kex, hostKey, cipher, mac, compression },
        missing: [],
      });
    });

    it('like that of Electron leave out what it lacks', () => {
      const { lists } = usableChoice(choice({}), {
        ...node,
        ciphers: node.ciphers.filter((name) => name !== 'chacha20'),
      });
      assert.equal(lists.cipher.includes('chacha20-poly1305@openssh.com'), false);
      assert.equal(lists.kex.includes('mlkem768x25519-sha256'), true);
    });

    it('without groups, curves and old hashes leave those out', () => {
      const { lists, missing } = usableChoice(choice({}), {
        ...node,
        hashes: ['sha256'],
        curves: [],
        hasX25519: false,
        hasGroup: () => false,
      });
      assert.deepEqual(lists.kex, ['diffie-hellman-group-exchange-sha256']);
      assert.deepEqual(lists.mac, ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-256']);
      assert.deepEqual(missing, []);
    });

    it('tell what is missing when nothing of a list is left', () => {
      const facts = { ...node, ciphers: ['aes-128-ctr'] };
      assert.deepEqual(usableChoice(choice({ ciphers: 'chacha20-poly1305@openssh.com' }), facts).missing, [
        'cipher',
      ]);
      assert.deepEqual(usableChoice(choice({ kexalgorithms: 'sntrup761x25519-sha512' }), node).missing, [
        'kex',
      ]);
    });
  });
});

describe('legacy algorithms that would help', () => {
  const { kex, hostKey, cipher, mac, compression } = choice({});
  const ours: AlgorithmLists = { kex, hostKey, cipher, mac, compression };
  const old: AlgorithmLists = {
    kex: ['diffie-hellman-group1-sha1', 'diffie-hellman-group14-sha1'],
    hostKey: ['ssh-dss', 'ssh-rsa'],
    cipher: ['3des-cbc', 'aes128-cbc'],
    mac: ['hmac-md5', 'hmac-sha1'],
    compression: ['none', 'zlib'],
  };
  const all = () => true;

  it('are one for each list without a common name, the best the server has', () => {
    assert.deepEqual(legacyThatHelps(ours, old, all), [
      'diffie-hellman-group14-sha1',
      'ssh-rsa',
      'aes128-cbc',
    ]);
  });

  it('are none where the run time cannot do them', () => {
    const usable = (_kind: string, name: string): boolean => name !== 'aes128-cbc';
    assert.deepEqual(legacyThatHelps(ours, old, usable), [
      'diffie-hellman-group14-sha1',
      'ssh-rsa',
      '3des-cbc',
    ]);
  });

  it('do not include a MAC when the common cipher needs none', () => {
    const server = { ...ours, kex: ['diffie-hellman-group1-sha1'], mac: ['hmac-md5'] };
    assert.deepEqual(legacyThatHelps(ours, server, all), ['diffie-hellman-group1-sha1']);
  });

  it('include a MAC when the common cipher needs one', () => {
    const server = { ...ours, cipher: ['aes128-ctr'], mac: ['umac-64@openssh.com', 'hmac-md5'] };
    assert.deepEqual(legacyThatHelps(ours, server, all), ['hmac-md5']);
  });

  it('are not named when they would not be enough', () => {
    const server = { ...old, kex: ['sntrup761x25519-sha512'] };
    assert.equal(legacyThatHelps(ours, server, all), undefined);
    assert.equal(legacyThatHelps(ours, { ...ours, compression: ['zlib'] }, all), undefined);
  });

  it('are not named when something is in common for every list', () => {
    assert.deepEqual(withoutCommon(ours, ours), []);
    assert.equal(legacyThatHelps(ours, ours, all), undefined);
  });
});

describe('legacy algorithms of a host', () => {
  const algorithms = ['ssh-rsa', 'aes128-cbc'];

  for (const [tier, reason, isInForce] of [
    [undefined, undefined, true],
    ['dev', undefined, true],
    ['stage', undefined, true],
    ['prod', undefined, false],
    ['prod', ' ', false],
    ['prod', 'a switch that gets no updates', true],
  ] as const)
    it(`are ${isInForce ? '' : 'not '}in force on ${tier ?? 'a host without tier'} ${reason === undefined ? 'without a reason' : `with the reason "${reason}"`}`, () => {
      const choice = { algorithms, ...(reason === undefined ? {} : { reason }) };
      assert.deepEqual(legacyInForce(choice, tier), isInForce ? algorithms : []);
    });

  it('can be written into a configuration', () => {
    assert.deepEqual(legacyConfigLines(['ssh-rsa', 'diffie-hellman-group1-sha1', 'ssh-dss', 'other']), [
      'KexAlgorithms +diffie-hellman-group1-sha1',
      'HostKeyAlgorithms +ssh-rsa,ssh-dss',
    ]);
    assert.deepEqual(legacyConfigLines([]), []);
  });
});
