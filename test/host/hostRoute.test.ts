import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { HostListing, HostRecord, HostRoute } from '../../src/domain/host/host.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import { setRoute } from '../../src/features/hosts/routeCommand.ts';
import { setShell } from '../../src/features/hosts/shellCommand.ts';

interface Asked {
  readonly title?: string;
  readonly value?: string;
  validateInput?(text: string): string | undefined;
}

describe('how a host is reached, in the editor', () => {
  const id = newHostId();
  const record: HostRecord = {
    ...{ id, label: 'db1', addresses: ['192.0.2.1'], port: undefined, user: undefined },
    ...{ identity: { kind: 'default' }, tier: undefined, group: undefined, tags: [] },
    ...{ alias: undefined, revision: 1 },
  };
  const listing: HostListing = {
    ...{ id, label: 'db1', source: 'vault', address: '192.0.2.1', port: 22, user: 'me' },
    ...{ group: undefined, tags: [], tier: undefined, alias: 'db1' },
  };
  const originals = ['showQuickPick', 'showInputBox'].map((name): readonly [string, unknown] => [
    name,
    Reflect.get(vscode.window, name),
  ]);
  let stored: HostRecord | undefined;
  let written: HostRecord[];
  let secrets: Map<string, string>;
  let inputs: Asked[];
  beforeEach(() => {
    stored = record;
    written = [];
    secrets = new Map();
    inputs = [];
  });
  afterEach(() => {
    for (const [name, original] of originals) Reflect.set(vscode.window, name, original);
  });

  /** Picks rows by their label and types texts, in order; a text that is not accepted is an error of the test. Undefined leaves. */
  function person(picks: readonly (string | undefined)[], texts: readonly (string | undefined)[] = []): void {
    const [leftPicks, leftTexts] = [[...picks], [...texts]];
    Reflect.set(vscode.window, 'showQuickPick', async (items: readonly { readonly label: string }[]) => {
      const wanted = leftPicks.shift();
      return items.find(({ label }) => label === wanted);
    });
    Reflect.set(vscode.window, 'showInputBox', async (asked: Asked) => {
      inputs.push(asked);
      const text = leftTexts.shift();
      if (text !== undefined) assert.equal(asked.validateInput?.(text), undefined, text);
      return text;
    });
  }

  const services = {
    hostStore: {
      get: async () => stored,
      put: async (next: HostRecord) => {
        written.push(next);
        return next;
      },
    },
    credentials: {
      set: async (key: string, text: string) => void secrets.set(key, text),
      delete: async (key: string) => void secrets.delete(key),
    },
  };

  const jumps = 'Through jump hosts…';
  const program = 'Through a program…';
  const proxies = 'Through a SOCKS or HTTP proxy…';
  for (const [what, picks, texts, expected] of [
    ['as configured', ['As configured'], [], undefined],
    ['directly', ['Directly'], [], { jump: 'none', command: 'none' }],
    ['jump hosts', [jumps], ['ops@gate:2222,inner'], { jump: 'ops@gate:2222,inner' }],
    ['a program', [program], ['nc -x proxy %h %p'], { command: 'nc -x proxy %h %p' }],
    [
      'a proxy',
      [proxies, 'SOCKS5'],
      ['[2001:db8::1]:1080'],
      { proxy: { kind: 'socks5', host: '2001:db8::1', port: 1080 } },
    ],
  ] as const satisfies readonly (readonly [
    string,
    readonly string[],
    readonly string[],
    HostRoute | undefined,
  ])[])
    it(`is stored: ${what}`, async () => {
      stored = { ...record, route: { command: 'old %h' } };
      person(picks, texts);
      await setRoute(services, listing);
      assert.deepEqual(
        written.map((one) => ['route' in one, one.route]),
        [[expected !== undefined, expected]],
      );
    });

  for (const [what, picks, texts] of [
    ['the way', [undefined], []],
    ['the jump hosts', [jumps], [undefined]],
    ['the program', [program], [undefined]],
    ['the kind of proxy', [proxies, undefined], []],
    ['the address of the proxy', [proxies, 'SOCKS5'], [undefined]],
    ['the password of the proxy', [proxies, 'SOCKS5'], ['me@proxy.example.com:1080', undefined]],
  ] as const)
    it(`stays as it is when the question about ${what} is left`, async () => {
      person(picks, texts);
      await setRoute(services, listing);
      assert.deepEqual([written, secrets.size], [[], 0]);
    });

  it('keeps the password of a proxy under a reference of its own, and takes the one before away', async () => {
    secrets.set('credential:before', 'old');
    const proxy = {
      kind: 'http',
      host: 'proxy.example.com',
      port: 3128,
      user: 'me',
      secretRef: 'before',
    } as const;
    stored = { ...record, route: { jump: 'gate', proxy } };
    person([proxies, 'HTTP CONNECT'], ['me@proxy.example.com:3128', 'new']);
    await setRoute(services, listing);
    const route = written[0]?.route;
    assert.match(route?.proxy?.secretRef ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual([...secrets], [[`credential:${route?.proxy?.secretRef ?? ''}`, 'new']]);
    assert.equal(route?.jump, 'gate', 'a proxy stands in front of the jump hosts');
    person(['Directly']);
    stored = written[0];
    await setRoute(services, listing);
    assert.equal(secrets.size, 0);
  });

  for (const [way, wrong] of [
    [jumps, ['', 'none', 'a,,b', '2001:db8::1', 'a b']],
    [program, ['', 'none', 'nc %x', 'nc %']],
  ] as const)
    it(`takes nothing that could not be followed: ${way}`, async () => {
      person([way], [undefined]);
      await setRoute(services, listing);
      for (const text of wrong) assert.notEqual(inputs[0]?.validateInput?.(text), undefined, text);
    });

  it('makes a host of the SSH configuration a record that is linked to it', async () => {
    stored = undefined;
    person([jumps], ['gate']);
    await setRoute(services, listing);
    assert.deepEqual(
      written.map(({ alias, addresses, route }) => [alias, addresses, route]),
      [['db1', [], { jump: 'gate' }]],
    );
  });

  for (const [label, before, expected] of [
    ['Network equipment', undefined, ['network-cli']],
    ['Ask the host', 'posix', [undefined]],
    ['$(check) POSIX shell', 'posix', []],
    [undefined, undefined, []],
  ] as const)
    it(`its login shell is what the person says: ${label ?? 'nothing'}`, async () => {
      stored = before === undefined ? record : { ...record, shellFamily: before };
      person([label]);
      await setShell(services, listing);
      assert.deepEqual(
        written.map(({ shellFamily }) => shellFamily),
        expected,
      );
    });
});
