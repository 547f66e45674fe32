import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { PreludeFilter, type PreludeReport } from '../../../../src/application/exec/preludeFilter.ts';

const mark = 'termind-0123456789abcdef0123456789abcdef';

function filtered(chunks: readonly string[]): { text: string; reports: PreludeReport[] } {
  const reports: PreludeReport[] = [];
  const filter = new PreludeFilter(mark, (report) => reports.push(report));
  const kept = chunks.map((chunk) => Buffer.from(filter.push(Buffer.from(chunk))).toString());
  return { text: kept.join('') + Buffer.from(filter.end()).toString(), reports };
}

describe('the prelude filter', () => {
  const streams: readonly { name: string; stream: string; text: string; reports: PreludeReport[] }[] = [
    {
      name: 'takes the report out and keeps the rest',
      stream: `${mark} 4711\nls: /x: no such file\n`,
      text: 'ls: /x: no such file\n',
      reports: [{ kind: 'started', processGroup: 4711 }],
    },
    {
      name: 'keeps what a start-up file printed before it, also without a line end',
      stream: `motd${mark} 4711\nrest`,
      text: 'motdrest',
      reports: [{ kind: 'started', processGroup: 4711 }],
    },
    {
      name: 'reports a folder that could not be entered',
      stream: `sh: cd: /x: not found\n${mark} cd\n`,
      text: 'sh: cd: /x: not found\n',
      reports: [{ kind: 'directoryRefused' }],
    },
    {
      name: 'passes a stream without a report',
      stream: 'termind-0123 nothing',
      text: 'termind-0123 nothing',
      reports: [],
    },
    {
      name: 'keeps a mark that is followed by something else',
      stream: `${mark} 12; rm\n`,
      text: `${mark} 12; rm\n`,
      reports: [],
    },
    {
      name: 'never takes process 1 for a group of ours',
      stream: `${mark} 1\nx`,
      text: `${mark} 1\nx`,
      reports: [],
    },
    {
      name: 'takes only the first report; a later one is output',
      stream: `${mark} 5\n${mark} 6\n`,
      text: `${mark} 6\n`,
      reports: [{ kind: 'started', processGroup: 5 }],
    },
    {
      name: 'gives a report without an end back as output',
      stream: `${mark} ${'1'.repeat(80)}`,
      text: `${mark} ${'1'.repeat(80)}`,
      reports: [],
    },
  ];
  for (const { name, stream, text, reports } of streams)
    it(`${name}, at every cut`, () => {
      assert.deepEqual(filtered([stream]), { text, reports });
      for (let cut = 1; cut < stream.length; cut++)
        assert.deepEqual(
          filtered([stream.slice(0, cut), stream.slice(cut)]),
          { text, reports },
          `cut ${cut}`,
        );
      assert.deepEqual(filtered(Array.from(stream)), { text, reports });
    });
});
