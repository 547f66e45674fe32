import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { ConnectionState } from '../../src/application/ports/connection.ts';
import type { HostListing, HostRecord } from '../../src/domain/host/host.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import { connectionFault } from '../../src/domain/ssh/connectionFault.ts';
import { allowLegacy } from '../../src/features/hosts/legacyCommand.ts';

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly picked?: boolean;
}

describe('legacy algorithms of a host in the editor', () => {
  const putBack: (() => void)[] = [];
  afterEach(() => {
    for (const one of putBack.splice(0).reverse()) one(); // the last stand-in goes first
  });

  /** Replaces a dialog, which a test cannot click, with an answer; gives what it was shown with. */
  function dialog(name: string, answer: (shown: unknown) => unknown): { readonly shown: unknown[] } {
    const shown: unknown[] = [];
    const original: unknown = Reflect.get(vscode.window, name);
    Reflect.set(vscode.window, name, async (first: unknown) => {
      shown.push(first);
      return answer(first);
    });
    putBack.push(() => void Reflect.set(vscode.window, name, original));
    return { shown };
  }

  const id = newHostId();
  const record: HostRecord = {
    id,
    label: 'switch',
    addresses: ['192.0.2.1'],
    port: undefined,
    user: undefined,
    identity: { kind: 'default' },
    tier: undefined,
    group: undefined,
    tags: [],
    alias: undefined,
    revision: 1,
  };
  const listing: HostListing = {
    ...{ id, label: 'switch', source: 'vault', address: '192.0.2.1', port: 22, user: 'me' },
    ...{ group: undefined, tags: [], tier: undefined, alias: undefined },
  };
  const fault = connectionFault(
    'no-common-algorithm',
    { stage: 'kex', hop: 'me@switch' },
    { category: 'key exchange', legacy: 'diffie-hellman-group1-sha1, ssh-rsa' },
  );
  const refused: ConnectionState = { k: 'stopped', fault };

  /** Runs the command on a vault with `stored`; gives what it wrote. */
  async function run(
    stored: HostRecord | undefined,
    state: ConnectionState = refused,
    tier?: HostListing['tier'],
  ): Promise<readonly HostRecord[]> {
    const written: HostRecord[] = [];
    const hostStore = {
      get: async () => stored,
      put: async (next: HostRecord) => {
        written.push(next);
        return next;
      },
    };
    await allowLegacy({ hostStore, connections: { state: () => state } }, { ...listing, tier });
    return written;
  }
  const picked = (items: unknown): readonly Item[] =>
    (items as readonly Item[]).filter((item) => item.picked);

  it('chooses exactly what the last attempt has named, and stores what was confirmed', async () => {
    const { shown } = dialog('showQuickPick', picked);
    const [written] = await run(record);
    assert.deepEqual(written?.legacy, { algorithms: ['diffie-hellman-group1-sha1', 'ssh-rsa'] });
    assert.deepEqual(
      picked(shown[0]).map(({ label, description }) => [label, description]),
      [
        ['diffie-hellman-group1-sha1', 'the server needs this'],
        ['ssh-rsa', 'the server needs this'],
      ],
    );
  });

  it('chooses nothing by itself when nothing has failed', async () => {
    const { shown } = dialog('showQuickPick', () => undefined);
    assert.deepEqual(await run(record, { k: 'idle' }), []);
    assert.deepEqual(picked(shown[0]), []);
  });

  it('Escape changes nothing, and an empty choice takes everything back', async () => {
    const allowed = { ...record, legacy: { algorithms: ['ssh-rsa'] } };
    dialog('showQuickPick', () => undefined);
    assert.deepEqual(await run(allowed), []);
    dialog('showQuickPick', () => []);
    const [written] = await run(allowed);
    assert.equal(written !== undefined && 'legacy' in written, false);
  });

  it('asks on a production host why, and stores nothing without a reason', async () => {
    dialog('showQuickPick', picked);
    dialog('showInputBox', () => undefined);
    assert.deepEqual(await run({ ...record, tier: 'prod' }, refused, 'prod'), []);
    dialog('showInputBox', () => ' no updates since 2014 ');
    const [written] = await run({ ...record, tier: 'prod' }, refused, 'prod');
    assert.equal(written?.legacy?.reason, 'no updates since 2014');
  });

  it('names the lines for a host of the configuration and writes nothing', async () => {
    const { shown } = dialog('showInformationMessage', () => 'Copy Lines');
    assert.deepEqual(await run(undefined), []);
    assert.match(
      String(shown[0]),
      /KexAlgorithms \+diffie-hellman-group1-sha1; HostKeyAlgorithms \+ssh-rsa$/,
    );
    assert.equal(
      await vscode.env.clipboard.readText(),
      '  KexAlgorithms +diffie-hellman-group1-sha1\n  HostKeyAlgorithms +ssh-rsa\n',
    );
  });
});
