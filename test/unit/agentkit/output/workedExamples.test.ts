import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Json } from '../../../../src/agentkit/json.ts';
import type { BodySpec, OutputStrategy, ToolBody } from '../../../../src/agentkit/tool.ts';
import { bytesOf, project, recordingCapture, resultOf, textBody } from './projectionFixtures.ts';

type Cut = 'head' | 'tail' | 'middle';
const any: readonly Cut[] = ['head', 'tail', 'middle'];
const x = (lines: number): string => 'x\n'.repeat(lines);
const lines99 = `${'y'.repeat(99)}\n`.repeat(1000);
const long = `${'b'.repeat(70_000)}\n`;

interface Row {
  readonly row: number;
  readonly what: string;
  readonly content: string;
  readonly strategies: readonly Cut[];
  readonly returned: number;
  readonly total: number;
  readonly marker?: string;
  readonly bytes: number;
  readonly content_tail?: string;
}

/** Agent runtime contract, section 8.8: rows with exact bytes on a text body. */
const rows: readonly Row[] = [
  { row: 1, what: 'an empty body', content: '', strategies: any, returned: 0, total: 0, bytes: 102 },
  { row: 2, what: 'one empty line', content: '\n', strategies: any, returned: 1, total: 1, bytes: 104 },
  {
    row: 3,
    what: 'CRLF counts once',
    content: 'a\r\nb\r\n',
    strategies: any,
    returned: 2,
    total: 2,
    bytes: 112,
  },
  {
    row: 3,
    what: 'a lone CR is no break',
    content: 'a\rb',
    strategies: any,
    returned: 1,
    total: 1,
    bytes: 106,
  },
  {
    row: 4,
    what: '2,000 lines fit',
    content: x(2000),
    strategies: any,
    returned: 2000,
    total: 2000,
    bytes: 6_108,
  },
  {
    row: 5,
    what: '2,100 lines',
    content: x(2100),
    strategies: ['head'],
    returned: 2000,
    total: 2100,
    marker: '[Showing lines 1-2000 of 2100]',
    bytes: 6_149,
  },
  {
    row: 6,
    what: '2,100 lines',
    content: x(2100),
    strategies: ['tail'],
    returned: 2000,
    total: 2100,
    marker: '[Showing lines 101-2100 of 2100]',
    bytes: 6_151,
  },
  {
    row: 7,
    what: '2,100 lines',
    content: x(2100),
    strategies: ['middle'],
    returned: 2000,
    total: 2100,
    marker: '[Showing lines 1-1000, 1101-2100 of 2100]',
    bytes: 6_178,
    content_tail: x(1000),
  },
  {
    row: 8,
    what: '1,000 lines of 99 characters',
    content: lines99,
    strategies: ['head'],
    returned: 647,
    total: 1000,
    marker: '[Showing lines 1-647 of 1000]',
    bytes: 65_494,
  },
  {
    row: 9,
    what: '1,000 lines of 99 characters',
    content: lines99,
    strategies: ['tail'],
    returned: 647,
    total: 1000,
    marker: '[Showing lines 354-1000 of 1000]',
    bytes: 65_497,
  },
  {
    row: 10,
    what: '1,000 lines of 99 characters',
    content: lines99,
    strategies: ['middle'],
    returned: 647,
    total: 1000,
    marker: '[Showing lines 1-323, 677-1000 of 1000]',
    bytes: 65_522,
    content_tail: lines99.slice(-324 * 100),
  },
  {
    row: 11,
    what: 'one line that fits exactly',
    content: 'a'.repeat(65_434),
    strategies: any,
    returned: 1,
    total: 1,
    bytes: 65_536,
  },
  {
    row: 12,
    what: 'one line that is a byte too long',
    content: 'a'.repeat(65_435),
    strategies: any,
    returned: 0,
    total: 1,
    marker: '[Showing 0 lines of 1]',
    bytes: 135,
  },
  {
    row: 13,
    what: 'a long first line',
    content: long + x(10),
    strategies: ['head'],
    returned: 0,
    total: 11,
    marker: '[Showing 0 lines of 11]',
    bytes: 137,
  },
  {
    row: 13,
    what: 'a long first line',
    content: long + x(10),
    strategies: ['tail', 'middle'],
    returned: 10,
    total: 11,
    marker: '[Showing lines 2-11 of 11]',
    bytes: 171,
  },
  {
    row: 14,
    what: 'a long last line',
    content: x(10) + long,
    strategies: ['tail'],
    returned: 0,
    total: 11,
    marker: '[Showing 0 lines of 11]',
    bytes: 137,
  },
  {
    row: 14,
    what: 'a long last line',
    content: x(10) + long,
    strategies: ['head', 'middle'],
    returned: 10,
    total: 11,
    marker: '[Showing lines 1-10 of 11]',
    bytes: 171,
  },
  {
    row: 15,
    what: 'a long line between short ones',
    content: x(5) + long + x(5),
    strategies: ['middle'],
    returned: 10,
    total: 11,
    marker: '[Showing lines 1-5, 7-11 of 11]',
    bytes: 194,
    content_tail: x(5),
  },
  {
    row: 16,
    what: 'quotes count as they are escaped',
    content: '"'.repeat(33_000),
    strategies: any,
    returned: 0,
    total: 1,
    marker: '[Showing 0 lines of 1]',
    bytes: 135,
  },
  {
    row: 17,
    what: 'closing tags count as they are escaped',
    content: '</'.repeat(22_000),
    strategies: any,
    returned: 0,
    total: 1,
    marker: '[Showing 0 lines of 1]',
    bytes: 135,
  },
  {
    row: 18,
    what: 'three bytes a character',
    content: `${'€'.repeat(21_000)}\n${'€'.repeat(1_000)}\n`,
    strategies: ['head'],
    returned: 1,
    total: 2,
    marker: '[Showing lines 1-1 of 2]',
    bytes: 63_139,
  },
];

