import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { newConversationId, type Grant } from '../../src/agentkit/index.ts';
import { RaisedHosts } from '../../src/application/assistant/raisedHosts.ts';
import type { HostListing, HostRecord } from '../../src/domain/host/host.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import {
  raiseHost,
  showGrants,
  type PermissionParts,
} from '../../src/features/assistant/editor/permissionCommands.ts';
import { setTier } from '../../src/features/hosts/tierCommand.ts';

interface Choice {
  readonly label: string;
  readonly description?: string;
}

describe('what a person permits in the editor', () => {
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
  const choose = (label: string) => (choices: unknown) =>
    (choices as readonly Choice[]).find((choice) => choice.label.endsWith(label));

  const listing: HostListing = {
    ...{ id: newHostId(), label: 'web-1', source: 'ssh_config', address: '192.0.2.1', port: 22, user: 'me' },
    ...{ group: undefined, tags: [], tier: undefined, alias: 'web-1' },
  };
  const production: HostListing = { ...listing, tier: 'prod' };

  describe('the environment of a host', () => {
    async function run(
      host: HostListing,
      stored?: HostRecord,
      after?: HostListing,
    ): Promise<readonly HostRecord[]> {
      const written: HostRecord[] = [];
      const hostStore = {
        list: async () => [],
        get: async () => stored,
        put: async (next: HostRecord) => {
          written.push(next);
          return next;
        },
        remove: async () => {},
        recordConnect: async () => {},
        recents: async () => [],
        facts: async () => ({}),
        learn: async () => {},
      };
      await setTier({ hostStore, hosts: { get: async () => after } }, host);
      return written;
    }

    it('is stored with a record that is linked to the alias of the configuration', async () => {
      dialog('showQuickPick', choose('Production'));
      const [written] = await run(listing);
      assert.deepEqual(
        [written?.id, written?.alias, written?.tier, written?.addresses],
        [listing.id, 'web-1', 'prod', []],
      );
    });

    it('leaves production only after a second yes', async () => {
      dialog('showQuickPick', choose('Development'));
      const { shown } = dialog('showWarningMessage', () => 'Keep Production');
      assert.deepEqual(await run(production), []);
      assert.match(String(shown[0]), /Treat web-1 as a production host no longer\?/);
      dialog('showWarningMessage', () => undefined);
      assert.deepEqual(await run(production), [], 'closing is no yes');
      dialog('showWarningMessage', () => 'Change');
      assert.equal((await run(production))[0]?.tier, 'dev');
    });

    it('says when another host keeps it in production', async () => {
      dialog('showQuickPick', choose('Development'));
      dialog('showWarningMessage', () => 'Change');
      const { shown } = dialog('showInformationMessage', () => undefined);
      await run(production, undefined, production);
      assert.match(String(shown[0]), /web-1 stays a production host/);
    });

    it('Escape and the same choice again change nothing', async () => {
      dialog('showQuickPick', () => undefined);
      assert.deepEqual(await run(production), []);
      dialog('showQuickPick', choose('Production'));
      assert.deepEqual(await run(production), []);
    });
  });

  function partsOf(more: Partial<PermissionParts> = {}): PermissionParts & { readonly raised: RaisedHosts } {
    const raised = new RaisedHosts(() => {});
    const conversation = newConversationId();
    return {
      raised,
      assistant: { raised, grants: { list: async () => [], revoke: async () => false } },
      hosts: { list: async () => [listing, production], get: async () => production },
      shown: conversation,
      mode: 'ask',
      begin: async () => conversation,
      ...more,
    };
  }
  const row = { kind: 'host', listing: { id: production.id } };

  describe('raising a production host', () => {
    for (const [answer, raised] of [
      ['Raise', 1],
      ['Keep Read-Only', 0],
      [undefined, 0],
    ] as const)
      it(`${answer ?? 'closing the question'}: ${raised === 1 ? 'raises' : 'raises nothing'}`, async () => {
        dialog('showWarningMessage', () => answer);
        const parts = partsOf();
        await raiseHost(parts, row);
        assert.equal(parts.raised.list(parts.shown ?? newConversationId()).length, raised);
      });

    it('lowers one that is raised, without a question', async () => {
      dialog('showWarningMessage', () => assert.fail('it asked'));
      const parts = partsOf();
      assert.ok(parts.shown);
      parts.raised.raise(parts.shown, production);
      await raiseHost(parts, row);
      assert.deepEqual(parts.raised.list(parts.shown), []);
    });

    it('offers production hosts only', async () => {
      const { shown } = dialog('showQuickPick', () => undefined);
      await raiseHost(partsOf(), undefined);
      assert.equal((shown[0] as readonly Choice[]).length, 1);
    });

    it('is refused for any other host, with a reason', async () => {
      const { shown } = dialog('showInformationMessage', () => undefined);
      const parts = partsOf({ hosts: { list: async () => [], get: async () => listing } });
      await raiseHost(parts, row);
      assert.match(String(shown[0]), /web-1 is no production host/);
    });
  });

  describe('what is allowed in a conversation', () => {
    const grant: Grant = {
      id: 'g1',
      shape: {
        tool: 'ssh_exec_run',
        targetId: 'h1',
        key: {},
        action: 'systemctl restart app',
        target: 'web-1',
      },
      givenAt: 1_700_000_000_000,
    };

    function withGrant(): { readonly parts: PermissionParts; readonly revoked: string[] } {
      const revoked: string[] = [];
      const { assistant } = partsOf();
      const grants = {
        list: async () => [grant],
        revoke: async (_conversation: unknown, id: string) => {
          revoked.push(id);
          return true;
        },
      };
      return { parts: partsOf({ assistant: { ...assistant, grants } }), revoked };
    }

    it('is listed with its host, and taken back by choosing it', async () => {
      const { parts, revoked } = withGrant();
      const { shown } = dialog('showQuickPick', (choices) => choices);
      await showGrants(parts);
      assert.deepEqual(
        (shown[0] as readonly Choice[]).map(({ label, description }) => [label, description]),
        [['systemctl restart app', 'web-1']],
      );
      assert.deepEqual(revoked, ['g1']);
    });

    it('stays when the list is closed', async () => {
      const { parts, revoked } = withGrant();
      dialog('showQuickPick', () => undefined);
      await showGrants(parts);
      assert.deepEqual(revoked, []);
    });

    it('is said to be nothing where there is nothing', async () => {
      const { shown } = dialog('showInformationMessage', () => undefined);
      await showGrants(partsOf());
      assert.match(String(shown[0]), /Nothing is allowed for this conversation as a whole/);
    });
  });
});
