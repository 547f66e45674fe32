import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { HeldWords } from '../../../../src/infrastructure/ssh/heldWords.ts';

describe('what a program says beside its bytes', () => {
  const listen = (words: HeldWords): { text: string; dispose(): void } => {
    const heard = { text: '', dispose: () => subscription.dispose() };
    const subscription = words.event((bytes) => (heard.text += Buffer.from(bytes).toString()));
    return heard;
  };

  it('is kept for the first listener, in its order, and goes on', () => {
    const words = new HeldWords();
    words.fire(Buffer.from('one '));
    words.fire(Buffer.from('two '));
    const heard = listen(words);
    words.fire(Buffer.from('three'));
    assert.equal(heard.text, 'one two three');
  });

  it('is not kept for a second one, nor when the first has gone', () => {
    const words = new HeldWords();
    const first = listen(words);
    words.fire(Buffer.from('for the first'));
    first.dispose();
    words.fire(Buffer.from('for nobody'));
    const second = listen(words);
    words.fire(Buffer.from('for the second'));
    assert.deepEqual([first.text, second.text], ['for the first', 'for the second']);
  });

  it('is kept up to 64 KiB', () => {
    const words = new HeldWords();
    words.fire(Buffer.alloc(65_530, 'a'));
    words.fire(Buffer.from('bbbbbbbbbb'));
    words.fire(Buffer.from('c'));
    assert.equal(listen(words).text, `${'a'.repeat(65_530)}bbbbbb`);
  });
});
