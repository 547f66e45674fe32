import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, before, describe, it } from 'mocha';
import type { ConsumedSecret } from '../../../src/agentkit/index.ts';
import type { ElevatedFiles } from '../../../src/application/files/elevatedFiles.ts';
import type { ElevatedRequest } from '../../../src/application/files/remoteFilesService.ts';
import { pathOfText } from '../../../src/domain/files/remotePath.ts';
import { createAccount, type LabAccount } from '../../lab/account.ts';
import { startSshd } from '../../lab/sshd.ts';
import { createSudoer, sudoObstacle, type SudoRules } from '../../lab/sudoer.ts';
import { skipBecause } from '../../skip.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { faultOf, never, targetOf, within } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { readAll, writeAll } from './sftpBench.ts';

/** Files with the rights of another user, by the real sudo. */
describe('elevated files', function () {
  const cleaning: (() => unknown)[] = [];
  before(function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
  });
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  interface Machine {
    readonly account: LabAccount;
    readonly bench: FilesBench;
    /** A file that only root reads. */
    readonly secretFile: string;
    /** Files whose password is asked for; each answer is a password, and undefined is none. */
    elevated(
      answers: (string | undefined)[],
      request?: Omit<ElevatedRequest, 'ask'>,
    ): { readonly files: ElevatedFiles; readonly asked: () => number; readonly disposed: () => number };
  }

  async function start(account: LabAccount, clock?: FakeClock): Promise<Machine> {
    cleaning.push(() => account.dispose());
    const server = await startSshd({ account });
    cleaning.push(() => server.stop());
    const bench = await FilesBench.open(targetOf(server), clock);
    cleaning.push(() => bench.dispose());
    const secretFile = path.join(account.home, 'for-root');
    fs.writeFileSync(secretFile, 'only root reads this', { mode: 0o600 });
    return {
      account,
      bench,
      secretFile,
      elevated(answers, request = {}) {
        let asked = 0;
        let disposed = 0;
        const ask = async (): Promise<ConsumedSecret | undefined> => {
          const answer = answers[asked++];
          return answer === undefined
            ? undefined
            : { bytes: Buffer.from(answer), dispose: () => (disposed += 1) };
        };
        const files = bench.service.elevated(bench.host, { ...request, ask });
        cleaning.push(() => files.dispose());
        return { files, asked: () => asked, disposed: () => disposed };
      },
    };
  }

  const sudoer = (rules?: SudoRules): Promise<LabAccount> => createSudoer(rules);
  const read = (files: ElevatedFiles, at: string): Promise<string> =>
    within(
      files.use(async (open) => (await readAll(open, pathOfText(at))).toString(), never),
      'the file',
    );

  it('reads and writes what only root may, after one question', async () => {
    const machine = await start(await sudoer());
    const { files, asked, disposed } = machine.elevated([machine.account.password]);
    assert.equal(asked(), 0);
    assert.equal(await read(files, machine.secretFile), 'only root reads this');
    await files.use((open) => writeAll(open, pathOfText(machine.secretFile), Buffer.from('changed')), never);
    assert.equal(fs.readFileSync(machine.secretFile, 'utf8'), 'changed');
    const { uid, mode } = fs.statSync(machine.secretFile);
    assert.deepEqual([uid, mode & 0o777, asked(), disposed() > 0], [0, 0o600, 1, true]);
    const plain = await machine.bench.service.openTransfer(machine.bench.host, never);
    assert.equal((await faultOf(readAll(plain.files, pathOfText(machine.secretFile)))).code, 'denied');
    plain.release();
  });

  it('asks again after a wrong password', async () => {
    const machine = await start(await sudoer());
    const { files, asked } = machine.elevated(['not this one', machine.account.password]);
    assert.equal(await read(files, machine.secretFile), 'only root reads this');
    assert.equal(asked(), 2);
  });

  it('is refused when nobody corrects a wrong password, and holds nothing', async () => {
    const machine = await start(await sudoer());
    const { files } = machine.elevated(['not this one', undefined]);
    const fault = await faultOf(read(files, machine.secretFile));
    assert.deepEqual([fault.code, fault.facts['reason']], ['sudo-refused', 'the password was not accepted']);
    assert.deepEqual(machine.bench.held, []);
  });

  it('does nothing when nobody answers', async () => {
    const machine = await start(await sudoer());
    const { files } = machine.elevated([undefined]);
    const fault = await faultOf(read(files, machine.secretFile));
    assert.deepEqual([fault.code, fault.outcome, machine.bench.held], ['cancelled', 'not-sent', []]);
  });

  it('asks nobody where sudo needs no password', async () => {
    const machine = await start(await sudoer({ withoutPassword: 'ALL' }));
    const { files, asked } = machine.elevated([]);
    assert.equal(await read(files, machine.secretFile), 'only root reads this');
    assert.equal(asked(), 0);
  });

  it('says in the words of sudo why somebody may not use it', async () => {
    const account = await createAccount({ hasPassword: true });
    const machine = await start(account);
    const { files } = machine.elevated([account.password]);
    const fault = await faultOf(read(files, machine.secretFile));
    assert.equal(fault.code, 'sudo-refused');
    assert.match(fault.facts['reason'] ?? '', /not in the sudoers file|not allowed/);
  });

  it('says in the words of sudo that a user is unknown, and asks for no password', async () => {
    const machine = await start(await sudoer());
    const { files, asked } = machine.elevated([machine.account.password], { user: 'nobody-by-this-name' });
    const fault = await faultOf(read(files, machine.secretFile));
    assert.equal(fault.code, 'sudo-refused');
    assert.match(fault.facts['reason'] ?? '', /unknown user.*nobody-by-this-name/);
    assert.equal(asked(), 0);
  });

  it('has the rights of the user that was chosen', async () => {
    const machine = await start(await sudoer());
    const { files } = machine.elevated([machine.account.password], { user: machine.account.name });
    assert.equal((await faultOf(read(files, machine.secretFile))).code, 'denied');
  });

  it('asks again after 15 idle minutes', async () => {
    const clock = new FakeClock();
    const machine = await start(await sudoer(), clock);
    const { files, asked } = machine.elevated([machine.account.password, machine.account.password]);
    await read(files, machine.secretFile);
    await clock.advance(15 * 60_000 - 1);
    assert.deepEqual(machine.bench.held, ['sftp-browse']);
    await clock.advance(1);
    assert.deepEqual([machine.bench.held, asked()], [[], 1]);
    await read(files, machine.secretFile);
    assert.equal(asked(), 2);
  });
});
