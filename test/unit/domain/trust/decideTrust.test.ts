import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'mocha';
import { actOnTrust, decideTrust as decideBy } from '../../../../src/domain/trust/decideTrust.ts';
import { fingerprintOf, keyTypeOf, type PresentedKey } from '../../../../src/domain/trust/hostKey.ts';
import { parseKnownHosts } from '../../../../src/domain/trust/parseKnownHosts.ts';
import { serverHostKeyOrder } from '../../../../src/domain/trust/serverHostKeyOrder.ts';
import { storeSource } from '../../../../src/domain/trust/storeSource.ts';
import type { TrustDecision } from '../../../../src/domain/trust/trust.ts';
import type { TrustName, TrustSource } from '../../../../src/domain/trust/trustRecord.ts';

function key(keyType: string, seed: string): PresentedKey & { readonly text: string } {
  const string = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const blob = Buffer.concat([string(Buffer.from(keyType)), string(Buffer.from(seed.padEnd(32)))]);
  return { keyType, blob, text: `${keyType} ${blob.toString('base64')}` };
}
const ed = key('ssh-ed25519', 'one');
const ed2 = key('ssh-ed25519', 'two');
const rsa = key('ssh-rsa', 'one');
const web: TrustName = { name: 'web', isAlias: false, port: 22 };
const web2222: TrustName = { name: 'web', isAlias: false, port: 2222 };

const userFile = (...lines: readonly string[]): TrustSource => ({
  kind: 'user-file',
  name: '/u',
  records: parseKnownHosts('/u', lines.join('\n')).records,
});
const globalFile = (...lines: readonly string[]): TrustSource => ({
  kind: 'global-file',
  name: '/g',
  records: parseKnownHosts('/g', lines.join('\n')).records,
});
const hashed = (name: string, presented: { readonly text: string }): string => {
  const salt = Buffer.alloc(20, 7);
  const digest = createHmac('sha1', salt).update(name).digest('base64');
  return `|1|${salt.toString('base64')}|${digest} ${presented.text}`;
};
/** No authority has signed anything here; certificates are judged in a test of their own. */
const decideTrust = (
  presented: PresentedKey,
  trust: TrustName,
  sources: readonly TrustSource[],
): TrustDecision => decideBy(presented, { trust, sources }, { nowSeconds: 0n, verify: () => 'not-signed' });
const kindOf = (decision: TrustDecision): string => (decision.k === 'ask' ? decision.why : decision.k);

describe('judging a host key', () => {
  it('KH-1: a hashed name matches for the host and for the host with port', () => {
    assert.equal(kindOf(decideTrust(ed, web, [userFile(hashed('web', ed))])), 'accept');
    assert.equal(kindOf(decideTrust(ed, web2222, [userFile(hashed('[web]:2222', ed))])), 'accept');
    assert.equal(kindOf(decideTrust(ed, web, [userFile(hashed('other', ed))])), 'unknown');
  });

  it('KH-2: the name without port stands in for an unknown port: same key accepted, another one unknown, never changed', () => {
    assert.equal(kindOf(decideTrust(ed, web2222, [userFile(`web ${ed.text}`)])), 'accept');
    assert.equal(kindOf(decideTrust(ed2, web2222, [userFile(`web ${ed.text}`)])), 'unknown');
    assert.equal(
      kindOf(decideTrust(ed2, web2222, [userFile(`[web]:2222 ${ed.text}`, `web ${ed2.text}`)])),
      'changed',
    );
    assert.equal(kindOf(decideTrust(ed, web, [userFile(`[web]:22 ${ed.text}`)])), 'unknown');
  });

  it('KH-3: the types that a host is known by are offered first', () => {
    const supported = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'];
    const order = (trust: TrustName, ...lines: readonly string[]): readonly string[] =>
      serverHostKeyOrder(trust, [userFile(...lines)], supported);
    assert.deepEqual(order(web, `web ${rsa.text}`), [
      'rsa-sha2-512',
      'rsa-sha2-256',
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
    ]);
    assert.deepEqual(order(web2222, `web ${rsa.text}`)[0], 'rsa-sha2-512');
    assert.deepEqual(order(web2222, `web ${rsa.text}`, `[web]:2222 ${ed.text}`), supported);
    assert.deepEqual(order(web, `@revoked web ${rsa.text}`, `@cert-authority web ${rsa.text}`), supported);
    assert.deepEqual(order(web), supported);
  });

  it('KH-7: a revoked key is refused wherever its line stands', () => {
    const line = `@revoked * ${ed.text}`;
    for (const sources of [
      [userFile(`web ${ed.text}`, line)],
      [userFile(line, `web ${ed.text}`)],
      [userFile(`web ${ed.text}`), globalFile(line)],
      [
        storeSource([
          { name: 'web', port: 22, keyType: ed.keyType, keyBase64: Buffer.from(ed.blob).toString('base64') },
        ]),
        globalFile(line),
      ],
    ])
      assert.equal(decideTrust(ed, web, sources).k, 'revoked');
    assert.equal(decideTrust(ed, web2222, [userFile(`@revoked web ${ed.text}`)]).k, 'revoked');
    assert.equal(decideTrust(ed2, web, [userFile(line, `web ${ed2.text}`)]).k, 'accept');
  });

  it('KH-10: another key of a known type is changed, and says what is known', () => {
    assert.deepEqual(decideTrust(ed2, web, [userFile('# first', `db,web ${ed.text} comment`)]), {
      k: 'changed',
      known: [{ source: '/u', line: 2, keyType: 'ssh-ed25519', fingerprint: fingerprintOf(ed.blob) }],
    });
  });

  it('an exact key in any source outweighs another key of its type elsewhere', () => {
    const decision = decideTrust(ed, web, [userFile(`web ${ed2.text}`), globalFile(`web ${ed.text}`)]);
    assert.deepEqual([decision.k, decision.k === 'accept' && decision.by], ['accept', 'global-file']);
  });

  it('a host known by other types only is not simply unknown', () => {
    const decision = decideTrust(ed, web, [userFile(`web ${rsa.text}`)]);
    assert.deepEqual(decision.k === 'ask' && [decision.why, decision.known.map((known) => known.keyType)], [
      'other-type-known',
      ['ssh-rsa'],
    ]);
  });

  it('a certificate authority line is no record of a plain key, neither for it nor against it', () => {
    assert.equal(kindOf(decideTrust(ed, web, [userFile(`@cert-authority web ${ed.text}`)])), 'unknown');
    assert.equal(kindOf(decideTrust(ed2, web, [userFile(`@cert-authority web ${ed.text}`)])), 'unknown');
  });

  it('a damaged host certificate is refused', () => {
    const certificate = key('ssh-ed25519-cert-v01@openssh.com', 'c');
    assert.equal(decideTrust(certificate, web, [userFile(`web ${certificate.text}`)]).k, 'cert-refused');
  });

  it('an alias is searched as written, without port', () => {
    const alias: TrustName = { name: 'key.example.com', isAlias: true, port: 2222 };
    assert.equal(decideTrust(ed, alias, [userFile(`key.example.com ${ed.text}`)]).k, 'accept');
    assert.equal(decideTrust(ed, alias, [userFile(`[key.example.com]:2222 ${ed.text}`)]).k, 'ask');
  });

  it('a row of the store is one name, whatever characters it has', () => {
    const row = (name: string): TrustSource =>
      storeSource([
        { name, port: 22, keyType: ed.keyType, keyBase64: Buffer.from(ed.blob).toString('base64') },
      ]);
    assert.equal(decideTrust(ed, web, [row('*')]).k, 'ask');
    assert.equal(decideTrust(ed, web, [row('WEB')]).k, 'accept');
    assert.equal(
      decideTrust(ed, web, [
        storeSource([{ ...web, keyType: 'ssh-rsa', keyBase64: Buffer.from(ed.blob).toString('base64') }]),
      ]).k,
      'ask',
    );
  });

  for (const [patterns, expected] of [
    ['web', true],
    ['w*', true],
    ['w?b', true],
    ['db,WEB', true],
    ['*,!web', false],
    ['!db', false],
    ['we', false],
    ['', false],
  ] as const)
    it(`the list "${patterns}" ${expected ? 'matches' : 'does not match'} web`, () => {
      assert.equal(decideTrust(ed, web, [userFile(`${patterns} ${ed.text}`)]).k === 'accept', expected);
    });
});

