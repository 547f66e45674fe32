import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { ChangedKeys } from '../../src/application/trust/changedKeys.ts';
import { HostTrust } from '../../src/application/trust/hostTrust.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import type { Target } from '../../src/domain/ssh/target.ts';
import { fingerprintOf } from '../../src/domain/trust/hostKey.ts';
import { trustNameOf } from '../../src/domain/trust/trustRecord.ts';
import { forgetHostKey, replaceHostKey } from '../../src/features/hosts/replaceKeyCommand.ts';
import { MemoryKnownHostsStore } from '../../src/infrastructure/store/memory/memoryKnownHostsStore.ts';
import { targetFor } from '../unit/application/ssh/managerBench.ts';
import { FakeClock } from '../support/fakeClock.ts';

const keyOf = (seed: string): Buffer => {
  const length = Buffer.from([0, 0, 0, 11]);
  return Buffer.concat([
    length,
    Buffer.from('ssh-ed25519'),
    Buffer.from([0, 0, 0, 32]),
    Buffer.alloc(32, seed),
  ]);
};
const known = keyOf('known');
const shown = keyOf('shown');

describe('the host key of a host in the editor', () => {
  const putBack: (() => void)[] = [];
  let store: MemoryKnownHostsStore;
  let changed: ChangedKeys;
  let target: Target;
  let trust: HostTrust;
  const disconnected: unknown[] = [];
  beforeEach(async () => {
    store = new MemoryKnownHostsStore();
    changed = new ChangedKeys();
    target = targetFor(newHostId(), { label: 'db1', trustName: 'db1' });
    const directory = { target: async () => target };
    trust = new HostTrust({ store, changed, directory, clock: new FakeClock() });
    disconnected.length = 0;
    const row = { name: 'db1', port: 22, keyType: 'ssh-ed25519', keyBase64: known.toString('base64') };
    await store.add({ ...row, origin: 'asked', addedAt: 1 });
  });
  afterEach(() => {
    for (const one of putBack.splice(0).reverse()) one(); // the last stand-in goes first
  });

  /** Replaces a dialog, which a test cannot click, with answers; gives everything it was shown with. */
  function dialog(name: string, ...answers: readonly unknown[]): unknown[][] {
    const seen: unknown[][] = [];
    const original: unknown = Reflect.get(vscode.window, name);
    Reflect.set(vscode.window, name, async (...words: unknown[]) => {
      seen.push(words);
      return answers[seen.length - 1];
    });
    putBack.push(() => void Reflect.set(vscode.window, name, original));
    return seen;
  }
  const meetChangedKey = (): void =>
    changed.note({
      ...{ label: target.label, tier: target.tier, trust: trustNameOf(target) },
      presented: { keyType: 'ssh-ed25519', blob: shown },
      known: [
        { source: 'store', line: undefined, keyType: 'ssh-ed25519', fingerprint: fingerprintOf(known) },
      ],
    });
  const replace = (): Promise<void> => replaceHostKey({ trust }, { id: target.hostId, label: target.label });
  const forget = (): Promise<void> =>
    forgetHostKey(
      { trust, connections: { disconnect: (id) => void disconnected.push(id) } },
      { id: target.hostId },
    );
  const keys = async (): Promise<readonly string[]> => (await store.rows()).map(({ keyBase64 }) => keyBase64);

  it('that has not changed is not replaced', async () => {
    const told = dialog('showInformationMessage');
    await replace();
    assert.match(String(told[0]?.[0]), /No changed key of db1/);
  });

  it('that has changed is shown beside the known one; the first button and a closed dialog keep that', async () => {
    meetChangedKey();
    const asked = dialog('showWarningMessage', 'Keep the Known Key', undefined);
    await replace();
    await replace();
    const text = JSON.stringify(asked[0]);
    for (const part of [fingerprintOf(known), fingerprintOf(shown), 'Keep the Known Key'])
      assert.ok(text.includes(part), part);
    assert.equal(asked[0]?.[2], 'Keep the Known Key');
    assert.deepEqual(await keys(), [known.toString('base64')]);
  });

  it('is replaced once its name is typed', async () => {
    meetChangedKey();
    dialog('showWarningMessage', 'Replace…');
    dialog('showInformationMessage');
    const typed = dialog('showInputBox', 'db1');
    await replace();
    assert.equal(typed.length, 1);
    assert.deepEqual(await keys(), [shown.toString('base64')]);
  });

  it('of production is replaced with a reason only', async () => {
    target = { ...target, tier: 'prod' };
    meetChangedKey();
    dialog('showWarningMessage', 'Replace…', 'Replace…');
    dialog('showInformationMessage');
    dialog('showInputBox', 'db1', undefined, 'db1', 'new disk');
    await replace();
    assert.deepEqual(await keys(), [known.toString('base64')]);
    await replace();
    assert.deepEqual(
      [await keys(), (await store.audit()).map(({ reason }) => reason)],
      [[shown.toString('base64')], ['new disk']],
    );
  });

  it('is forgotten once its name is typed, and the host disconnected', async () => {
    dialog('showInputBox', undefined, 'db1');
    await forget();
    assert.deepEqual([await keys(), disconnected], [[known.toString('base64')], []]);
    await forget();
    assert.deepEqual([await keys(), disconnected], [[], [target.hostId]]);
  });
});
