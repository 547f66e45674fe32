import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { StoreState } from '../../application/ports/store.ts';
import type { Services } from '../../application/services.ts';
import type { SourceRef } from '../../domain/config/configFile.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { ContextKey } from '../../ids.ts';
import { groupItem, hostItem, type HostRow } from './hostItem.ts';

/** A row of the tree. Ids never hold a name, a count or a state. Source: vscode.md 4. */
export type HostsNode =
  | {
      readonly kind: 'group';
      readonly id: string;
      readonly label: string;
      readonly hosts: readonly HostListing[];
      /** Something is wrong with where they come from. */
      readonly warning?: string;
    }
  | HostRow;

export interface HostsTree extends Disposable {
  readonly view: vscode.TreeView<HostsNode>;
  refresh(): void;
  filter(text: string): void;
}

/**
 * The Hosts tree: groups of the vault, hosts without a group, and the live OpenSSH configuration. Being looked at never connects
 * and never resolves a name. The runtime is loaded when the tree is first shown.
 */
export function createHostsTree(viewId: string, ports: FeaturePorts): HostsTree {
  const bag = new DisposableBag();
  const provider = new HostsTreeProvider(ports);
  bag.add(provider);
  const view = bag.add(
    vscode.window.createTreeView(viewId, { treeDataProvider: provider, showCollapseAll: true }),
  );
  provider.onMessage = (message) => {
    view.message = message ?? '';
  };
  return {
    view,
    refresh: () => provider.refresh(),
    filter: (text) => provider.filter(text),
    dispose: () => bag.dispose(),
  };
}

class HostsTreeProvider implements vscode.TreeDataProvider<HostsNode>, Disposable {
  readonly #ports: FeaturePorts;
  readonly #changed = new vscode.EventEmitter<HostsNode | undefined>();
  readonly #bag = new DisposableBag();
  readonly onDidChangeTreeData = this.#changed.event;
  #services: Services | undefined;
  #shown = new Map<HostId, HostsNode>();
  #query = '';
  /** Why `ssh` itself refuses the configuration; undefined when it does not. */
  #refusal: string | undefined;
  /** By alias, what the configuration has to say about one host. */
  #warnings: ReadonlyMap<string, string> = new Map();
  /** By the name that `ssh` is asked about, the line that switches the check of host keys off. */
  #unchecked: ReadonlyMap<string, SourceRef> = new Map();
  onMessage: (message: string | undefined) => void = () => {};

  constructor(ports: FeaturePorts) {
    this.#ports = ports;
    this.#bag.add(this.#changed);
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  filter(text: string): void {
    this.#query = text;
    this.refresh();
  }

  async getChildren(parent?: HostsNode): Promise<HostsNode[]> {
    if (parent?.kind === 'group') return parent.hosts.map((listing) => this.#hostNode(listing));
    if (parent !== undefined) return [];
    try {
      const services = await this.#load();
      const hosts = await this.#filtered(await services.hosts.list());
      this.#refusal = await refusalOf(services);
      this.#warnings = await services.sshConfig.warnings().catch(() => new Map());
      this.#unchecked = await services.sshConfig.uncheckedNames(hosts.map(askedName)).catch(() => new Map());
      this.onMessage(this.#messageFor(services.store.state()));
      this.#shown = new Map();
      return this.#roots(hosts);
    } catch (error) {
      this.onMessage(this.#ports.describeError(error));
      return [];
    }
  }

  getTreeItem(node: HostsNode): vscode.TreeItem {
    if (node.kind === 'group') return groupItem(node);
    const connections = this.#services?.connections;
    return hostItem(node, {
      state: connections?.state(node.listing.id) ?? { k: 'idle' },
      negotiated: connections?.negotiated(node.listing.id),
      describeFault: (fault) => this.#ports.describeFault(fault),
      warning: this.#warningOf(node.listing),
      uncheckedBy: this.#unchecked.get(askedName(node.listing)),
    });
  }

  dispose(): void {
    this.#bag.dispose();
  }

  #warningOf({ alias }: HostListing): string | undefined {
    return alias === undefined ? undefined : (this.#warnings.get(alias) ?? this.#refusal);
  }

  #messageFor(state: StoreState): string | undefined {
    if (this.#query !== '') return vscode.l10n.t('Filtered by "{0}".', this.#query);
    switch (state.k) {
      case 'ready':
        return undefined;
      case 'memory':
        return vscode.l10n.t('This editor has no SQLite, so nothing is saved in this window.');
      case 'readOnly':
      case 'unavailable':
        return this.#ports.describeFault(state.fault);
    }
  }

  async #load(): Promise<Services> {
    if (this.#services !== undefined) return this.#services;
    const services = await this.#ports.runtime();
    this.#services = services;
    this.#bag.add(services.hosts.onDidChange(() => this.refresh()));
    const tellState = ({ k }: StoreState): void =>
      void vscode.commands.executeCommand('setContext', ContextKey.storeState, k);
    tellState(services.store.state());
    this.#bag.add(
      services.store.onDidChangeState((state) => {
        tellState(state);
        this.refresh();
      }),
    );
    this.#bag.add(
      services.connections.onDidChange(({ hostId }) => {
        const node = this.#shown.get(hostId);
        if (node !== undefined) this.#changed.fire(node);
      }),
    );
    return services;
  }

  /** The matcher is loaded with the first filter. */
  async #filtered(hosts: readonly HostListing[]): Promise<readonly HostListing[]> {
    if (this.#query.trim() === '') return hosts;
    const { filterHosts } = await import('../../application/vault/filterHosts.ts');
    return filterHosts(hosts, this.#query);
  }

  #roots(hosts: readonly HostListing[]): HostsNode[] {
    const vault = hosts.filter((host) => host.source === 'vault');
    const config = hosts.filter((host) => host.source === 'ssh_config');
    const groups = new Map<string, HostListing[]>();
    for (const host of vault) {
      if (host.group === undefined) continue;
      groups.set(host.group, [...(groups.get(host.group) ?? []), host]);
    }
    const roots: HostsNode[] = [...groups]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([label, members]) => ({ kind: 'group', id: `group:${label}`, label, hosts: members }));
    for (const host of vault) if (host.group === undefined) roots.push(this.#hostNode(host));
    if (config.length > 0)
      roots.push({
        kind: 'group',
        id: 'group:ssh_config',
        label: vscode.l10n.t('OpenSSH config'),
        hosts: config,
        ...(this.#refusal === undefined ? {} : { warning: this.#refusal }),
      });
    return roots;
  }

  #hostNode(listing: HostListing): HostsNode {
    const node: HostsNode = { kind: 'host', listing };
    this.#shown.set(listing.id, node);
    return node;
  }
}

/** The name that the configuration is asked about for a host. */
function askedName({ alias, address }: HostListing): string {
  return alias ?? address;
}

/** Why `ssh` refuses the configuration as a whole; its hosts are listed and connect all the same. Source: ssh.md 4.4. */
async function refusalOf({ sshConfig }: Services): Promise<string | undefined> {
  const { notes } = await sshConfig.list().catch(() => ({ notes: [] }));
  const [first, ...more] = notes.filter(({ isRefusedBySsh }) => isRefusedBySsh);
  if (first === undefined) return undefined;
  const line = `${first.path}:${String(first.line)}: ${first.message}`;
  return more.length === 0
    ? vscode.l10n.t('ssh itself refuses this configuration. Termind goes on without the line. {0}', line)
    : vscode.l10n.t(
        'ssh itself refuses this configuration. Termind goes on without {0} lines. {1}',
        more.length + 1,
        line,
      );
}
