import assert from 'node:assert/strict';
import ssh2, { type AuthContext, type Connection, type KeyboardAuthContext } from 'ssh2';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { SshBench, targetOf, within } from './sshBench.ts';

/** A server that signs in as its test says; OpenSSH asks such questions through PAM only, which the lab does without. */
async function startAsking(
  onAuthentication: (context: AuthContext, client: Connection) => void,
): Promise<{ target: Target; stop(): void }> {
  const { Server, utils } = ssh2;
  const server = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => onAuthentication(context, client));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: unknown = server.address();
  assert.ok(typeof address === 'object' && address !== null && 'port' in address);
  const target = targetOf(
    {
      host: '127.0.0.1',
      port: Number(address.port),
      account: { name: 'op', uid: 0, gid: 0, home: '/', shell: '/bin/sh', isDedicated: false, dispose() {} },
      key: {
        type: 'ed25519',
        privateFile: '/nowhere',
        publicFile: '/nowhere',
        publicLine: '',
        fingerprint: '',
      },
    },
    { identities: [] },
  );
  return { target, stop: () => void server.close() };
}

const isAsking = (context: AuthContext): context is KeyboardAuthContext =>
  context.method === 'keyboard-interactive';

describe('a server that asks questions', () => {
  let bench: SshBench;
  let stop = (): void => {};
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(async () => {
    await bench.dispose();
    stop();
  });
  const start = async (onAuthentication: Parameters<typeof startAsking>[0]): Promise<Target> => {
    const server = await startAsking(onAuthentication);
    stop = () => server.stop();
    return server.target;
  };

  it('AG-7: prompts are answered in order, with echo as told and the text made visible', async () => {
    const answers: string[][] = [];
    const target = await start((context) => {
      if (!isAsking(context)) return context.reject(['keyboard-interactive']);
      context.prompt(
        [
          { prompt: 'Name\x1b[31m: ', echo: true },
          { prompt: 'Code: ', echo: false },
        ],
        'Title',
        'Instruction\u202e',
        (given) => {
          answers.push(given);
          context.accept();
        },
      );
    });
    let asked = 0;
    bench.person.answerSecret = () => `answer ${(++asked).toString()}`;
    const transport = await bench.open(target);
    assert.deepEqual(answers, [['answer 1', 'answer 2']]);
    assert.deepEqual(
      bench.person.secrets.map(({ kind, prompt, echo, canRemember }) => [kind, prompt, echo, canRemember]),
      [
        ['keyboardInteractive', 'Title\nInstruction\\u202e\nName\\x1b[31m: ', true, false],
        ['keyboardInteractive', 'Title\nInstruction\\u202e\nCode: ', false, false],
      ],
    );
    assert.equal(transport.facts.authenticatedBy, 'keyboard-interactive');
  });

  it('TRAP-10: a round without prompts is answered without a person', async () => {
    const target = await start((context) => {
      if (!isAsking(context)) return context.reject(['keyboard-interactive']);
      context.prompt([], () => context.accept());
    });
    await bench.open(target);
    assert.deepEqual(bench.person.secrets, []);
  });

  it('a kept password answers one password prompt, and the code behind it is asked of the person', async () => {
    const answers: string[][] = [];
    const target = await start((context) => {
      if (!isAsking(context)) return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Password: ', echo: false }], (password) => {
        answers.push(password);
        context.prompt([{ prompt: 'Verification code: ', echo: false }], (code) => {
          answers.push(code);
          context.accept();
        });
      });
    });
    bench.passwords.password = 'kept';
    bench.person.answerSecret = () => '123456';
    bench.person.remember = true;
    await bench.open(target);
    assert.deepEqual(answers, [['kept'], ['123456']]);
    assert.deepEqual(bench.passwords.kept, []);
  });

  it('a kept password is never given twice, nor to the password method after it was refused', async () => {
    const given: string[] = [];
    const target = await start((context) => {
      if (context.method === 'password') {
        given.push(context.password);
        return context.password === 'typed' ? context.accept() : context.reject(['password']);
      }
      if (!isAsking(context)) return context.reject(['keyboard-interactive', 'password']);
      context.prompt([{ prompt: 'Password: ', echo: false }], (answers) => {
        given.push(...answers);
        context.reject(['password']);
      });
    });
    bench.passwords.password = 'stale';
    bench.person.answerSecret = () => 'typed';
    await bench.open(target);
    assert.deepEqual(given, ['stale', 'typed']);
  });

  it('a closed prompt ends the sign-in', async () => {
    const target = await start((context) => {
      if (!isAsking(context)) return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Code: ', echo: false }], () => context.accept());
    });
    bench.person.answerSecret = () => undefined;
    assert.equal((await bench.fault(target)).code, 'auth-cancelled');
  });

  it('a server that asks without end is given up after ten rounds', async () => {
    const target = await start((context) => {
      if (!isAsking(context)) return context.reject(['keyboard-interactive']);
      const ask = (): void => context.prompt([{ prompt: 'Again: ', echo: true }], ask);
      ask();
    });
    bench.person.answerSecret = () => 'x';
    const fault = await within(bench.fault(target), 'the end of the attempt');
    assert.deepEqual([fault.code, bench.person.secrets.length], ['auth-failed', 10]);
  });

  it('partial success goes on with what the server wants next', async () => {
    let wasPartial = false;
    const target = await start((context) => {
      if (context.method === 'password' && wasPartial) return context.accept();
      if (!isAsking(context)) return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Code: ', echo: false }], () => {
        wasPartial = true;
        context.reject(['password'], true);
      });
    });
    bench.person.answerSecret = ({ kind }) => (kind === 'password' ? 'secret' : '123456');
    const transport = await bench.open(target);
    assert.equal(transport.facts.authenticatedBy, 'password');
  });

  it('TRAP-17: an expired password is told with the words of the server', async () => {
    const target = await start((context) => {
      if (context.method !== 'password') return context.reject(['password']);
      context.requestChange('Your password has expired.', () => context.reject());
    });
    bench.person.answerSecret = () => 'old';
    const fault = await bench.fault(target);
    assert.deepEqual([fault.code, fault.facts['reason']], ['auth-expired', 'Your password has expired.']);
  });

  it('a server that lets in without any method needs no person and no key', async () => {
    const target = await start((context) => context.accept());
    const transport = await bench.open(target);
    assert.deepEqual([transport.facts.authenticatedBy, transport.acceptedKey], ['none', undefined]);
  });
});
