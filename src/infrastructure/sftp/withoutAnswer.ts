import type { Fault } from '../../domain/fault.ts';
import { outcomeUnknown } from '../../domain/ssh/connectionFault.ts';

/** What a caller is told about a request that was sent and got no answer. Source: ssh.md 1.4. */
export function withoutAnswer(cause: Fault, { isChange }: { readonly isChange: boolean }): Fault {
  if (!isChange) return { ...cause, outcome: 'failed' };
  return cause.code === 'cancelled' ? { ...cause, outcome: 'unknown' } : outcomeUnknown(cause);
}
