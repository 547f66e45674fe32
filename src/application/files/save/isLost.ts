import type { Fault } from '../../../domain/fault.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';

const lostCodes: readonly Fault['code'][] = [
  'outcome-unknown',
  'stalled',
  'sftp-ended',
  'sftp-broken',
  'link-lost',
  'server-closed',
  'not-responding',
];

/** Whether a step got no answer, so that nobody knows what it did. A person who stops waiting does not lose the link. */
export function isLost(files: Pick<RemoteFiles, 'isEnded'>, fault: Fault): boolean {
  if (files.isEnded || lostCodes.includes(fault.code)) return true;
  return fault.outcome === 'unknown' && fault.code !== 'cancelled';
}
