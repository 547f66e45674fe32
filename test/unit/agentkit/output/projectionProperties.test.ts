import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/agentkit/json.ts';
import type { BodySpec } from '../../../../src/agentkit/tool.ts';
import { bytesOf, project, recordingCapture, resultOf, textBody } from './projectionFixtures.ts';

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', ' ') },
  { weight: 3, arbitrary: fc.constantFrom('<', '/', '"', '\\', '\r', '\u0001', '€', '😀', '\ud83d') },
);
/** Mostly short lines, now and then one that fits no ceiling used here. */
const line = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: character, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constant('w'.repeat(4_100)) },
);
const text = fc
  .tuple(fc.array(line, { maxLength: 120 }), fc.boolean())
  .map(([lines, endsWithLineFeed]) => lines.join('\n') + (endsWithLineFeed && lines.length > 0 ? '\n' : ''));
const ceiling = fc.record({
  maxBytes: fc.integer({ min: 1_400, max: 4_000 }),
  maxLines: fc.integer({ min: 1, max: 60 }),
});
const strategy = fc.constantFrom('head', 'tail', 'middle');
const metadata = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 8 }).map((name) => `m${name}`),
  fc.string({ maxLength: 900 }),
  { maxKeys: 8 },
);

function linesOf(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The source lines a marker names, or all of them without a marker. */
function named<T>(marker: string | undefined, lines: readonly T[]): readonly T[] {
  if (marker === undefined) return lines;
  const ranges = [...marker.matchAll(/(\d+)-(\d+)/g)];
  return ranges.flatMap(([, from, to]) => lines.slice(Number(from) - 1, Number(to)));
}

/** Both sides of a list in a result. */
function listOf(result: JsonObject, field: string): readonly Json[] {
  return [result[field], result[`${field}_tail`]].flatMap((side) => (isList(side) ? side : []));
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Lines of records, each with its record; a record without text is one line. */
function recordLines(records: readonly Json[]): readonly string[] {
  return records.flatMap((record) => {
    const { id, text: own } = record as JsonObject;
    const lines = linesOf(textOf(own));
    return (lines.length === 0 ? [''] : lines).map((one) => JSON.stringify([id, one]));
  });
}

const probe = fc.record({ content: text, cut: strategy, limits: ceiling, fields: metadata });

describe('projection, whatever the body holds', () => {
  it('stays under both ceilings, is JSON in one envelope, splits no line and names exactly what it kept', async () => {
    await fc.assert(
      fc.asyncProperty(probe, async ({ content, cut, limits, fields }) => {
        const capture = recordingCapture({ kind: 'saved', path: 'c/outputs/probe-1.txt' });
        const projection = await project({ body: { content }, strategy: cut, limits, fields, capture });
        const result = resultOf(projection);
        const lines = linesOf(content);
        const kept = textOf(result['content']) + textOf(result['content_tail']);
        assert.ok(bytesOf(projection) <= limits.maxBytes);
        assert.ok(Number(result['returned_lines']) <= limits.maxLines);
        assert.equal(result['total_lines'], lines.length);
        assert.equal(linesOf(kept).length, result['returned_lines']);
        assert.equal(named(projection.marker, lines).join(''), kept);
        assert.equal(result['truncated'], kept !== content);
        assert.deepEqual(
          capture.saved,
          kept === content ? [] : [Buffer.from(content, 'utf8').toString('utf8')],
        );
      }),
      { numRuns: 600 },
    );
  });

  it('head is a beginning, tail is an end, middle is both', async () => {
    await fc.assert(
      fc.asyncProperty(text, ceiling, async (content, limits) => {
        const [head, tail, middle] = await Promise.all(
          (['head', 'tail', 'middle'] as const).map(async (cut) =>
            resultOf(await project({ body: { content }, strategy: cut, limits })),
          ),
        );
        assert.ok(content.startsWith(textOf(head?.['content'])));
        assert.ok(content.endsWith(textOf(tail?.['content'])));
        if (middle?.['content_tail'] === undefined) return;
        assert.ok(content.startsWith(textOf(middle['content'])));
        assert.ok(content.endsWith(textOf(middle['content_tail'])));
      }),
    );
  });

  it('all pages of a source, joined, are the source; only lines that can never fit are named instead', async () => {
    const spec: BodySpec = { ...textBody, paging: 'next_offset' };
    await fc.assert(
      fc.asyncProperty(text, ceiling, fc.integer({ min: 1, max: 50 }), async (source, limits, pageLines) => {
        const lines = linesOf(source);
        const read: string[] = [];
        for (let offset: number | null = 1; offset !== null;) {
          const page: readonly string[] = lines.slice(offset - 1, offset - 1 + pageLines);
          const projection = await project({
            spec,
            limits,
            body: {
              content: page.join(''),
              firstLine: offset,
              totalLines: lines.length,
              hasMore: offset - 1 + page.length < lines.length,
            },
          });
          const result: JsonObject = resultOf(projection);
          read.push(textOf(result['content']));
          const skipped = result['skipped_line'];
          if (skipped !== undefined) {
            const { line: number, bytes } = skipped as { line: number; bytes: number };
            const unread = lines[number - 1] ?? '';
            assert.equal(bytes, Buffer.byteLength(unread.replace(/\n$/, ''), 'utf8'));
            assert.ok(bytes > limits.maxBytes - 1_400);
            read.push(unread);
          }
          const next: unknown = result['next_offset'];
          assert.ok(next === null || (typeof next === 'number' && next > offset));
          offset = next;
        }
        assert.equal(read.join(''), source);
      }),
      { numRuns: 300 },
    );
  });

  it('all pages of records, joined, are the records', async () => {
    const spec: BodySpec = { field: 'messages', kind: 'records', textField: 'text', paging: 'cursor' };
    const shortText = fc.array(fc.string({ unit: character, maxLength: 12 }), {
      minLength: 1,
      maxLength: 40,
    });
    const messages = fc.array(
      shortText.map((lines) => `${lines.join('\n')}\n`),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(messages, ceiling, async (source, limits) => {
        const read = source.map(() => '');
        for (let cursor: string | null = '0:0'; cursor !== null;) {
          const [item = 0, line = 0] = cursor.split(':').map(Number);
          const rest: readonly string[] = source.slice(item);
          const content = rest.map((whole, index) => ({
            index: item + index,
            text: index === 0 ? linesOf(whole).slice(line).join('') : whole,
          }));
          const projection = await project({
            spec,
            limits,
            body: {
              content,
              totalLines: null,
              cursorAfter: (items, textLines) => {
                if (items === content.length) return null;
                return `${item + items}:${items === 0 ? line + textLines : textLines}`;
              },
            },
          });
          assert.ok(bytesOf(projection) <= limits.maxBytes);
          const result: JsonObject = resultOf(projection);
          for (const shown of result['messages'] as readonly { index: number; text: string }[])
            read[shown.index] = (read[shown.index] ?? '') + shown.text;
          const next: unknown = result['cursor'];
          assert.ok(next === null || (typeof next === 'string' && next !== cursor));
          cursor = next;
        }
        assert.deepEqual(read, source);
      }),
      { numRuns: 200 },
    );
  });

  it('items are whole, under both ceilings, and those that are named', async () => {
    const spec: BodySpec = { field: 'rows', kind: 'items' };
    const item = fc.oneof(
      fc.nat(),
      line,
      fc.record({ name: line, size: fc.nat() }, { noNullPrototype: true }),
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 90 }), strategy, ceiling, async (content, cut, limits) => {
        const projection = await project({ spec, limits, strategy: cut, body: { content } });
        const result = resultOf(projection);
        const kept = listOf(result, 'rows');
        assert.ok(bytesOf(projection) <= limits.maxBytes && kept.length <= limits.maxLines);
        assert.deepEqual(kept, named(projection.marker, content));
        assert.deepEqual(
          [result['returned_lines'], result['total_lines'], result['truncated']],
          [kept.length, content.length, kept.length < content.length],
        );
      }),
      { numRuns: 300 },
    );
  });

  it('lines of records are whole, under both ceilings, and those that are named', async () => {
    const spec: BodySpec = { field: 'messages', kind: 'records', textField: 'text' };
    const texts = fc.array(fc.option(text, { nil: undefined }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, strategy, ceiling, async (source, cut, limits) => {
        const content = source.map((own, id) => ({ id, ...(own !== undefined && { text: own }) }));
        const projection = await project({ spec, limits, strategy: cut, body: { content } });
        const result = resultOf(projection);
        const lines = recordLines(content);
        const kept = recordLines(listOf(result, 'messages'));
        assert.ok(bytesOf(projection) <= limits.maxBytes && kept.length <= limits.maxLines);
        assert.deepEqual(kept, named(projection.marker, lines));
        assert.deepEqual(
          [result['returned_lines'], result['total_lines'], result['truncated']],
          [kept.length, lines.length, kept.length < lines.length],
        );
      }),
      { numRuns: 300 },
    );
  });

  it('the default ceiling holds for large bodies', async () => {
    const large = fc.array(fc.string({ unit: character, maxLength: 60 }), {
      minLength: 1_000,
      maxLength: 2_600,
    });
    await fc.assert(
      fc.asyncProperty(large, strategy, async (lines, cut) => {
        const projection = await project({ body: { content: lines.join('\n') }, strategy: cut });
        assert.ok(bytesOf(projection) <= 65_536);
        assert.ok((projection.returnedLines ?? 0) <= 2_000);
        resultOf(projection);
      }),
      { numRuns: 40 },
    );
  });
});
