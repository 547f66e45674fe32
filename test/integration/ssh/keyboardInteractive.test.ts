import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Connection } from 'ssh2';
import { sshString } from '../../../src/domain/keys/wire.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { isKeyboardInteractive, startAskingServer, type AskingServer } from '../../lab/askingServer.ts';
import { sendMessage } from '../../lab/sendMessage.ts';
import { SshBench, targetAt, within } from './sshBench.ts';

describe('a server that asks questions', () => {
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

  it('AG-7: prompts are answered in order, with echo as told and the text made visible', async () => {
    const answers: string[][] = [];
    const target = await start((context) => {
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
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
      bench.person.secrets.map(({ kind, heading, prompt, echo, canRemember }) => [
        ...[kind, heading, prompt],
        ...[echo, canRemember],
      ]),
      [
        ['keyboardInteractive', 'Title\nInstruction\\u202e', 'Name\\x1b[31m: ', true, false],
        ['keyboardInteractive', 'Title\nInstruction\\u202e', 'Code: ', false, false],
      ],
    );
    assert.equal(transport.facts.authenticatedBy, 'keyboard-interactive');
  });

  it('a flood of lines is cut before anybody sees it', async () => {
    const target = await start((context) => {
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Code: ', echo: true }], 'name', 'line\n'.repeat(4000), () =>
        context.accept(),
      );
    });
    bench.person.answerSecret = () => 'x';
    await bench.open(target);
    const lines = bench.person.secrets[0]?.heading.split('\n') ?? [];
    assert.deepEqual([lines.length, lines.at(-1)], [200, 'line…']);
  });

  it('TRAP-10: a round without prompts is answered without a person', async () => {
    const target = await start((context) => {
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
      context.prompt([], () => context.accept());
    });
    await bench.open(target);
    assert.deepEqual(bench.person.secrets, []);
  });

  it('a kept password answers one password prompt, and the code behind it is asked of the person', async () => {
    const answers: string[][] = [];
    const target = await start((context) => {
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
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
    assert.deepEqual(
      [bench.person.secrets.map(({ canRemember }) => canRemember), bench.passwords.kept],
      [[false], []],
    );
  });

  for (const [what, prompts] of [
    ['a code first', ['Verification code: ', 'Password: ']],
    ['the same prompt again', ['Password: ', 'Password: ']],
  ] as const)
    it(`a kept password never answers a second prompt: ${what}`, async () => {
      const answers: string[] = [];
      const target = await start((context) => {
        if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
        context.prompt([{ prompt: prompts[0], echo: false }], (first) => {
          answers.push(...first);
          context.prompt([{ prompt: prompts[1], echo: false }], (second) => {
            answers.push(...second);
            context.accept();
          });
        });
      });
      bench.passwords.password = 'kept';
      bench.person.answerSecret = () => 'typed';
      await bench.open(target);
      assert.equal(answers[1], 'typed');
    });

  it('a kept password is never given twice, nor to the password method after it was refused', async () => {
    const given: string[] = [];
    const target = await start((context) => {
      if (context.method === 'password') {
        given.push(context.password);
        return context.password === 'typed' ? context.accept() : context.reject(['password']);
      }
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive', 'password']);
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
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Code: ', echo: false }], () => context.accept());
    });
    bench.person.answerSecret = () => undefined;
    assert.equal((await bench.fault(target)).code, 'auth-cancelled');
  });

  it('a server that asks without end is given up after ten rounds', async () => {
    const target = await start((context) => {
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
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
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Code: ', echo: false }], () => {
        wasPartial = true;
        context.reject(['password'], true);
      });
    });
    bench.person.answerSecret = ({ kind }) => (kind === 'password' ? 'secret' : '123456');
    const transport = await bench.open(target);
    assert.equal(transport.facts.authenticatedBy, 'password');
  });

  it('a server that hangs up while a question is open closes it and says so', async () => {
    const target = await start((context, client) => {
      if (!isKeyboardInteractive(context)) return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Code: ', echo: false }], () => {});
      // Once the prompt is on its way.
      setImmediate(() => client.end());
    });
    let wasClosed = false;
    bench.person.answerSecret = (_question, signal) =>
      new Promise((resolve) => {
        const close = (): void => {
          wasClosed = true;
          resolve(undefined);
        };
        if (signal.aborted) close();
        signal.addEventListener('abort', close, { once: true });
      });
    const fault = await within(bench.fault(target), 'the end of the attempt');
    assert.deepEqual([fault.code, wasClosed], ['server-closed', true]);
    assert.match(fault.facts['reason'] ?? '', /stopped waiting/);
  });

  for (const offered of [['gssapi-with-mic'], ['hostbased', 'gssapi-keyex']] as const)
    it(`a server that offers only ${offered.join(' and ')} needs the system's ssh`, async () => {
      // The types of the library name only what it can do itself.
      const target = await start((context) => context.reject([...offered] as never[]));
      const fault = await bench.fault(target);
      assert.deepEqual([fault.code, fault.facts['option']], ['needs-system-ssh', 'GSSAPI']);
    });

  it('a server that lets in without any method needs no person and no key', async () => {
    const target = await start((context) => context.accept());
    const transport = await bench.open(target);
    assert.deepEqual([transport.facts.authenticatedBy, transport.acceptedKey], ['none', undefined]);
  });

  describe('and asks again while a question is open', () => {
    const infoRequest = (): Buffer => {
      const prompt = Buffer.concat([sshString('Another: '), Buffer.from([0])]);
      return Buffer.concat([...['', '', ''].map(sshString), Buffer.from([0, 0, 0, 1]), prompt]);
    };
    const again: readonly (readonly [string, 'keyboard-interactive' | 'password', number, () => Buffer])[] = [
      ['prompts', 'keyboard-interactive', 60, infoRequest],
      ['another password', 'password', 60, () => Buffer.concat(['Expired.', ''].map(sshString))],
      ['a refusal', 'password', 51, () => Buffer.concat([sshString('password'), Buffer.from([0])])],
      ['its consent', 'keyboard-interactive', 52, () => Buffer.alloc(0)],
    ];
    for (const [what, method, type, body] of again)
      it(`by ${what}, is broken: the attempt ends, and no second question opens`, async () => {
        const target = await start((context, client) => {
          if (context.method !== method) return context.reject([method]);
          if (isKeyboardInteractive(context)) context.prompt('First: ', () => {});
          else context.requestChange('Expired.', () => {});
          opened.push(client);
        });
        const opened: Connection[] = [];
        const open: AbortSignal[] = [];
        bench.person.answerSecret = ({ kind }, signal) => {
          if (kind === 'password') return 'old';
          open.push(signal);
          const [client] = opened;
          if (client !== undefined) sendMessage(client, type, body());
          return new Promise<undefined>((resolve) =>
            signal.addEventListener('abort', () => resolve(undefined)),
          );
        };
        const fault = await within(bench.fault(target), 'the end of the attempt');
        assert.deepEqual(
          [fault.stage, fault.facts['reason']],
          ['auth', 'the server answered a sign-in twice'],
        );
        assert.deepEqual(
          open.map(({ aborted }) => aborted),
          [true],
        );
      });
  });
});
