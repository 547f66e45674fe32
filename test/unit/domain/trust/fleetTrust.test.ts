import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'mocha';
import {
  fleetTrust,
  type FleetChange,
  type FleetHost,
  type FleetKey,
  type FleetTrust,
  type PlacedRecord,
} from '../../../../src/domain/trust/fleetTrust.ts';
import { knownHostsLine } from '../../../../src/domain/trust/knownHostsLine.ts';
import { parseKnownHosts } from '../../../../src/domain/trust/parseKnownHosts.ts';
import { storeSource } from '../../../../src/domain/trust/storeSource.ts';

function keyText(seed: string): string {
  const string = (text: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  };
  const blob = Buffer.concat([string('ssh-ed25519'), string(seed.padEnd(32))]);
  return `ssh-ed25519 ${blob.toString('base64')}`;
}
function hashed(name: string): string {
  const salt = Buffer.alloc(20, 7);
  const digest = createHmac('sha1', salt).update(name).digest('base64');
  return `|1|${salt.toString('base64')}|${digest}`;
}
const host = (label: string, name = label, port = 22): FleetHost => ({
  label,
  trust: { name, isAlias: false, port },
});
const inFile = (...lines: readonly string[]): readonly PlacedRecord[] =>
  parseKnownHosts('/k', lines.join('\n')).records.map((record) => ({
    record,
    place: { k: 'file', path: '/k', line: record.line ?? 0 },
  }));
const survey = (records: readonly PlacedRecord[], hosts: readonly FleetHost[] = []): FleetTrust =>
  fleetTrust({ records, hosts, problems: [], changes: [] });
const covered = ({ names, hosts }: FleetKey): readonly unknown[] => [
  names?.join(',') ?? 'hash',
  hosts.map(({ label }) => label),
];
const change = (at: number, name: string, newKey?: string): FleetChange => ({
  at,
  name,
  oldKey: 'ssh-ed25519 SHA256:old',
  newKey,
  actor: 'person',
  reason: undefined,
});

describe('the host keys of the whole fleet', () => {
  it('names for each line the listed hosts that it is kept for, also by port, pattern, hash and without port', () => {
    const hosts = [host('web'), host('web at 2222', 'web', 2222), host('db', 'db.example.com')];
    const records = inFile(
      `web ${keyText('a')}`,
      `[WEB]:2222 ${keyText('b')}`,
      `*.example.com,!db.example.com ${keyText('c')}`,
      `db.* ${keyText('d')}`,
      `${hashed('db.example.com')} ${keyText('e')}`,
      `other ${keyText('f')}`,
    );
    assert.deepEqual(survey(records, hosts).keys.map(covered), [
      ['web', ['web', 'web at 2222']],
      ['[WEB]:2222', ['web at 2222']],
      ['*.example.com,!db.example.com', []],
      ['db.*', ['db']],
      ['hash', ['db']],
      ['other', []],
    ]);
  });

  it('keeps authorities apart from keys, and says what is revoked', () => {
    const { keys, authorities } = survey(
      inFile(`@cert-authority *.example.com ${keyText('ca')}`, `@revoked * ${keyText('bad')}`),
      [host('a', 'a.example.com'), host('b')],
    );
    assert.deepEqual(authorities.map(covered), [['*.example.com', ['a']]]);
    assert.deepEqual(
      keys.map(({ marker, place }) => [marker, place]),
      [['revoked', { k: 'file', path: '/k', line: 2 }]],
    );
  });

  it('compares no hashes when there are too many of them, and says so', () => {
    const hosts = Array.from({ length: 25_001 }, (_, index) => host(`h${String(index)}`));
    const many = survey(inFile(`${hashed('h1')} ${keyText('a')}`), hosts);
    assert.deepEqual([many.areHashesCompared, many.keys.map(covered)], [false, [['hash', []]]]);
  });

  it('a key is shared when two machines have it, not when one has it under several names or ports', () => {
    const shared = keyText('golden image');
    const records = inFile(
      `web,192.0.2.1 ${keyText('one')}`,
      `[web]:2222 ${keyText('one')}`,
      `192.0.2.1 ${keyText('one')}`,
      `a ${shared}`,
      `b,192.0.2.2 ${shared}`,
      `192.0.2.2 ${shared}`,
      `@revoked c ${shared}`,
    );
    const hosts = [host('web'), host('web twice', 'web', 2222), host('first', 'a'), host('as root', 'a')];
    assert.deepEqual(
      survey(records, hosts).shared.map(({ machines }) => machines),
      [['first, as root', 'b, 192.0.2.2']],
    );
  });

  it('groups keys that changed on several hosts within a day; what was only forgotten does not count', () => {
    const hour = 3_600_000;
    const changes = [
      change(0, 'a', 'new'),
      change(2 * hour, 'b', 'new'),
      change(3 * hour, 'c'),
      change(40 * hour, 'a', 'new'),
      change(41 * hour, 'a', 'newer'),
    ];
    const { together, changes: newestFirst } = fleetTrust({
      records: [],
      hosts: [],
      problems: [],
      changes: changes.toReversed(),
    });
    assert.deepEqual(
      together.map((group) => group.map(({ name }) => name)),
      [['a', 'b']],
    );
    assert.deepEqual(newestFirst, changes.toReversed());
  });
});

describe('a record as a line of known_hosts', () => {
  for (const line of [
    `web,*.example.com,!db ${keyText('a')}`,
    `${hashed('web')} ${keyText('a')}`,
    `@cert-authority * ${keyText('ca')}`,
    `@revoked [web]:2222 ${keyText('a')}`,
  ])
    it(`is the line that it was read from: ${line.slice(0, 24)}`, () => {
      assert.deepEqual(parseKnownHosts('/k', `${line} a comment`).records.map(knownHostsLine), [line]);
    });

  it('exists for a row of the store unless its name would mean more there', () => {
    const [keyType = '', keyBase64 = ''] = keyText('a').split(' ');
    const rows = [
      ['web', 22],
      ['web', 2222],
      ['2001:db8::1', 22],
      ['*', 22],
      ['a,b', 2222],
      ['#web', 22],
    ] as const;
    const { records } = storeSource(rows.map(([name, port]) => ({ name, port, keyType, keyBase64 })));
    assert.deepEqual(
      records.map((record) => knownHostsLine(record)?.split(' ')[0]),
      ['web', '[web]:2222', '2001:db8::1', undefined, undefined, undefined],
    );
  });
});
