import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ReceivedDocument } from '../../../src/agentkit/index.ts';
import { DocumentTexts } from '../../../src/infrastructure/net/web/documentTexts.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';

const { signal } = new AbortController();

function document(text: string, mediaType = 'text/html'): ReceivedDocument {
  return { bytes: Buffer.from(text, 'utf8'), mediaType, charset: 'utf-8', url: 'https://example.com/a/' };
}

/** Takes a tree of it far more than 20 seconds, or more stack than there is. */
const deep = `<title>Deep</title>${'<div>'.repeat(20_000)}the bottom`;
/** More than a tree is made of. */
const large = `<title>Large</title>${'<p>one</p>'.repeat(120_000)}`;

describe('the text of a document', () => {
  it('is made of a page on another thread', async () => {
    const texts = new DocumentTexts(new FakeClock());
    const read = await texts.read(
      document('<title>T</title><p>See <a href="b">b</a>.</p>'),
      'markdown',
      signal,
    );
    assert.deepEqual(read, { text: 'See [b](https://example.com/a/b).\n', title: 'T' });
  });

  it('is the source where that is asked for, with the title of a page', async () => {
    const texts = new DocumentTexts(new FakeClock());
    const html = '<title>T &amp; more</title><p>x</p>';
    assert.deepEqual(await texts.read(document(html), 'original', signal), { text: html, title: 'T & more' });
    const json = '{"a": 1}';
    const read = await texts.read(document(json, 'application/json'), 'markdown', signal);
    assert.deepEqual(read, { text: json, title: undefined });
  });

  it('of a large document is decoded on another thread as well', async () => {
    const texts = new DocumentTexts(new FakeClock());
    const long = 'ü\n'.repeat(200_000);
    const read = await texts.read(document(long, 'text/plain'), 'original', signal);
    assert.deepEqual(read, { text: long, title: undefined });
  });

  it('is read in one pass where the page is too large for a tree', async () => {
    const { text, title } = await new DocumentTexts(new FakeClock()).read(
      document(large),
      'markdown',
      signal,
    );
    assert.equal(title, 'Large');
    assert.equal(text, `${Array<string>(120_000).fill('one').join('\n\n')}\n`);
  });

  it('is read in one pass where a tree takes too long', async () => {
    const clock = new FakeClock();
    const reading = new DocumentTexts(clock).read(document(deep), 'markdown', signal);
    await clock.advance(20_000);
    const read = await withinDeadline('the text of a deep page', reading);
    assert.deepEqual(read, { text: 'the bottom\n', title: 'Deep' });
    assert.equal(clock.pending, 0);
  });

  it('ends with the signal, and lets the next one have its turn', async () => {
    const texts = new DocumentTexts(new FakeClock());
    const stop = new AbortController();
    const stopped = assert.rejects(texts.read(document(deep), 'markdown', stop.signal), /enough/);
    const next = texts.read(document('<p>next</p>'), 'markdown', signal);
    stop.abort(new Error('enough'));
    await withinDeadline('the end of the first', stopped);
    assert.equal((await withinDeadline('the text of the next', next)).text, 'next\n');
  });
});
