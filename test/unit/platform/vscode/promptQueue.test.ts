import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { PromptQueue } from '../../../../src/platform/vscode/promptQueue.ts';
import { settle } from '../../../support/fakeClock.ts';
import { deferred } from '../../agentkit/support/deferred.ts';

const never = new AbortController().signal;

describe('the queue of input boxes', () => {
  it('shows the next one when the one before is over, however that ends', async () => {
    const queue = new PromptQueue();
    const [first, second] = [deferred<string>(), deferred<string>()];
    const shown: string[] = [];
    const ask = (name: string, given: Promise<string>) => (): Promise<string> => {
      shown.push(name);
      return given;
    };
    const answers = [
      queue.next(never, 'no', ask('first', first.promise)),
      queue.next(never, 'no', ask('second', second.promise)),
      queue.next(never, 'no', ask('third', Promise.resolve('three'))),
    ];
    await settle();
    assert.deepEqual(shown, ['first']);
    first.resolve('one');
    await settle();
    assert.deepEqual(shown, ['first', 'second']);
    const failed = assert.rejects(answers[1] ?? Promise.resolve(), { message: 'the box broke' });
    second.reject(new Error('the box broke'));
    await failed;
    assert.deepEqual([await answers[0], await answers[2]], ['one', 'three']);
  });

  it('goes on when a caller stops waiting, and does not show what nobody waits for', async () => {
    const queue = new PromptQueue();
    const [gone, unseen] = [new AbortController(), new AbortController()];
    const shown: string[] = [];
    const first = queue.next(gone.signal, 'refused', () => new Promise(() => {}));
    const second = queue.next(unseen.signal, 'refused', async () => (shown.push('second'), 'two'));
    const third = queue.next(never, 'refused', async () => (shown.push('third'), 'three'));
    unseen.abort();
    gone.abort();
    assert.deepEqual(await Promise.all([first, second, third]), ['refused', 'refused', 'three']);
    assert.deepEqual(shown, ['third']);
  });
});
