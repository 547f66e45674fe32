import type { ConversationId, Grant, GrantPort } from '../../agentkit/index.ts';

/**
 * The grants of all conversations, shared by all windows. They end with their conversation; a copy of a conversation has none. Rejects
 * with the faults of the store, and `give` with `stale-write` for a conversation that is gone. Source: agent runtime contract,
 * section 11.
 */
export interface GrantStorePort extends GrantPort {
  /** Oldest first. */
  list(conversation: ConversationId): Promise<readonly Grant[]>;
  /** False when it is not there (any more). */
  revoke(conversation: ConversationId, grant: string): Promise<boolean>;
}
