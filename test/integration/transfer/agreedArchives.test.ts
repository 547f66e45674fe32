import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { HostCommands } from '../../../src/application/ports/hostCommands.ts';
import { ArchiveLeave } from '../../../src/application/transfer/archive/archiveLeave.ts';
import type { FolderOutcome } from '../../../src/application/transfer/engine/transfer.ts';
import { placeOf } from '../../../src/application/transfer/queue/transferPlaces.ts';
import type { ShellFamily } from '../../../src/domain/host/host.ts';
import type { HostId } from '../../../src/domain/host/hostId.ts';
import { hostCommands } from '../../../src/infrastructure/sftp/hostCommands.ts';
import { hostPrograms } from '../../../src/infrastructure/sftp/hostPrograms.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { FilesBench } from '../sftp/filesBench.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { localPlace, newEngine } from './engine.ts';
import { treeOf } from './transferBench.ts';

describe('archives of a host over its one connection', function () {
  this.timeout(120_000);
  let server: Sshd;
  let bench: FilesBench;
  let folder: string;
  let home: string;
  /** As it is known of the host. */
  let shellFamily: ShellFamily | undefined;
  let asked: string[];
  let started: number;
  /** The person's next answer is kept. */
  let answered: Promise<void>;
  let leave: ArchiveLeave;

  before(async () => {
    server = await startServer({});
    bench = await FilesBench.open(targetOf(server));
  });
  after(async () => {
    await bench.dispose();
    await server.stop();
  });
  beforeEach(async () => {
    folder = await fs.mkdtemp(path.join(server.folder, 'agreed-'));
    home = path.join(server.account.home, `termind-agreed-${randomUUID()}`);
    await fs.mkdir(home);
    await fs.chown(home, server.account.uid, server.account.gid);
    await fs.mkdir(path.join(folder, 'from'));
    for (let n = 0; n < 220; n++)
      await fs.writeFile(path.join(folder, 'from', String(n)), `content ${String(n)}`);
    shellFamily = 'posix';
    asked = [];
    started = 0;
    leave = newLeave();
  });

  function newLeave(): ArchiveLeave {
    const options = {
      connections: bench.connections,
      facts: {
        get: async () => undefined,
        facts: async () => (shellFamily === undefined ? {} : { shellFamily }),
      },
      clock: systemClock,
    };
    const given = new Set<HostId>();
    let tell = (): void => {};
    answered = new Promise((resolve) => (tell = resolve));
    return new ArchiveLeave({
      use: () => 'ask',
      consents: {
        isGiven: ({ host }) => given.has(host),
        ask: async ({ host, label, files }) => {
          asked.push(`${label}: ${String(files)}`);
          given.add(host);
          tell();
        },
        given: () => [...given],
        withdraw: async (host) => void given.delete(host),
      },
      placeOf: async (id) => ({ id, address: '192.0.2.1', port: 22, user: 'lab' }),
      commandsOf: (host): HostCommands => hostCommands(host, options),
      programsOf: (host) => ({
        start: (command, signal) => {
          started += 1;
          return hostPrograms(host, options).start(command, signal);
        },
      }),
      learn: async () => {
        if (shellFamily !== 'posix') tell();
        return { label: 'web-1', isPosix: shellFamily === 'posix' };
      },
      clock: systemClock,
      log: { warn: () => {} },
    });
  }

  const upload = (name: string): Promise<FolderOutcome> => {
    const to = placeOf(
      { k: 'remote', host: bench.host, path: path.join(home, name) },
      {
        openTransfer: (host, signal) => bench.service.openTransfer(host, signal),
        archivesOf: (host) => leave.of(host),
      },
    );
    const from = localPlace(folder, 'from');
    return newEngine(folder).folder({ from, to, existing: 'skip' }, never);
  };

  it('are used once the person has agreed, and leave no channel open', async () => {
    assert.equal((await upload('first')).doneFiles, 220);
    await withinDeadline('the person to answer', answered);
    assert.deepEqual([asked, started], [['web-1: 220'], 0]);
    assert.equal((await upload('second')).doneFiles, 220);
    assert.deepEqual([asked.length, started, bench.held], [1, 1, []]);
    for (const name of ['first', 'second'])
      assert.deepEqual(treeOf(path.join(home, name)), treeOf(path.join(folder, 'from')));
  });

  it('are neither asked about nor used where the shell is not known', async () => {
    shellFamily = undefined;
    assert.equal((await upload('first')).doneFiles, 220);
    await withinDeadline('the host to be examined', answered);
    assert.deepEqual([asked, started, bench.held], [[], 0, []]);
  });
});