describe('projection: the worked examples of the contract', () => {
  for (const row of rows)
    for (const strategy of row.strategies)
      it(`${row.row}, ${strategy}: ${row.what}`, async () => {
        const projection = await project({ body: { content: row.content }, strategy });
        const { content, content_tail, ...fields } = resultOf(projection);
        assert.deepEqual(fields, {
          returned_lines: row.returned,
          total_lines: row.total,
          truncated: row.marker !== undefined,
          ...(row.marker !== undefined && { marker: row.marker }),
        });
        assert.equal(content_tail, row.content_tail);
        assert.ok(typeof content === 'string' && row.content.includes(content));
        assert.equal(bytesOf(projection), row.bytes);
      });

  it('19: items are cut like lines', async () => {
    const numbers = Array.from({ length: 2500 }, (_, index) => index);
    const projection = await project({ body: { content: numbers }, spec: { field: 'items', kind: 'items' } });
    assert.deepEqual(resultOf(projection), {
      items: numbers.slice(0, 2000),
      marker: '[Showing lines 1-2000 of 2500]',
      returned_lines: 2000,
      total_lines: 2500,
      truncated: true,
    });
    assert.equal(bytesOf(projection), 9_036);
  });

  it('20: a saved capture is named in the marker and in its own field', async () => {
    const capture = recordingCapture({ kind: 'saved', path: 'c/outputs/ssh-exec-1.txt' });
    const projection = await project({ body: { content: x(2100) }, strategy: 'tail', capture });
    assert.deepEqual(resultOf(projection), {
      content: x(2000),
      full_output_path: 'c/outputs/ssh-exec-1.txt',
      marker: '[Showing lines 101-2100 of 2100. Full output: c/outputs/ssh-exec-1.txt]',
      returned_lines: 2000,
      total_lines: 2100,
      truncated: true,
    });
    assert.deepEqual(capture.saved, [x(2100)]);
  });

  it('21: a failed capture leaves the marker bare and says why in its own field', async () => {
    const capture = recordingCapture({ kind: 'failed', reason: 'Scratch is full.' });
    const projection = await project({ body: { content: x(2100) }, strategy: 'tail', capture });
    assert.deepEqual(resultOf(projection), {
      capture_error: 'Scratch is full.',
      content: x(2000),
      marker: '[Showing lines 101-2100 of 2100]',
      returned_lines: 2000,
      total_lines: 2100,
      truncated: true,
    });
  });

  const pages: readonly {
    row: number;
    what: string;
    body: ToolBody;
    expected: Readonly<Record<string, Json>>;
  }[] = [
    {
      row: 22,
      what: 'a page in the middle',
      body: { content: x(100), firstLine: 101, totalLines: 5000, hasMore: true },
      expected: {
        content: x(100),
        marker: '[Showing lines 101-200 of 5000]',
        next_offset: 201,
        returned_lines: 100,
        total_lines: 5000,
        truncated: true,
      },
    },
    {
      row: 23,
      what: 'a page of a source of unknown length',
      body: { content: x(2000), totalLines: null, hasMore: true },
      expected: {
        content: x(2000),
        marker: '[Showing lines 1-2000]',
        next_offset: 2001,
        returned_lines: 2000,
        total_lines: null,
        truncated: true,
      },
    },
    {
      row: 24,
      what: 'a page whose first line can never fit',
      body: { content: long + x(10), firstLine: 51, totalLines: 200, hasMore: true },
      expected: {
        content: '',
        marker: '[Showing 0 lines of 200]',
        next_offset: 52,
        returned_lines: 0,
        skipped_line: { line: 51, bytes: 70_000 },
        total_lines: 200,
        truncated: true,
      },
    },
    {
      row: 24,
      what: 'a source that met such a line itself',
      body: {
        content: '',
        firstLine: 51,
        totalLines: 200,
        hasMore: true,
        skippedLine: { line: 51, bytes: 70_000_000 },
      },
      expected: {
        content: '',
        marker: '[Showing 0 lines of 200]',
        next_offset: 52,
        returned_lines: 0,
        skipped_line: { line: 51, bytes: 70_000_000 },
        total_lines: 200,
        truncated: true,
      },
    },
    {
      row: 25,
      what: 'the last page',
      body: { content: x(3), firstLine: 51, totalLines: 53 },
      expected: { content: x(3), next_offset: null, returned_lines: 3, total_lines: 53, truncated: false },
    },
  ];
  const paged: BodySpec = { ...textBody, paging: 'next_offset' };
  for (const { row, what, body, expected } of pages)
    it(`${row}: ${what}`, async () => {
      assert.deepEqual(resultOf(await project({ body, spec: paged })), expected);
    });

  it('a line that can never fit and is the last one ends the pages', async () => {
    const body: ToolBody = { content: 'b'.repeat(70_000), firstLine: 51, totalLines: 51 };
    const { next_offset, skipped_line } = resultOf(await project({ body, spec: paged }));
    assert.deepEqual(
      { next_offset, skipped_line },
      { next_offset: null, skipped_line: { line: 51, bytes: 70_000 } },
    );
  });

  it('none shows everything without a marker, above the ceiling too', async () => {
    const strategy: OutputStrategy = 'none';
    const projection = await project({
      body: { content: x(40_000), hasMore: true, totalLines: null },
      strategy,
    });
    assert.deepEqual(resultOf(projection), {
      content: x(40_000),
      returned_lines: 40_000,
      total_lines: null,
      truncated: true,
    });
  });
});
