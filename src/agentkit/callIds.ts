import { callId, type CallId } from './ids.ts';
import type { ToolCall } from './message.ts';

/**
 * Gives every call an id that no other call of the run has: servers that speak a borrowed protocol omit ids or count from zero in
 * every turn. An id the provider made is kept when it is free. `used` grows by the ids given out.
 */
export function withUniqueIds(
  calls: readonly (Omit<ToolCall, 'id'> & { readonly id: CallId | undefined })[],
  used: Set<CallId>,
  newId: () => string,
): ToolCall[] {
  return calls.map((call) => {
    const id = call.id === undefined || used.has(call.id) ? callId(newId()) : call.id;
    used.add(id);
    return { id, name: call.name, argumentsText: call.argumentsText };
  });
}
