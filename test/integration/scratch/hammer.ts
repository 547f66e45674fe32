import { writeSync } from 'node:fs';
import { AgentError, ScratchWorkspace, systemClock } from '../../../src/agentkit/index.ts';
import { bytes, lockOwner, signal } from './scratchFolder.ts';

/** A process of its own that works on a scratch root: `hammer.ts <task> <root> <name> <count>`. Prints one line of JSON. */
const [, , task = '', root = '', name = '', count = '0'] = process.argv;
const scratch = new ScratchWorkspace({ root, clock: systemClock, lockOwner });

const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Adds one to a shared figure again and again, and writes files of its own in between. */
  async count() {
    for (let done = 1; done <= Number(count); done++) {
      if (done % 4 === 0)
        await scratch.write(`${name}/${done % 100}`, { bytes: bytes(`${name} ${done}`) }, signal);
      else await scratch.update('shared/figure', (figure) => bytes(String(Number(figure ?? 0) + 1)), signal);
    }
    return {};
  },
  /** Creates files of `count` bytes until there is no room. */
  async fill() {
    for (let made = 0; ; made++) {
      try {
        await scratch.write(
          `${name}/${made}`,
          { bytes: Buffer.alloc(Number(count)), createOnly: true },
          signal,
        );
      } catch (error) {
        if (error instanceof AgentError) return { made, code: error.code };
        throw error;
      }
    }
  },
  /** Writes whole lines of one letter until it is killed; says so when the first is there. */
  async forever() {
    for (let round = 0; ; round++) {
      const letter = String.fromCharCode(97 + (round % 26));
      await scratch.write(`${name}/${round % 7}`, { bytes: bytes(letter.repeat(20_000)) }, signal);
      if (round === 0) writeSync(1, 'started\n');
    }
  },
  /** Holds the lock until it is killed. */
  async hold() {
    return scratch.update(
      'held',
      () => {
        writeSync(1, 'held\n');
        for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      },
      signal,
    );
  },
};

const result = await tasks[task]?.();
writeSync(1, `${JSON.stringify(result)}\n`);
