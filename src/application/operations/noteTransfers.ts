import type { Disposable } from '../../agentkit/index.ts';
import type { TransferRecord } from '../../domain/transfer/transferRecord.ts';
import type { HostDirectory } from '../ports/hosts.ts';
import type { TransferQueue } from '../transfer/queue/transferQueue.ts';
import { showTransferPlace } from '../transfer/queue/transferPlaces.ts';
import { operationHost, type ActNotes } from './notedActs.ts';

/** Writes down how transfers onto hosts have ended. The caller disposes the result. */
export function noteTransfers(
  queue: Pick<TransferQueue, 'onDidFinish'>,
  { notes, hosts }: { readonly notes: ActNotes; readonly hosts: Pick<HostDirectory, 'get'> },
): Disposable {
  const note = async (record: TransferRecord): Promise<void> => {
    const { from, to, by, state } = record;
    if (to.k !== 'remote') return;
    const host = await hosts.get(to.host).catch(() => undefined);
    notes.note({
      what: 'filesTransferred',
      actor: by === 'person' ? 'person' : 'termind',
      facts: { from: showTransferPlace(from), to: showTransferPlace(to), status: state },
      ...(host === undefined ? {} : { host: operationHost(host) }),
    });
  };
  return queue.onDidFinish((record) => void note(record));
}
