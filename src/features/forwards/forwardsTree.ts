import * as vscode from 'vscode';
import { DisposableBag, neverAborted, type Disposable } from '../../agentkit/index.ts';
import type { ForwardId } from '../../domain/forward/forward.ts';
import { forwardHostItem, forwardItem, type ForwardsNode } from './forwardItem.ts';
import type { ForwardPorts, ForwardServices } from './forwardPorts.ts';

export interface ForwardsTree extends Disposable {
  readonly view: vscode.TreeView<ForwardsNode>;
  refresh(): void;
}

/**
 * The Forwards tree: hosts with forwards, and these with their live state. Being looked at starts and connects nothing. The runtime is
 * loaded when the tree is first shown.
 */
export function createForwardsTree(viewId: string, ports: ForwardPorts): ForwardsTree {
  const provider = new ForwardsTreeProvider(ports);
  const bag = new DisposableBag();
  bag.add(provider);
  const view = bag.add(
    vscode.window.createTreeView(viewId, { treeDataProvider: provider, showCollapseAll: true }),
  );
  provider.onMessage = (message) => {
    view.message = message ?? '';
  };
  return { view, refresh: () => provider.refresh(), dispose: () => bag.dispose() };
}

class ForwardsTreeProvider implements vscode.TreeDataProvider<ForwardsNode>, Disposable {
  readonly #ports: ForwardPorts;
  readonly #bag = new DisposableBag();
  readonly #changed = new vscode.EventEmitter<ForwardsNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #shown = new Map<ForwardId, ForwardsNode>();
  #services: ForwardServices | undefined;
  #loading: Promise<ForwardServices> | undefined;
  onMessage: (message: string | undefined) => void = () => {};

  constructor(ports: ForwardPorts) {
    this.#ports = ports;
    this.#bag.add(this.#changed);
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(parent?: ForwardsNode): Promise<ForwardsNode[]> {
    if (parent?.kind === 'forward') return [];
    try {
      const { forwards } = await this.#load();
      if (parent === undefined) {
        this.#shown.clear();
        this.onMessage(undefined);
        return (await forwards.hosts()).map((listing) => ({ kind: 'forwardHost', listing }));
      }
      const all = await forwards.of(parent.listing.id, neverAborted);
      return all.map((forward) => {
        const node: ForwardsNode = { kind: 'forward', forward };
        this.#shown.set(forward.id, node);
        return node;
      });
    } catch (error) {
      this.onMessage(this.#ports.describeError(error));
      return [];
    }
  }

  getTreeItem(node: ForwardsNode): vscode.TreeItem {
    if (node.kind === 'forwardHost') return forwardHostItem(node.listing);
    const { forward } = node;
    const services = this.#services;
    if (services === undefined) return new vscode.TreeItem('');
    return forwardItem(forward, {
      state: services.forwards.state(forward.id),
      counters: services.forwards.counters(forward.id),
      describeFault: (fault) => this.#ports.describeFault(fault),
    });
  }

  dispose(): void {
    this.#bag.dispose();
  }

  #load(): Promise<ForwardServices> {
    return (this.#loading ??= this.#connect());
  }

  async #connect(): Promise<ForwardServices> {
    const services = await this.#ports.runtime();
    this.#services = services;
    this.#bag.add(services.hosts.onDidChange(() => this.refresh()));
    this.#bag.add(
      services.forwards.onDidChange((id) => {
        const node = this.#shown.get(id);
        if (node !== undefined) this.#changed.fire(node);
      }),
    );
    return services;
  }
}
