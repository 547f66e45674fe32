import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startAskingServer, type AskingServer } from '../../lab/askingServer.ts';
import { serverObstacle, startServer, type StartedServer } from '../../lab/startServer.ts';
import { generateKey } from '../../lab/sshKey.ts';
import { skipBecause } from '../../skip.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SshBench, targetAt, targetOf } from './sshBench.ts';

describe('TRAP-17: an expired password in the method password', () => {
  let bench: SshBench;
  let server: AskingServer | undefined;
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(async () => {
    await bench.dispose();
    server?.stop();
    server = undefined;
  });
  const start = async (script: Parameters<typeof startAskingServer>[0]): Promise<Target> => {
    server = await startAskingServer(script);
    return targetAt(server);
  };
  /** One answer for each question, in order; more questions are an error of the test. */
  const answering = (...answers: readonly (string | undefined)[]): void => {
    const left = [...answers];
    bench.person.answerSecret = ({ title }) => {
      if (left.length === 0) throw new Error(`nobody expected the question "${title}"`);
      return left.shift();
    };
  };
  const asked = (): readonly (readonly unknown[])[] =>
    bench.person.secrets.map(({ kind, heading, canRemember, isRepeated }) => [
      ...[kind, heading],
      ...[canRemember, isRepeated],
    ]);

  it("is changed: the server's words, the new password twice, both sent, and kept when ticked", async () => {
    const target = await start((context) => {
      if (context.method !== 'password') return context.reject(['password']);
      context.requestChange('It has expired.\x07', () => context.accept());
    });
    answering('old', 'new', 'new');
    bench.person.remember = true;
    await bench.open(target);
    assert.deepEqual(server?.passwords, [
      { current: 'old', next: undefined },
      { current: 'old', next: 'new' },
    ]);
    assert.deepEqual(asked(), [
      ['password', '', true, false],
      ['newPassword', 'It has expired.\\x07', false, false],
      ['repeatPassword', 'It has expired.\\x07', true, false],
    ]);
    assert.deepEqual(bench.passwords.kept, ['new']);
  });

  it('is changed from a kept one without asking for that, and nothing is kept without a tick', async () => {
    const target = await start((context) => {
      if (context.method !== 'password') return context.reject(['password']);
      context.requestChange('Change it.', () => context.accept());
    });
    bench.passwords.password = 'kept';
    answering('new', 'new');
    await bench.open(target);
    assert.deepEqual(server?.passwords.at(-1), { current: 'kept', next: 'new' });
    assert.deepEqual(bench.passwords.kept, []);
  });

  it('two entries that differ, or are empty, are asked for again', async () => {
    const target = await start((context) => {
      if (context.method !== 'password') return context.reject(['password']);
      context.requestChange('Change it.', () => context.accept());
    });
    answering('old', 'new', 'other', '', '', 'new', 'new');
    await bench.open(target);
    assert.deepEqual(
      asked().map(([kind, , , isRepeated]) => [kind, isRepeated]),
      [
        ['password', false],
        ['newPassword', false],
        ['repeatPassword', false],
        ['newPassword', true],
        ['repeatPassword', false],
        ['newPassword', true],
        ['repeatPassword', false],
      ],
    );
    assert.deepEqual(server?.passwords.at(-1), { current: 'old', next: 'new' });
  });

  it("a new one that the server does not like is asked for again with the server's reason", async () => {
    const target = await start((context) => {
      if (context.method !== 'password') return context.reject(['password']);
      context.requestChange('Change it.', (first: string) =>
        first === 'long enough'
          ? context.accept()
          : context.requestChange('Too short.', () => context.accept()),
      );
    });
    answering('old', 'x', 'x', 'long enough', 'long enough');
    await bench.open(target);
    assert.deepEqual(
      asked().map(([kind, heading]) => [kind, heading]),
      [
        ['password', ''],
        ['newPassword', 'Change it.'],
        ['repeatPassword', 'Change it.'],
        ['newPassword', 'Too short.'],
        ['repeatPassword', 'Too short.'],
      ],
    );
    assert.deepEqual(server?.passwords.at(-1), { current: 'old', next: 'long enough' });
  });

  it('one that is refused ends as a failed change, and what was ticked is not kept', async () => {
    const target = await start((context) => {
      if (context.method !== 'password') return context.reject(['password']);
      context.requestChange('Change it.', () => context.reject(['password']));
    });
    answering('old', 'new', 'new', 'old', 'new', 'new', 'old', 'new', 'new');
    bench.person.remember = true;
    const fault = await bench.fault(target);
    assert.deepEqual([fault.code, fault.facts['reason']], ['password-change-failed', 'Change it.']);
    assert.deepEqual(bench.passwords.kept, []);
  });

  it('one that is refused leaves other methods in order: a key still opens the account', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'termind-expiry-'));
    try {
      const key = await generateKey(path.join(folder, 'key'));
      let isKeysTurn = false;
      const target = await start((context) => {
        if (context.method === 'publickey' && isKeysTurn) return context.accept();
        if (context.method !== 'password') return context.reject(['password']);
        context.requestChange('Change it.', () => {
          isKeysTurn = true;
          context.reject(['publickey']);
        });
      });
      answering('old', 'new', 'new');
      const identities: Target['identities'] = [{ kind: 'keyFile', path: key.privateFile, configured: true }];
      const transport = await bench.open({ ...target, identities });
      assert.equal(transport.acceptedKey, key.fingerprint);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  for (const answers of [
    ['old', undefined],
    ['old', 'new', undefined],
  ] as const)
    it(`closing the prompt after ${String(answers.length - 1)} answers sends nothing more`, async () => {
      const target = await start((context) => {
        if (context.method !== 'password') return context.reject(['password']);
        context.requestChange('Change it.', () => context.accept());
      });
      answering(...answers);
      const fault = await bench.fault(target);
      assert.deepEqual([fault.code, fault.facts['reason']], ['auth-expired', 'Change it.']);
      assert.equal(server?.passwords.length, 1);
    });
});

describe('an expired password behind PAM', function () {
  this.timeout(120_000);
  let server: StartedServer;
  const request = { kind: 'openssh10', auth: 'pam-expired' } as const;
  before(async function () {
    const obstacle = serverObstacle(request);
    if (obstacle !== undefined) skipBecause(this, obstacle);
    server = await startServer(request);
  });
  after(() => server.stop());

  it('is changed by keyboard-interactive: the old one once more, the new one twice, and only the new one is kept', async () => {
    const bench = new SshBench();
    try {
      const chosen = 'Kq8-long-enough-1';
      const answers: Readonly<Record<string, string | undefined>> = {
        'Password:': server.account.password,
        'Current password:': server.account.password,
        'New password:': chosen,
        'Retype new password:': chosen,
      };
      bench.person.answerSecret = ({ prompt }) => answers[prompt.trim()];
      bench.person.remember = true;
      await bench.open(
        targetOf(server, { identities: [], preferredAuthentications: ['keyboard-interactive'] }),
      );
      assert.deepEqual(
        bench.person.secrets.map(({ canRemember }) => canRemember),
        [true, false, false, true],
      );
      assert.match(bench.person.secrets[1]?.heading ?? '', /^You are required to change your password/);
      assert.deepEqual(bench.passwords.kept, [chosen]);
    } finally {
      await bench.dispose();
    }
  });
});
