import { Emitter, type ConversationId, type Disposable, type Event } from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';

/** A production host that a person lets the assistant change. */
export interface RaisedHost {
  readonly id: HostId;
  readonly label: string;
}

/**
 * Production hosts that a person has raised, by conversation: for the run that works now, or else for the next one, and never longer.
 * Held in this window only, so a reload lowers them, and so does a run of another window. Source: ssh.md 10.3; tools.md, section 1.
 */
export class RaisedHosts implements Disposable {
  readonly #raised = new Map<ConversationId, Map<HostId, RaisedHost>>();
  readonly #changed: Emitter<ConversationId>;

  constructor(onError: (error: unknown) => void) {
    this.#changed = new Emitter(onError);
  }

  readonly onDidChange: Event<ConversationId> = (listener) => this.#changed.event(listener);

  raise(conversation: ConversationId, host: RaisedHost): void {
    const hosts = this.#raised.get(conversation) ?? new Map<HostId, RaisedHost>();
    this.#raised.set(conversation, hosts.set(host.id, host));
    this.#changed.fire(conversation);
  }

  lower(conversation: ConversationId, host: HostId): void {
    if (this.#raised.get(conversation)?.delete(host) === true) this.#changed.fire(conversation);
  }

  /** The run of a conversation has ended: nothing is raised any more. */
  endRun(conversation: ConversationId): void {
    if (this.list(conversation).length === 0) return;
    this.#raised.delete(conversation);
    this.#changed.fire(conversation);
  }

  isRaised(conversation: ConversationId | undefined, host: HostId): boolean {
    return conversation !== undefined && this.#raised.get(conversation)?.has(host) === true;
  }

  list(conversation: ConversationId): readonly RaisedHost[] {
    return [...(this.#raised.get(conversation)?.values() ?? [])];
  }

  dispose(): void {
    this.#raised.clear();
    this.#changed.dispose();
  }
}
