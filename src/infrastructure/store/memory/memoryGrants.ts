import { randomUUID } from 'node:crypto';
import type { ClockPort, ConversationId, Grant, GrantShape } from '../../../agentkit/index.ts';
import type { GrantStorePort } from '../../../application/ports/grants.ts';
import { localFault } from '../../../domain/fault.ts';
import { shapeText } from '../grantRows.ts';

export interface MemoryGrantsOptions {
  readonly clock: ClockPort;
  readonly exists: (conversation: ConversationId) => boolean;
  readonly changed: () => void;
}

/** Grants without a file. */
export class MemoryGrants implements GrantStorePort {
  readonly #options: MemoryGrantsOptions;
  readonly #grants = new Map<ConversationId, Grant[]>();

  constructor(options: MemoryGrantsOptions) {
    this.#options = options;
  }

  async covering(conversation: ConversationId, shape: GrantShape): Promise<Grant | undefined> {
    return this.#of(conversation).find((grant) => shapeText(grant.shape) === shapeText(shape));
  }

  async give(conversation: ConversationId, shape: GrantShape): Promise<Grant> {
    if (!this.#options.exists(conversation)) throw localFault('stale-write');
    const known = await this.covering(conversation, shape);
    if (known !== undefined) return known;
    const grant = { id: randomUUID(), shape, givenAt: this.#options.clock.now() };
    this.#grants.set(conversation, [...this.#of(conversation), grant]);
    this.#options.changed();
    return grant;
  }

  async list(conversation: ConversationId): Promise<readonly Grant[]> {
    return this.#of(conversation);
  }

  async revoke(conversation: ConversationId, id: string): Promise<boolean> {
    const grants = this.#of(conversation);
    const rest = grants.filter((grant) => grant.id !== id);
    this.#grants.set(conversation, rest);
    if (rest.length === grants.length) return false;
    this.#options.changed();
    return true;
  }

  /** Those of a conversation that is gone are gone. */
  #of(conversation: ConversationId): Grant[] {
    if (!this.#options.exists(conversation)) this.#grants.delete(conversation);
    return this.#grants.get(conversation) ?? [];
  }
}
