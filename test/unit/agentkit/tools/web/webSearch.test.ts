import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  createRedactor,
  createSecretRegistry,
  OutputProjector,
  type CallCapture,
  type SearchHit,
  type SearchPort,
} from '../../../../../src/agentkit/index.ts';
import { webSearch } from '../../../../../src/agentkit/tools/web/webSearch.ts';
import { envelope, finished, plainPolicy, results } from '../../support/runHarness.ts';
import { answer, asks, call, scriptedStream } from '../../support/scriptedStream.ts';

const redactor = createRedactor(createSecretRegistry());

function found(...hits: readonly SearchHit[]): SearchPort & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    search: async (order) => {
      asked.push(order);
      return { engine: 'searxng', hits };
    },
  };
}

const hit = (number: number, markdown: string): SearchHit => ({
  title: `Page ${number}`,
  url: `https://example.com/${number}`,
  markdown,
  isCut: false,
});

async function searching(port: SearchPort, capture?: CallCapture, query = 'free disk') {
  const run = await finished({
    answers: [asks(call('s', 'web_search', { query })), answer('I see.')],
    tools: [webSearch(port)],
    options: {
      redactor,
      projector: new OutputProjector({ redactor, captures: { forCall: () => capture } }),
      policies: {
        ...plainPolicy,
        outputPolicies: { web_search: { strategy: 'head', capturePath: () => 'x/outputs/web-search-1.txt' } },
      },
    },
  });
  return results(await run.stored())['s'] ?? '';
}

describe('web_search', () => {
  it('brings what the service found, without asking the user', async () => {
    const port = found(hit(1, 'Use df.'));
    assert.equal(
      await searching(port),
      envelope(
        JSON.stringify({
          engine: 'searxng',
          query: 'free disk',
          results: [
            { markdown: 'Use df.', text_truncated: false, title: 'Page 1', url: 'https://example.com/1' },
          ],
          returned_lines: 1,
          total_lines: 1,
          truncated: false,
        }),
      ),
    );
    assert.deepEqual(port.asked, [{ query: 'free disk', count: 5 }]);
  });

  it('sends no secret to the service', async () => {
    const port = found();
    await searching(port, undefined, 'what does password=canary-seven mean');
    assert.deepEqual(port.asked, [{ query: 'what does password=[redacted] mean', count: 5 }]);
  });

  it('has empty results where there are none', async () => {
    assert.match(await searching(found()), /"results":\[\],"returned_lines":0,"total_lines":0/);
  });

  it('keeps what does not fit as title, address and text behind each other', async () => {
    const saved: string[] = [];
    const capture: CallCapture = {
      save: async (bytes) => {
        saved.push(Buffer.from(bytes).toString('utf8'));
        return { kind: 'saved', path: 'x/outputs/web-search-1.txt' };
      },
      grow: () => assert.fail('hits are whole when they are saved'),
    };
    const long = 'word '
      .repeat(20)
      .repeat(1_500)
      .replaceAll(/(.{100})/g, '$1\n');
    const result = await searching(found(hit(1, long), hit(2, 'password: canary-five')), capture);
    assert.match(result, /"full_output_path":"x\/outputs\/web-search-1\.txt"/);
    assert.match(result, /"text_truncated":true/);
    assert.deepEqual(saved, [
      `Page 1\nhttps://example.com/1\n\n${long}\n\nPage 2\nhttps://example.com/2\n\npassword: [redacted]\n`,
    ]);
  });

  it('is no tool of a model whose provider searches by itself', async () => {
    const model = scriptedStream([answer('I searched.')], { nativeSearch: true });
    await finished({ answers: [], tools: [webSearch(found())], options: { model } });
    assert.deepEqual(model.requests[0]?.tools, []);
    const other = scriptedStream([answer('I see.')]);
    await finished({ answers: [], tools: [webSearch(found())], options: { model: other } });
    assert.deepEqual(
      other.requests[0]?.tools.map(({ name }) => name),
      ['web_search'],
    );
  });
});