describe('what StrictHostKeyChecking makes of a decision', () => {
  const decisions: readonly TrustDecision[] = [
    decideTrust(ed, web, [userFile(`web ${ed.text}`)]),
    decideTrust(ed, web, []),
    decideTrust(ed, web, [userFile(`web ${rsa.text}`)]),
    decideTrust(ed2, web, [userFile(`web ${ed.text}`)]),
    decideTrust(ed, web, [userFile(`@revoked web ${ed.text}`)]),
    { k: 'cert-refused', reason: 'expired' },
  ];
  for (const [mode, actions] of [
    ['yes', ['accept', 'refuse', 'refuse', 'refuse', 'refuse', 'refuse']],
    ['ask', ['accept', 'ask', 'ask', 'refuse', 'refuse', 'refuse']],
    ['accept-new', ['accept', 'record', 'ask', 'refuse', 'refuse', 'refuse']],
    ['off', ['accept', 'record', 'ask', 'refuse', 'refuse', 'refuse']],
  ] as const)
    it(`${mode}: known, unknown, other types, changed, revoked, refused`, () => {
      assert.deepEqual(
        decisions.map((decision) => actOnTrust(decision, mode)),
        actions,
      );
    });
});

describe('reading a known_hosts file', () => {
  it('skips what it cannot use, says why, and reads the rest', () => {
    const text = [
      '',
      '# comment',
      'web ssh-ed25519',
      'web ssh-ed25519 AAAA*',
      `web ssh-rsa ${ed.text.split(' ')[1] ?? ''}`,
      'web 1024 35 1234567',
      `|1|short|AAAA ${ed.text}`,
      `@unknown web ${ed.text}`,
      `@revoked\tweb ${ed.text}`,
      `@revoked @revoked web ${ed.text}`,
      '@revoked',
      `\t web \t ${ed.text} a comment\r`,
    ].join('\n');
    const { records, problems } = parseKnownHosts('/k', text);
    assert.deepEqual(
      problems.map((problem) => problem.line),
      [3, 4, 5, 6, 7, 8, 9, 10, 11],
    );
    assert.deepEqual(
      records.map((record) => [record.line, record.keyType]),
      [[12, 'ssh-ed25519']],
    );
  });

  for (const bytes of [[], [0, 0, 0, 9, 1], [255, 255, 255, 255, 1], [0, 0, 0, 1, 7]])
    it(`bytes ${JSON.stringify(bytes)} are no key`, () => {
      assert.equal(keyTypeOf(Uint8Array.from(bytes)), undefined);
    });
});
