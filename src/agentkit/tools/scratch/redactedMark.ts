import { AgentError } from '../../agentError.ts';
import { mark } from '../../redaction/mark.ts';

/**
 * Throws `scratchRedactedMark` for a content with the mark of redaction, unless the file it replaces holds that text already: the
 * mark must not overwrite the secret it stands for. Source: agent runtime contract, section 14.
 */
export function refuseRedactedMark(content: string, current: Uint8Array | undefined): void {
  if (!content.includes(mark)) return;
  if (current !== undefined && Buffer.from(current).includes(mark)) return;
  throw new AgentError('scratchRedactedMark');
}
