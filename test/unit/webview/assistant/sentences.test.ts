import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { finishedSentences } from '../../../../src/webview/assistant/text/sentences.ts';

describe('what is read aloud of an answer', () => {
  for (const [markdown, isWhole, text] of [
    ['The disk is full. The log gro', false, 'The disk is full.'],
    ['The disk is full', false, ''],
    ['The disk is full', true, 'The disk is full'],
    ['Version 1.2.3 of ', false, ''],
    ['**Full:** 94%.\n\nNext', false, 'Full: 94%.'],
    ['# Result\n\n- one\n- two\n', false, 'Result one two'],
    ['See [the log](https://example.com). ', false, 'See the log.'],
    ['Run this:\n\n```sh\nrm -rf /tmp/x\n```\n\nDone.\n', true, 'Run this: Done.'],
    ['だめです。次', false, 'だめです。'],
  ] as const)
    it(`${JSON.stringify(markdown)}${isWhole ? ' at the end' : ''}`, () => {
      assert.equal(finishedSentences(markdown, 0, isWhole).text.replace(/\s+/g, ' '), text);
    });

  it('each sentence is read once while the text grows', () => {
    const whole = 'First one. Second one! Third';
    const read: string[] = [];
    let offset = 0;
    for (let length = 1; length <= whole.length; length++) {
      const spoken = finishedSentences(whole.slice(0, length), offset, length === whole.length);
      ({ offset } = spoken);
      if (spoken.text !== '') read.push(spoken.text);
    }
    assert.deepEqual(read, ['First one.', 'Second one!', 'Third']);
  });
});
