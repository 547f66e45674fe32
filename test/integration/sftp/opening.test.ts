import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { placeKey } from '../../../src/application/exec/hostPlace.ts';
import type { HeldFiles } from '../../../src/application/files/heldFiles.ts';
import type { RemoteFiles } from '../../../src/application/ports/remoteFiles.ts';
import { pathOfText, textOfPath } from '../../../src/domain/files/remotePath.ts';
import type { HostListing } from '../../../src/domain/host/host.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import { startEquipment, type Equipment, type EquipmentOptions } from '../../lab/equipment.ts';
import type { LabServer } from '../../lab/labServer.ts';
import { serveScriptedSftp, sftpServerProgram, type SftpScript } from '../../lab/scriptedSftp.ts';
import type { SshdOptions } from '../../lab/sshd.ts';
import { serverObstacle, startServer as startAny } from '../../lab/startServer.ts';
import { skipBecause } from '../../skip.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { faultOf, never, startServer, targetAt, targetOf, within } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { listAll, patterned, readAll, writeAll } from './sftpBench.ts';

const once = { isRepeatable: false };

describe('opening the files of a host', () => {
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  });

  async function benchAt(server: LabServer): Promise<FilesBench> {
    const bench = await FilesBench.open(targetOf(server));
    running.push({ stop: () => bench.dispose() });
    return bench;
  }

  async function start(
    options: SshdOptions,
  ): Promise<{ readonly server: LabServer; readonly bench: FilesBench }> {
    const server = await startServer(options);
    running.push(server);
    return { server, bench: await benchAt(server) };
  }

  async function startOdd(
    options: EquipmentOptions,
    clock?: FakeClock,
  ): Promise<{ readonly equipment: Equipment; readonly bench: FilesBench }> {
    const equipment = await startEquipment(options);
    running.push(equipment);
    const bench = await FilesBench.open(targetAt(equipment), clock);
    running.push({ stop: () => bench.dispose() });
    return { equipment, bench };
  }

  /** SFTP on a server that behaves as the scripts say, one after the other. */
  function scripted(scripts: readonly SftpScript[]): {
    readonly options: EquipmentOptions;
    readonly sessions: ReturnType<typeof serveScriptedSftp>[];
  } {
    const sessions: ReturnType<typeof serveScriptedSftp>[] = [];
    const serveSubsystem: EquipmentOptions['serveSubsystem'] = (channel) => {
      sessions.push(serveScriptedSftp(channel, scripts[sessions.length] ?? scripts.at(-1) ?? {}));
    };
    return { options: { serveSubsystem }, sessions };
  }

  const roundTrip = async (files: RemoteFiles, home: string): Promise<void> => {
    const at = pathOfText(`${home}/termind-${randomUUID()}`);
    await writeAll(files, at, patterned(700_001));
    assert.ok((await readAll(files, at)).equals(patterned(700_001)));
    await files.remove(at, never);
  };

  for (const sftp of ['internal', 'program'] as const)
    it(`works with the subsystem (${sftp})`, async () => {
      const { server, bench } = await start({ sftp });
      await bench.service.browse(bench.host).use(
        async (files) => {
          assert.equal(files.capabilities.way, 'subsystem');
          await roundTrip(files, server.account.home);
        },
        once,
        never,
      );
      assert.deepEqual(bench.facts, {});
    });

  it('SFTP-1: a start-up file that prints is passed over by the server program behind a marker, from then on at once', async function () {
    if (!canCreateAccounts()) return skipBecause(this, 'only root can make an account with a start-up file');
    const { server, bench } = await start({ sftp: 'program' });
    fs.writeFileSync(path.join(server.account.home, '.bashrc'), "echo Have a nice day; printf '\\033[33m'\n");
    for (let n = 0; n < 2; n++) {
      await bench.service.browse(bench.host).use(
        async (files) => {
          assert.equal(files.capabilities.way, 'command');
          await roundTrip(files, server.account.home);
        },
        once,
        never,
      );
      const { files } = bench.facts;
      assert.deepEqual([files?.way, files?.program], ['command', sftpServerProgram]);
      bench.service.browse(bench.host).close();
    }
  });

  it('SFTP-1: where no program helps, the text of the start-up file is told', async () => {
    const { options } = scripted([{ noise: 'Motd of the day\n' }]);
    const { bench } = await startOdd({ ...options, takes: () => false });
    const fault = await faultOf(bench.service.openTransfer(bench.host, never));
    assert.deepEqual([fault.code, fault.facts['text']], ['sftp-noise', 'Motd of the day']);
    assert.deepEqual([bench.facts, bench.held], [{}, []]);
  });

  it('a transfer that was agreed to goes to the host that was shown, and to no other', async () => {
    const { server, bench } = await start({ sftp: 'internal' });
    const shown: HostListing = {
      ...{ id: bench.host, label: 'web-1', source: 'vault', address: server.host, port: server.port },
      ...{ user: server.account.name, group: undefined, tags: [], tier: undefined, alias: undefined },
    };
    const open = (listing: HostListing | undefined): Promise<HeldFiles> => {
      bench.listing = listing;
      return bench.service.openTransfer(bench.host, never, placeKey(shown));
    };
    (await open({ ...shown, label: 'another name', tags: ['new'] })).release();
    const edits = [{ address: '192.0.2.1' }, { port: 1 }, { user: 'other' }, { way: 'by another host' }];
    for (const edit of edits)
      assert.equal((await faultOf(open({ ...shown, ...edit }))).code, 'host-moved', JSON.stringify(edit));
    assert.equal((await faultOf(open(undefined))).code, 'host-moved');
    // Somebody has edited the host and this connection is still the one of before: it is not what is listed.
    const moved = { ...shown, port: server.port + 1 };
    bench.listing = moved;
    const late = faultOf(bench.service.openTransfer(bench.host, never, placeKey(moved)));
    assert.equal((await late).code, 'host-moved');
    assert.deepEqual(bench.held, []);
  });

  it('SFTP-2: without a subsystem the server program is started by a command', async () => {
    const { server, bench } = await start({ sftp: 'none' });
    const held = await bench.service.openTransfer(bench.host, never);
    assert.equal(held.files.capabilities.way, 'command');
    await roundTrip(held.files, server.account.home);
    held.release();
    assert.deepEqual(bench.held, []);
  });

  it('SFTP-2: a subsystem whose program is missing counts as none', async () => {
    const { server, bench } = await start({ sftp: 'none', config: ['Subsystem sftp /nowhere/sftp-server'] });
    const held = await bench.service.openTransfer(bench.host, never);
    assert.equal(held.files.capabilities.way, 'command');
    await roundTrip(held.files, server.account.home);
    held.release();
  });

  it('no SFTP at all is remembered after an answer, until it is tried anew', async () => {
    const { equipment, bench } = await startOdd({ takes: () => false });
    const browsed = bench.service.browse(bench.host);
    const list = () => faultOf(browsed.use((files) => listAll(files, pathOfText('/')), once, never));
    assert.equal((await list()).code, 'sftp-missing');
    assert.equal(bench.facts.files?.way, 'none');
    const again = await list();
    assert.deepEqual([again.code, again.outcome, equipment.commands.length], ['sftp-missing', 'not-sent', 1]);
    await bench.service.forget(bench.host);
    await list();
    assert.equal(equipment.commands.length, 2);
  });

  it('a server that says nothing is stalled, and nothing is remembered of it', async () => {
    const clock = new FakeClock();
    const { options, sessions } = scripted([{ onRequest: () => undefined }]);
    const { bench } = await startOdd(options, clock);
    const opening = faultOf(bench.service.openTransfer(bench.host, never));
    while ((sessions[0]?.requests.length ?? 0) === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(30_000);
    assert.equal((await within(opening, 'the fault')).code, 'stalled');
    assert.deepEqual([bench.facts, bench.held, clock.pending], [{}, [], 0]);
  });

  it('SFTP-13: a channel that was closed while nobody used it is opened again without an error', async () => {
    const { options, sessions } = scripted([{}]);
    const { bench } = await startOdd(options);
    const browsed = bench.service.browse(bench.host);
    const start = async (): Promise<string> =>
      textOfPath(await browsed.use((files) => files.realpath(pathOfText('.'), never), once, never));
    assert.match(await start(), /^\//);
    const first = browsed.current;
    sessions[0]?.stop();
    await within(first?.ended ?? Promise.reject(new Error('nothing was open')), 'the end');
    assert.match(await start(), /^\//);
    assert.deepEqual([sessions.length, bench.held], [2, ['sftp-browse']]);
  });

  it('what only reads is repeated when its channel goes meanwhile, what changes something is not', async () => {
    const dies: SftpScript = {
      onRequest: (request) => (request.body.includes('deadly') ? undefined : request),
    };
    const { options, sessions } = scripted([dies, dies, {}]);
    const { bench } = await startOdd(options);
    const browsed = bench.service.browse(bench.host);
    const endWhenAsked = async (session: number): Promise<void> => {
      while (!(sessions[session]?.requests ?? []).some(({ body }) => body.includes('deadly')))
        await new Promise((resolve) => setImmediate(resolve));
      sessions[session]?.stop();
    };
    const removing = browsed.use((files) => files.remove(pathOfText('/tmp/deadly'), never), once, never);
    const [fault] = await Promise.all([faultOf(removing), endWhenAsked(0)]);
    assert.deepEqual([fault.code, sessions.length], ['outcome-unknown', 1]);
    const reading = browsed.use(
      (files) => files.stat(pathOfText('/tmp/deadly'), never),
      { isRepeatable: true },
      never,
    );
    const [missing] = await Promise.all([faultOf(reading), endWhenAsked(1)]);
    assert.deepEqual([missing.code, sessions.length], ['not-found', 3]);
  });

  it('five idle minutes close the channel and give the lease back', async () => {
    const clock = new FakeClock();
    const { options, sessions } = scripted([{}]);
    const { bench } = await startOdd(options, clock);
    const browsed = bench.service.browse(bench.host);
    const use = () => browsed.use((files) => files.realpath(pathOfText('.'), never), once, never);
    await use();
    await clock.advance(299_999);
    assert.deepEqual(bench.held, ['sftp-browse']);
    await clock.advance(1);
    assert.deepEqual([bench.held, browsed.current], [[], undefined]);
    await use();
    assert.equal(sessions.length, 2);
  });

  it('uses at the same time share one channel', async () => {
    const { options, sessions } = scripted([{}]);
    const { bench } = await startOdd(options);
    const browsed = bench.service.browse(bench.host);
    await Promise.all(
      [1, 2, 3, 4].map(() => browsed.use((files) => files.realpath(pathOfText('.'), never), once, never)),
    );
    assert.deepEqual([sessions.length, bench.held], [1, ['sftp-browse']]);
  });

  for (const maxSessions of [1, 2])
    it(`SFTP-14: with MaxSessions ${maxSessions.toString()} a transfer shares the channel of browsing, without a flood of refusals`, async () => {
      const { server, bench } = await start({ maxSessions });
      const terminal =
        maxSessions === 2
          ? await bench.transport.as('terminal').shell({ rows: 24, cols: 80, environment: [] }, never)
          : undefined;
      const browsed = bench.service.browse(bench.host);
      await browsed.use((files) => roundTrip(files, server.account.home), once, never);
      for (let n = 0; n < 3; n++) {
        const transfer = await bench.service.openTransfer(bench.host, never);
        assert.deepEqual([transfer.files === browsed.current, transfer.isShared], [true, true]);
        await roundTrip(transfer.files, server.account.home);
        transfer.release();
        assert.equal(browsed.current?.isEnded, false);
      }
      const refusals = server.log().match(/no more sessions/g) ?? [];
      assert.ok(refusals.length <= 1, `${refusals.length.toString()} refusals`);
      terminal?.close();
    });

  it('where there are more channels, transfers have their own and wait for one', async () => {
    const { server, bench } = await start({ maxSessions: 4 });
    const browsed = bench.service.browse(bench.host);
    await browsed.use((files) => roundTrip(files, server.account.home), once, never);
    const transfers = await Promise.all([1, 2].map(() => bench.service.openTransfer(bench.host, never)));
    assert.deepEqual(
      transfers.map(({ files, isShared }) => [files === browsed.current, isShared]),
      [
        [false, false],
        [false, false],
      ],
    );
    const terminal = await bench.transport
      .as('terminal')
      .shell({ rows: 24, cols: 80, environment: [] }, never);
    let isOpen = false;
    const waiting = bench.service.openTransfer(bench.host, never).then((held) => {
      isOpen = true;
      return held;
    });
    await server.waitForLog(/no more sessions/, 30_000);
    assert.equal(isOpen, false);
    transfers[0]?.release();
    const third = await within(waiting, 'the place');
    assert.equal(third.isShared, false);
    third.release();
    terminal.close();
  });

  it('a run has a channel of its own, which ends with it', async () => {
    const { bench } = await start({});
    const held = await bench.service.openOver(bench.host, bench.lease('agent-sftp'), never);
    assert.deepEqual(bench.held, ['agent-sftp']);
    held.release();
    held.release();
    assert.deepEqual([held.files.isEnded, bench.held], [true, []]);
  });

  it('dropbear, which starts the program of OpenSSH, is served like OpenSSH', async function () {
    const obstacle = serverObstacle({ kind: 'dropbear' });
    if (obstacle !== undefined) return skipBecause(this, obstacle);
    const server = await startAny({ kind: 'dropbear' });
    running.push(server);
    const bench = await benchAt(server);
    const held = await bench.service.openTransfer(bench.host, never);
    assert.equal(held.files.capabilities.way, 'subsystem');
    await roundTrip(held.files, textOfPath(await held.files.realpath(pathOfText('.'), never)));
    held.release();
  });
});
