import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { segmentLength, splitAnswer } from '../../../../src/features/assistant/presentation/segments.ts';

const paragraph = `${'word '.repeat(200)}\n\n`;

describe('the rows of a long answer', () => {
  it('a short answer is one row', () => {
    assert.deepEqual(splitAnswer('Hello.\n\nWorld.'), ['Hello.\n\nWorld.']);
    assert.deepEqual(splitAnswer(''), ['']);
  });

  it('a long answer is cut between blocks', () => {
    const segments = splitAnswer(paragraph.repeat(40));
    assert.ok(segments.length > 1);
    assert.ok(segments.every((text) => text.length <= segmentLength.hard && text.endsWith('\n\n')));
  });

  it('a code fence is not cut at a blank line', () => {
    const code = `\`\`\`sh\n${'echo\n\n'.repeat(2_400)}\`\`\`\n\n`;
    const [first = ''] = splitAnswer(`${code}${paragraph.repeat(20)}`);
    assert.ok(first.startsWith('```sh\n') && first.trimEnd().endsWith('```'));
  });

  it('a text without line breaks is cut between characters', () => {
    const segments = splitAnswer('𝄞'.repeat(segmentLength.hard));
    assert.ok(segments.length > 1);
    assert.ok(segments.every((text) => !/^[\udc00-\udfff]/.test(text)));
  });

  it('loses nothing, and all rows of what has arrived but the last are final', () => {
    const blocks = [paragraph, '```\n', '~~~~ text\n', '\n', `${'x'.repeat(9_000)}\n`, 'y'.repeat(30_000)];
    fc.assert(
      fc.property(fc.array(fc.nat(blocks.length - 1), { maxLength: 30 }), fc.nat(), (picked, at) => {
        const text = picked.map((index) => blocks[index]).join('');
        const whole = splitAnswer(text);
        assert.equal(whole.join(''), text);
        const cut = text.length === 0 ? 0 : at % text.length;
        const part = splitAnswer(text.slice(0, cut));
        assert.deepEqual(part.slice(0, -1), whole.slice(0, part.length - 1));
      }),
      { numRuns: 200 },
    );
  });
});
