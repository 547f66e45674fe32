import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { attemptJson } from '../../../src/domain/ssh/attemptJson.ts';
import { isKeyboardInteractive, startAskingServer, type AskingServer } from '../../lab/askingServer.ts';
import { generateKey } from '../../lab/sshKey.ts';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SshBench, faultOf, targetAt } from './sshBench.ts';

/** What a person types, one for each kind of question. Nothing else may contain them. */
const canaries = {
  password: 'canary-password-5d1f',
  passphrase: 'canary-passphrase-77ab',
  keyboardInteractive: 'canary-code-901c',
  newPassword: 'canary-new-3e2d',
  repeatPassword: 'canary-new-3e2d',
} as const;

describe('what a person types while signing in', () => {
  let bench: SshBench;
  let folder: string;
  let server: AskingServer | undefined;
  beforeEach(async () => {
    bench = new SshBench();
    bench.person.answerSecret = ({ kind }) => canaries[kind];
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-canary-'));
  });
  afterEach(async () => {
    await bench.dispose();
    server?.stop();
    await fs.rm(folder, { recursive: true });
  });

  for (const isAccepted of [true, false])
    it(`is in no trace, fact or fault of a sign-in that ${isAccepted ? 'succeeds' : 'fails'}`, async () => {
      const key = await generateKey(path.join(folder, 'key'), { passphrase: canaries.passphrase });
      const given: string[] = [];
      server = await startAskingServer((context) => {
        if (context.method === 'publickey') {
          const isRefused = context.signature !== undefined && !isAccepted;
          return isRefused ? context.reject(['publickey']) : context.accept();
        }
        if (context.method === 'password')
          return context.requestChange('Change it.', () =>
            context.reject(['keyboard-interactive'], isAccepted),
          );
        if (!isKeyboardInteractive(context)) return context.reject(['password']);
        context.prompt([{ prompt: 'Code: ', echo: false }], (answers) => {
          given.push(...answers);
          context.reject(['publickey'], isAccepted);
        });
      });
      const identities = [{ kind: 'keyFile', path: key.privateFile, configured: true } as const];
      const target = targetAt(server, { identities });
      const opened = bench.open(target);
      const said = isAccepted ? (await opened).facts : await faultOf(opened);
      assert.deepEqual(
        bench.person.secrets.map(({ kind }) => kind),
        ['password', 'newPassword', 'repeatPassword', 'keyboardInteractive', 'passphrase'],
      );
      assert.deepEqual(given, [canaries.keyboardInteractive]);
      assert.ok(server.passwords.some(({ next }) => next === canaries.newPassword));
      const everything = JSON.stringify([said, bench.trace.events, bench.progress]);
      const keyLines = (await fs.readFile(key.privateFile, 'utf8'))
        .split('\n')
        .filter((line) => line.length > 8);
      const exported = attemptJson({ label: 'x', fault: undefined, traces: [bench.trace] });
      for (const canary of [...Object.values(canaries), ...keyLines])
        assert.ok(!`${everything}${exported}`.includes(canary), canary);
    });
});
