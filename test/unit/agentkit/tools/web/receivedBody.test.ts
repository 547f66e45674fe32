import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { createRedactor, createSecretRegistry } from '../../../../../src/agentkit/index.ts';
import { countLines } from '../../../../../src/agentkit/output/lines.ts';
import { receivedBody } from '../../../../../src/agentkit/tools/web/receivedBody.ts';
import { LineCount, textSlices } from '../../../../../src/agentkit/tools/web/textSlices.ts';

const redactor = createRedactor(createSecretRegistry());
const { signal } = new AbortController();

async function bodyOf(text: string) {
  const { content, totalLines, full } = await receivedBody(text, redactor, signal);
  const saved: string[] = [];
  await full?.save(
    {
      save: async (bytes) => {
        saved.push(Buffer.from(bytes).toString('utf8'));
        return { kind: 'saved', path: 'x' };
      },
      grow: () => assert.fail('it is whole when it is saved'),
    },
    signal,
  );
  return { content, totalLines, isWhole: full?.isWhole, saved };
}

describe('a received text as a body', () => {
  it('is all of it while it is short', async () => {
    assert.deepEqual(await bodyOf('one\ntwo'), {
      content: 'one\ntwo',
      totalLines: undefined,
      isWhole: undefined,
      saved: [],
    });
  });

  it('is all of it, counted, while a result can hold it', async () => {
    const text = 'a line of text\n'.repeat(1_000);
    assert.deepEqual(await bodyOf(text), { content: text, totalLines: 1_000, isWhole: true, saved: [text] });
  });

  it('is its first lines, and all of it for the capture, where it is longer', async () => {
    const text = 'a line\n'.repeat(3_000);
    assert.deepEqual(await bodyOf(text), {
      content: 'a line\n'.repeat(2_001),
      totalLines: 3_000,
      isWhole: false,
      saved: [text],
    });
  });

  it('has no line at all where the first one is too long', async () => {
    const text = `${'x'.repeat(70_000)}\nshort\n`;
    assert.deepEqual(await bodyOf(text), { content: '', totalLines: 2, isWhole: false, saved: [text] });
  });

  it('holds no secret, also where a slice ends inside of it', async () => {
    const line = 'api_key = canary-six\n';
    const { content, saved } = await bodyOf(line.repeat(2_000));
    assert.doesNotMatch(JSON.stringify([content, saved]), /canary/);
    assert.equal(saved[0], 'api_key = [redacted]\n'.repeat(2_000));
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const ended = assert.rejects(receivedBody('a line\n'.repeat(9_000), redactor, stop.signal), /enough/);
    stop.abort(new Error('enough'));
    await ended;
  });

  it('has as many lines as a text in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', '\n', '\r\n', 'bc')), async (parts) => {
        const count = new LineCount();
        for (const part of parts) count.add(part);
        assert.equal(count.lines, countLines(parts.join('')));
      }),
    );
    const text = 'line\n'.repeat(5_000);
    const slices: string[] = [];
    for await (const slice of textSlices(text, signal)) slices.push(slice);
    assert.equal(slices.join(''), text);
  });
});
