import { localFault } from '../../../domain/fault.ts';
import {
  hasFinished,
  type TransferId,
  type TransferRecord,
} from '../../../domain/transfer/transferRecord.ts';
import { keptForCallersMs, mostTransfers } from '../../ports/transfers.ts';

/** Whether a caller of a tool may still ask how it ended. Source: tools.md 14. */
export function isKeptForCaller({ by, finishedAt }: TransferRecord, now: number): boolean {
  return by === 'tool' && finishedAt !== undefined && now - finishedAt < keptForCallersMs;
}

/**
 * Which entries go so that one more can be added, of all that there are with the oldest first. Those of tools go by age alone. Rejects with
 * `transfers-full`.
 */
export function roomFor(records: readonly TransferRecord[], now: number): readonly TransferId[] {
  const expired = records.filter(
    (record) => record.by === 'tool' && hasFinished(record) && !isKeptForCaller(record, now),
  );
  const rest = records.filter((record) => !expired.includes(record));
  const surplus = Math.max(0, rest.length + 1 - mostTransfers);
  const oldest = rest
    .filter((record) => hasFinished(record) && !isKeptForCaller(record, now))
    .slice(0, surplus);
  if (oldest.length < surplus) throw localFault('transfers-full', { limit: String(mostTransfers) });
  return [...expired, ...oldest].map(({ id }) => id);
}
