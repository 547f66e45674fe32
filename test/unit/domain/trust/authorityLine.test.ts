import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { namesProblem, readAuthorityKey } from '../../../../src/domain/trust/authorityLine.ts';
import { fingerprintOf } from '../../../../src/domain/trust/hostKey.ts';
import { storeSource } from '../../../../src/domain/trust/storeSource.ts';
import { isKeptFor } from '../../../../src/domain/trust/trustRecord.ts';

const keyBase64 = 'AAAAC3NzaC1lZDI1NTE5AAAAIG9uZSAgICAgICAgICAgICAgICAgICAgICAgICAgICAg';
const line = `ssh-ed25519 ${keyBase64}`;
const blob = Buffer.from(keyBase64, 'base64');

describe('the names of an authority', () => {
  for (const names of [
    '*',
    'db1.example.com',
    '*.example.com,!db*.example.com',
    '[*.example.com]:2222',
    '![db1]:22,[*]:*',
    '192.0.2.?',
    '2001:db8::*',
    '*.münchen.example',
  ])
    it(`are taken: ${names}`, () => assert.equal(namesProblem(names), undefined));

  for (const [names, problem, why] of [
    ['', 'empty', 'covers nothing'],
    [' ', 'not-a-pattern', 'a blank would end the names'],
    ['a.example.com, b.example.com', 'not-a-pattern', 'a blank would end the names'],
    ['a\nb', 'not-a-pattern', 'would be two lines'],
    ['a,,b', 'not-a-pattern', 'nothing between commas'],
    ['a,', 'not-a-pattern', 'nothing after the comma'],
    ['!', 'not-a-pattern', 'excludes nothing'],
    ['!!a', 'not-a-pattern', 'a second negation'],
    ['@revoked', 'not-a-pattern', 'a marker'],
    ['#a', 'not-a-pattern', 'a comment'],
    ['|1|c2FsdA==|aGFzaA==', 'not-a-pattern', 'nobody can see what a hash covers'],
    ['[a]', 'not-a-pattern', 'brackets need a port'],
    ['a]:22', 'not-a-pattern', 'half a bracket'],
    ['[]:22', 'not-a-pattern', 'a port of no host'],
    ['[a]:', 'bad-port', 'no port'],
    ['[a]:0', 'bad-port', 'port 0'],
    ['[a]:65536', 'bad-port', 'beyond the last port'],
    ['!*.example.com', 'only-excluded', 'matches no host'],
  ] as const)
    it(`are not taken: ${JSON.stringify(names)} (${why})`, () => assert.equal(namesProblem(names), problem));
});

describe('the key of an authority', () => {
  it('is read from the line of a .pub file and from a whole line, whose names come along', () => {
    const key = { keyType: 'ssh-ed25519', blob };
    assert.deepEqual(readAuthorityKey(`# ours\n${line} ca@example.com\n`), { key, names: undefined });
    assert.deepEqual(readAuthorityKey(`  @cert-authority *.example.com ${line} ours`), {
      key,
      names: '*.example.com',
    });
  });

  for (const [text, problem, why] of [
    ['', 'no-key', 'nothing'],
    ['SHA256:abc', 'no-key', 'a fingerprint'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----', 'no-key', 'a private key'],
    [`@revoked * ${line}`, 'no-key', 'another marker'],
    [`ssh-rsa ${keyBase64}`, 'no-key', 'the key is of another type'],
    [`ssh-ed25519 ${Buffer.from('\0\0\0\x0bssh-ed25519').toString('base64')}`, 'unknown-kind', 'cut off'],
    [`ssh-dss ${Buffer.from('\0\0\0\x07ssh-dss').toString('base64')}`, 'unknown-kind', 'not checked'],
  ] as const)
    it(`is not read from ${JSON.stringify(text.slice(0, 40))} (${why})`, () =>
      assert.equal(readAuthorityKey(text), problem));
});

describe('an authority in the store', () => {
  const row = {
    name: '*.example.com',
    port: 0,
    keyType: 'ssh-ed25519',
    keyBase64,
    marker: 'cert-authority',
  } as const;

  it('is a marker line for its pattern, never the key of a host', () => {
    const [record] = storeSource([row]).records;
    assert.ok(record);
    assert.deepEqual([record.marker, fingerprintOf(record.blob)], ['cert-authority', fingerprintOf(blob)]);
    assert.deepEqual(
      ['db1.example.com', '*.example.com', 'example.com'].map((name) => isKeptFor(record, name)),
      [true, true, false],
    );
  });

  it('with damaged names counts for nothing', () => {
    assert.deepEqual(
      storeSource([
        { ...row, name: '' },
        { ...row, name: 'a b' },
      ]).records,
      [],
    );
  });
});
