import type { ConversationId } from './ids.ts';
import type { JsonObject } from './json.ts';

/**
 * One shape of call, exactly. What differs in any way is another shape: `key` holds everything that decides what the call does, for
 * example argv, redirects, folder and person. Source: agent runtime contract, section 11.
 */
export interface GrantShape {
  /** Qualified name of the tool. */
  readonly tool: string;
  /** Stable id of the target; empty for local actions. */
  readonly targetId: string;
  readonly key: JsonObject;
  /** What a person reads in the list of grants: the action, and where. Redacted. */
  readonly action: string;
  readonly target: string;
}

/** A person's word that calls of one shape run without asking, as long as the conversation is there. */
export interface Grant {
  readonly id: string;
  readonly shape: GrantShape;
  /** Milliseconds since 1970 UTC. */
  readonly givenAt: number;
}

/** Where grants are kept. Read at every call that one might cover, so that a revoked one counts at once, in every window. */
export interface GrantPort {
  /** Undefined when no grant has exactly this shape. */
  covering(conversation: ConversationId, shape: GrantShape): Promise<Grant | undefined>;
  /** Resolves when it is stored; a shape that is granted already keeps its grant. */
  give(conversation: ConversationId, shape: GrantShape): Promise<Grant>;
}
