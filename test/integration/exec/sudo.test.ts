import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'mocha';
import type { ConsumedSecret } from '../../../src/agentkit/index.ts';
import type { CommandSecret } from '../../../src/application/exec/remoteCommand.ts';
import { withSudoPrompt } from '../../../src/domain/shell/sudoCommand.ts';
import type { LabAccount } from '../../lab/account.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { createSudoer, sudoObstacle, type SudoRules } from '../../lab/sudoer.ts';
import { skipBecause } from '../../skip.ts';
import { targetOf, within } from '../ssh/sshBench.ts';
import { ExecBench, textOf } from './execBench.ts';

/** A command with the mark of its prompt, as preflight makes it. */
function prompted(line: string): { command: string; marker: string } {
  const marker = `termind-sudo-${randomBytes(16).toString('hex')}`;
  const command = withSudoPrompt(line, marker);
  if (command === undefined) throw new Error(`not a sudo command: ${line}`);
  return { command, marker };
}

interface Machine {
  readonly account: LabAccount;
  readonly server: Sshd;
  readonly bench: ExecBench;
}

async function startMachine(rules: SudoRules = {}): Promise<Machine> {
  const account = await createSudoer(rules);
  const server = await startSshd({ account });
  return { account, server, bench: await ExecBench.open(targetOf(server)) };
}

async function stopMachine({ account, server, bench }: Machine): Promise<void> {
  await bench.dispose();
  await server.stop();
  account.dispose();
}

describe('sudo with a password, by the real sudo', function () {
  this.timeout(60_000);
  const started: Machine[] = [];
  before(function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
  });
  afterEach(async () => {
    for (const machine of started.splice(0)) await stopMachine(machine);
  });
  after(() => assert.equal(started.length, 0));

  async function start(rules?: SudoRules): Promise<Machine> {
    const machine = await startMachine(rules);
    started.push(machine);
    return machine;
  }

  const sudoSecret = (
    marker: string,
    first: ConsumedSecret,
    again?: () => Promise<ConsumedSecret | undefined>,
  ): CommandSecret => ({
    kind: 'sudo',
    password: { marker, first, ...(again === undefined ? {} : { again }) },
  });

  it('runs the command as root; neither prompt nor password is in the output', async () => {
    const { bench, account } = await start();
    const { command, marker } = prompted("sudo sh -c 'id -un; cat; echo also >&2'");
    const secret = sudoSecret(marker, bench.secret(account.password ?? ''));
    const held = await bench.run(command, { secret, stdin: { text: 'the input\n', keepOpen: false } });
    const { status, exitCode, note, sudoFault } = held.command.record();
    assert.deepEqual([status, exitCode, note, sudoFault], ['exited', 0, undefined, undefined]);
    assert.deepEqual(textOf(held).split('\n').sort(), ['also', 'root', 'the input']);
  });

  it('a command that prints the password is redacted before it is kept', async () => {
    const { bench, account } = await start();
    const password = account.password ?? '';
    const { command, marker } = prompted(
      `sudo sh -c 'echo "it is ${password}"; printf %s ${password.slice(0, 5)}; sleep 0.1; echo ${password.slice(5)}'`,
    );
    const held = await bench.run(command, { secret: sudoSecret(marker, bench.secret(password)) });
    assert.equal(textOf(held), 'it is [redacted]\n[redacted]');
  });

  it('a wrong one is asked of a person again; the second is right', async () => {
    const { bench, account } = await start();
    const { command, marker } = prompted('sudo id -un');
    let asked = 0;
    const again = async (): Promise<ConsumedSecret> => {
      asked += 1;
      return bench.secret(account.password ?? '');
    };
    const held = await bench.run(command, {
      secret: sudoSecret(marker, bench.secret('not this one'), again),
    });
    assert.deepEqual([held.command.record().exitCode, asked], [0, 1]);
    assert.match(textOf(held), /Sorry, try again\.\nroot/);
  });

  it('a wrong one that nobody corrects is spent after one, and the command did not run', async () => {
    const { bench } = await start();
    const { command, marker } = prompted('sudo touch /root/termind-was-here');
    const held = await bench.run(command, { secret: sudoSecret(marker, bench.secret('not this one')) });
    const { exitCode, sudoFault, note } = held.command.record();
    assert.deepEqual([exitCode, sudoFault], [1, 'refused']);
    assert.equal(note, 'sudo refused the password, so the command did not run.');
    assert.doesNotMatch(textOf(held), /termind-sudo|not this one/);
  });

  it('a command that needs no password gets none, and runs to its end', async () => {
    const { bench } = await start({ withoutPassword: 'ALL' });
    const { command, marker } = prompted('sudo id -un');
    const held = await bench.run(command, { secret: sudoSecret(marker, bench.secret('not needed')) });
    assert.deepEqual([held.command.record().exitCode, textOf(held)], [0, 'root']);
  });

  it('a machine whose sudo wants a terminal says so', async () => {
    const { bench, account } = await start({ defaults: ['requiretty'] });
    const { command, marker } = prompted('sudo id -un');
    const held = await bench.run(command, {
      secret: sudoSecret(marker, bench.secret(account.password ?? '')),
    });
    const { exitCode, sudoFault, note } = held.command.record();
    assert.deepEqual(
      [exitCode, sudoFault, note],
      [1, 'needsTerminal', 'sudo on this host requires a terminal, so the command did not run.'],
    );
  });

  it('what is written meanwhile reaches the command behind sudo, and never sudo', async () => {
    const { bench, account } = await start();
    const { command, marker } = prompted('sudo cat');
    const secret = sudoSecret(marker, bench.secret(account.password ?? ''));
    const held = await bench.start(command, { secret, stdin: { text: 'first\n', keepOpen: true } });
    const take = () => ({ kind: 'bytes', bytes: Buffer.from('second\n') }) as const;
    const outcome = await held.command.write({ take, closes: true }, new AbortController().signal);
    assert.deepEqual(outcome, { kind: 'written', bytes: 7 });
    await within(held.command.ended, 'the end of cat');
    assert.equal(textOf(held), 'first\nsecond');
  });

  it('a secret for another reader is its first line of input', async () => {
    const { bench } = await start();
    const secret: CommandSecret = { kind: 'input', secret: bench.secret('open sesame') };
    const held = await bench.run('read -r first; read -r second; echo "${#first} $second"', {
      secret,
      stdin: { text: 'and more\n', keepOpen: false },
    });
    assert.equal(textOf(held), '11 and more');
  });
});
