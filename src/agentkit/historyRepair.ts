import type { Message } from './message.ts';
import { pairCalls } from './pairing.ts';
import { withExpiredSecrets } from './secrets/expiredSecrets.ts';

/**
 * Closes a stored history before a run goes on with it: every call is answered, results of no call are dropped, no secret handle is
 * left. `added` are the answers that are not stored yet. Source: agent runtime contract, sections 3.1 (step 2) and 23 (second step of the restore).
 */
export function repairHistory(stored: readonly Message[]): {
  readonly messages: readonly Message[];
  readonly added: readonly Message[];
} {
  const known = new Set(stored.map((message) => message.id));
  const messages = pairCalls(stored).map(withExpiredSecrets);
  return { messages, added: messages.filter((message) => !known.has(message.id)) };
}
