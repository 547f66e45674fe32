import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { ConnectionManager } from '../ports/connection.ts';
import type { HostDirectory } from '../ports/hosts.ts';
import type { WorkspaceFacts } from './termindPolicy.ts';

/** The hosts that are connected in this window, by label, kept up to date by events. */
export class ConnectedHosts implements Disposable {
  readonly #labels = new Map<HostId, string>();
  readonly #bag = new DisposableBag();

  constructor(
    connections: Pick<ConnectionManager, 'onDidChange' | 'state'>,
    hosts: Pick<HostDirectory, 'get'>,
  ) {
    this.#bag.add(
      connections.onDidChange(({ hostId, state }) => {
        if (state.k !== 'ready') return void this.#labels.delete(hostId);
        // A host that cannot be read has no label to show.
        void hosts.get(hostId).then(
          (host) => {
            if (host !== undefined && connections.state(hostId).k === 'ready')
              this.#labels.set(hostId, host.label);
          },
          () => {},
        );
      }),
    );
  }

  list(): WorkspaceFacts['connectedHosts'] {
    return [...this.#labels].map(([hostId, label]) => ({ hostId, label }));
  }

  dispose(): void {
    this.#bag.dispose();
  }
}
