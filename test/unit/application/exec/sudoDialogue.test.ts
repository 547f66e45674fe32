import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ConsumedSecret } from '../../../../src/agentkit/index.ts';
import { SudoDialogue } from '../../../../src/application/exec/sudoDialogue.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const marker = `termind-sudo-${'ab'.repeat(16)}`;

/** One dialogue, and what reached the command. */
class Scene {
  readonly clock = new FakeClock();
  readonly written: string[] = [];
  readonly disposed: string[] = [];
  stuck = 0;
  mayFollow: boolean | undefined;
  asked = 0;
  readonly dialogue: SudoDialogue;

  constructor(others?: readonly (string | undefined)[], first = 'first') {
    this.dialogue = new SudoDialogue({
      clock: this.clock,
      password: {
        marker,
        ...(first === '' ? {} : { first: this.secret(first) }),
        ...(others === undefined ? {} : { again: async () => this.#next(others) }),
      },
      write: async (bytes) => void this.written.push(Buffer.from(bytes).toString()),
      onStuck: () => (this.stuck += 1),
    });
    void this.dialogue.inputMayFollow.then((mayFollow) => (this.mayFollow = mayFollow));
  }

  secret(text: string): ConsumedSecret {
    return { bytes: Buffer.from(text), dispose: () => void this.disposed.push(text) };
  }

  async prints(text: string, stream: 'stdout' | 'stderr' = 'stderr'): Promise<string> {
    const own = Buffer.from(this.dialogue.push(Buffer.from(text), stream)).toString();
    await settle();
    return own;
  }

  #next(others: readonly (string | undefined)[]): ConsumedSecret | undefined {
    const text = others[this.asked++];
    return text === undefined ? undefined : this.secret(text);
  }
}

describe('a password for sudo', () => {
  it('is written once the prompt has appeared, and not before', async () => {
    const scene = new Scene();
    assert.equal(await scene.prints('a lecture\n'), 'a lecture\n');
    assert.deepEqual(scene.written, []);
    assert.equal(await scene.prints(marker), '');
    assert.deepEqual(scene.written, ['first', '\n']);
  });

  it('is asked for once sudo asks for it, where there is none yet', async () => {
    const scene = new Scene(['typed', 'again'], '');
    await scene.prints('a lecture\n');
    assert.equal(scene.asked, 0);
    await scene.prints(marker);
    assert.deepEqual([scene.asked, scene.written], [1, ['typed', '\n']]);
    await scene.prints(marker);
    assert.deepEqual([scene.asked, scene.written], [2, ['typed', '\n', 'again', '\n']]);
  });

  it('is refused where there is none yet and nobody types one', async () => {
    const scene = new Scene([undefined], '');
    await scene.prints(marker);
    assert.deepEqual([scene.written, scene.mayFollow, scene.dialogue.fault(1)], [[], false, 'refused']);
  });

  it('is recognised at every cut of the prompt, in the middle of text, and the prompt is taken out', async () => {
    const whole = Buffer.from(`before ${marker}behind`);
    for (let cut = 1; cut < whole.length; cut++) {
      const scene = new Scene();
      const parts = [whole.subarray(0, cut), whole.subarray(cut)];
      const own = parts.map((part) => Buffer.from(scene.dialogue.push(part, 'stderr')).toString()).join('');
      await settle();
      assert.equal(own + Buffer.from(scene.dialogue.end('stderr')).toString(), 'before behind');
      assert.deepEqual(scene.written, ['first', '\n']);
    }
  });

  it('also goes to a server that has its errors among the output', async () => {
    const scene = new Scene();
    await scene.prints(marker, 'stdout');
    assert.deepEqual(scene.written, ['first', '\n']);
  });

  it('is right when output follows: the input is the command’s at once', async () => {
    const scene = new Scene();
    await scene.prints(marker);
    await scene.prints('root\n', 'stdout');
    assert.equal(scene.mayFollow, true);
  });

  it('is right when nothing contradicts: the input is the command’s after five seconds', async () => {
    const scene = new Scene();
    await scene.prints(marker);
    await scene.clock.advance(4_999);
    assert.equal(scene.mayFollow, undefined);
    await scene.clock.advance(1);
    assert.equal(scene.mayFollow, true);
  });

  it('that is wrong is asked of a person again, three in all', async () => {
    const scene = new Scene(['second', 'third', 'fourth']);
    for (let n = 0; n < 4; n++) await scene.prints(`Sorry, try again.\n${marker}`);
    assert.deepEqual(scene.written, ['first', '\n', 'second', '\n', 'third', '\n']);
    assert.deepEqual([scene.asked, scene.mayFollow, scene.dialogue.fault(1)], [2, false, 'refused']);
  });

  for (const [who, others] of [
    ['nobody can be asked', undefined],
    ['the person gives none', [undefined]],
  ] as const)
    it(`that is wrong is spent after one when ${who}`, async () => {
      const scene = new Scene(others);
      await scene.prints(marker);
      await scene.prints(marker);
      assert.deepEqual(scene.written, ['first', '\n']);
      assert.deepEqual([scene.mayFollow, scene.dialogue.fault(1)], [false, 'refused']);
    });

  it('that nobody asks for within ten seconds is a fault, and the command is stuck', async () => {
    const scene = new Scene();
    await scene.clock.advance(9_999);
    assert.equal(scene.stuck, 0);
    await scene.clock.advance(1);
    assert.deepEqual([scene.stuck, scene.mayFollow, scene.dialogue.fault(undefined)], [1, false, 'noPrompt']);
  });

  it('that nobody needs leaves the command alone: it has printed something', async () => {
    const scene = new Scene();
    await scene.prints('running\n', 'stdout');
    await scene.clock.advance(10_000);
    assert.deepEqual([scene.stuck, scene.mayFollow, scene.dialogue.fault(0)], [0, true, undefined]);
    assert.deepEqual(scene.written, []);
  });

  for (const [words, exit, fault] of [
    ['sudo: sorry, you must have a tty to run sudo\n', 1, 'needsTerminal'],
    ['sudo: sorry, you must have a tty to run sudo\n', 0, undefined],
    ['tty is not the word\n', 1, undefined],
  ] as const)
    it(`"${words.trim()}" with status ${exit.toString()} is ${String(fault)}`, async () => {
      const scene = new Scene();
      await scene.prints(words);
      assert.equal(scene.dialogue.fault(exit), fault);
    });

  it('is forgotten with the command, and one that comes too late is not written', async () => {
    const late = new Scene(['second']);
    await late.prints(marker);
    const prompts = late.dialogue.push(Buffer.from(marker), 'stderr');
    late.dialogue.dispose();
    await settle();
    assert.equal(prompts.length, 0);
    assert.deepEqual(late.written, ['first', '\n']);
    assert.deepEqual([late.mayFollow, late.clock.pending, late.disposed.includes('first')], [false, 0, true]);
  });
});
