/**
 * Downloads a file from a server that stops answering, and says `saved` when the journal knows several blocks. To be killed.
 * Arguments: the remote file, the folder here, the folder of the journals, the id of the host.
 */
import { systemClock } from '../../../src/agentkit/index.ts';
import { FileTransfers } from '../../../src/application/transfer/engine/fileTransfers.ts';
import type { TransferJournalsPort } from '../../../src/application/ports/transferJournals.ts';
import { pathOfText } from '../../../src/domain/files/remotePath.ts';
import { parseHostId } from '../../../src/domain/host/hostId.ts';
import { JournalFiles } from '../../../src/infrastructure/files/journalFiles.ts';
import { LocalFiles } from '../../../src/infrastructure/files/localFiles.ts';
import { SftpClient } from '../../../src/infrastructure/sftp/sftpClient.ts';
import { sftpType, startScriptedSftp } from '../../lab/scriptedSftp.ts';

/** More than two blocks of 4 MiB. */
const answered = 60;

const [remote = '', folder = '', journalFolder = '', id = ''] = process.argv.slice(2);
const host = parseHostId(id);
if (host === undefined) throw new Error('no host');
const journals = new JournalFiles(journalFolder);
const telling: TransferJournalsPort = {
  load: (key) => journals.load(key),
  ofWhole: (whole) => journals.ofWhole(whole),
  remove: (key) => journals.remove(key),
  replacement: (key) => journals.replacement(key),
  noteReplacement: (key, replacement) => journals.noteReplacement(key, replacement),
  endReplacement: (key) => journals.endReplacement(key),
  save: async (key, journal) => {
    await journals.save(key, journal);
    if (journal.blocks.length >= 2) process.stdout.write('saved\n');
  },
};
let reads = 0;
const server = startScriptedSftp({
  onRequest: (request) => {
    if (request.type === sftpType.read) reads += 1;
    return reads > answered ? undefined : request;
  },
});
const options = { clock: systemClock, way: 'subsystem', refused: [], onRefused: () => {} } as const;
const never = new AbortController().signal;
const files = await SftpClient.start(server.stream, options, never);
await new FileTransfers({ local: new LocalFiles(), journals: telling, clock: systemClock }).file(
  {
    from: {
      k: 'remote',
      host,
      path: pathOfText(remote),
      open: async () => ({ files, isShared: false, release: () => files.close() }),
    },
    to: { k: 'local', folder, path: ['file'] },
    existing: 'skip',
  },
  never,
);
