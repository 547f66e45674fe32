import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import fc from 'fast-check';
import {
  createRedactor,
  KnownSecrets,
  OutputCollector,
  projectResult,
  readResultText,
  runId,
  ScratchCaptures,
  type CallCapture,
  type Projection,
  type Redactor,
  type ScratchWorkspace,
  type ToolBody,
} from '../../../src/agentkit/index.ts';
import { until } from '../../e2e/harness/until.ts';
import { bytes, scratchFolder, signal, type ScratchFolder } from './scratchFolder.ts';

const mebibyte = 1_048_576;
const secret = 'correct horse battery';

describe('the output of a command', () => {
  let place: ScratchFolder;
  let scratch: ScratchWorkspace;
  let redactor: Redactor;
  let collector: OutputCollector;
  let spoolFolder: string;
  let names: string[];

  beforeEach(() => {
    place = scratchFolder();
    scratch = place.open();
    const known = new KnownSecrets();
    known.add(bytes(secret));
    redactor = createRedactor(known);
    spoolFolder = path.join(place.folder, 'spool');
    collector = new OutputCollector({ redactor, spoolFolder });
    names = [];
  });
  afterEach(() => {
    collector.dispose();
    scratch.dispose();
    place.remove();
  });

  /** As the executor makes one: generated names, or those that a test gives. */
  function captureFor(kind: string): CallCapture {
    let count = 0;
    const capturePath = (): string => names.shift() ?? `r/outputs/${kind}-${++count}.txt`;
    const context = { runId: runId('r'), toolName: kind };
    const capture = new ScratchCaptures(scratch).forCall({ strategy: 'tail', capturePath }, context);
    if (capture === undefined) throw new Error('no capture');
    return capture;
  }

  function project(body: ToolBody, capture?: CallCapture): Promise<Projection> {
    return projectResult(
      {
        outcome: { kind: 'success', fields: {}, body },
        descriptor: { body: { field: 'output', kind: 'text' } },
        strategy: 'tail',
        redactor,
        capture,
      },
      signal,
    );
  }

  const file = (name: string): string => readFileSync(path.join(place.root, name), 'utf8');
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');
  const push = async (text: string): Promise<void> => collector.push(bytes(text));

  it('a short command creates no file', async () => {
    collector.captureTo(captureFor('ssh-exec'));
    await push(lines(1, 100));
    collector.end();
    const projection = await project(collector.body(), captureFor('unused'));
    assert.deepEqual(
      [projection.truncated, projection.returnedLines, projection.totalLines],
      [false, 100, 100],
    );
    assert.deepEqual(readdirSync(place.folder), []);
  });

  it('exactly what a result can hold stays in memory', async () => {
    await push('x\n'.repeat(2_000));
    assert.equal(collector.body().full?.isWhole, true);
    await push('x\n');
    assert.equal(collector.body().full?.isWhole, false);
  });

  it('counts raw bytes of both streams and shows them in the order they came', async () => {
    await collector.push(bytes('out 1\n'), 'stdout');
    await collector.push(bytes('error\n'), 'stderr');
    await collector.push(bytes('out 2'), 'stdout');
    assert.deepEqual(collector.totals, { bytes: 17, stderrBytes: 6, lines: 3 });
    assert.equal(collector.body().content, 'out 1\nerror\nout 2');
  });

  it('a character and an escape sequence of one stream wait for their rest beside the other', async () => {
    const euro = bytes('€');
    await collector.push(euro.subarray(0, 1), 'stdout');
    await collector.push(bytes('e\x1b[3'), 'stderr');
    await collector.push(euro.subarray(1), 'stdout');
    await collector.push(bytes('1mr'), 'stderr');
    collector.end();
    assert.equal(collector.body().content, '€er');
  });

  it('hides a secret that arrives in pieces, in the result and in the file', async () => {
    collector.captureTo(captureFor('ssh-exec'));
    await push(`${lines(1, 2_000)}the password is correct hor`);
    await push(`se battery\n\x1b[1mcorrect\x1b[0m horse battery\npassword: x\n`);
    collector.end();
    const projection = await project(collector.body(), captureFor('unused'));
    const tail = 'the password is [redacted]\n[redacted]\npassword: [redacted]\n';
    assert.ok(projection.text.includes(JSON.stringify(tail).slice(1, -1)));
    assert.equal(file('r/outputs/ssh-exec-1.txt'), lines(1, 2_000) + tail);
  });

  for (const text of [`${secret}\n`, 'password: hunter2 hunter3\n', `a ${secret} b`])
    it(`hides a secret that the other stream breaks off: ${JSON.stringify(text)}`, async () => {
      for (let cut = 1; cut < text.length; cut++) {
        const output = new OutputCollector({ redactor, spoolFolder });
        await output.push(bytes(text.slice(0, cut)));
        await output.push(bytes('warning\n'), 'stderr');
        const live = output.tail();
        await output.push(bytes(text.slice(cut)));
        output.end();
        const { content } = output.body();
        assert.equal(content, `warning\n${redactor.redact(text)}`);
        assert.ok(!/hunter3|battery/.test(live), live);
        assert.deepEqual(output.totals.lines, 2);
        output.dispose();
      }
    });

  it('shows unfinished lines of both streams in the order in which they began', async () => {
    await collector.push(bytes('Sure?\x1b[0m '), 'stderr');
    await collector.push(bytes('a\nb'));
    assert.equal(collector.tail(), 'a\nSure? b');
    collector.end();
    assert.equal(collector.tail(), 'a\nSure? b');
    assert.equal(collector.totals.lines, 2);
  });

  it('shows an unfinished line, but never the beginning of a secret', async () => {
    await push('ready\nPassword: correct ho');
    const body = collector.body();
    assert.deepEqual([body.content, body.totalLines], ['ready\nPassword: ', 2]);
    await push('rse battery\nname: correct h');
    assert.equal(collector.body().content, 'ready\nPassword: [redacted]\nname: ');
  });

  it('reads the same at every cut', async () => {
    const all = bytes(`a\r\nb€\x1b[31mc\x1b[0m\r\n${secret}\nno end €`);
    const shown = async (pieces: readonly Uint8Array[]): Promise<unknown> => {
      const one = new OutputCollector({ redactor, spoolFolder });
      for (const piece of pieces) await one.push(piece);
      one.end();
      const { content, firstLine, totalLines } = one.body();
      return { content, firstLine, totalLines, totals: one.totals };
    };
    const whole = await shown([all]);
    assert.deepEqual(whole, {
      content: 'a\r\nb€c\r\n[redacted]\nno end €',
      firstLine: 1,
      totalLines: 4,
      totals: { bytes: all.length, stderrBytes: 0, lines: 4 },
    });
    for (let cut = 1; cut < all.length; cut++)
      assert.deepEqual(await shown([all.subarray(0, cut), all.subarray(cut)]), whole, `cut at ${cut}`);
    assert.deepEqual(await shown([...all].map((byte) => Uint8Array.of(byte))), whole);
  });

  const part = fc.constantFrom(
    'line\n',
    '\r\n',
    '€',
    '\x1b[1m',
    `${secret}\n`,
    'token=abc ',
    `${'w'.repeat(70_000)}\n`,
    'x\n'.repeat(700),
  );

  it('the result of any output shows exactly the lines that its marker names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const one = new OutputCollector({ redactor, spoolFolder });
        for (const piece of parts) await one.push(bytes(piece));
        one.end();
        const projection = await project(one.body());
        const { text } = await one.heldText();
        one.dispose();
        const printed = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const [, from = 1, to = 0] = (/(\d+)-(\d+)/.exec(projection.marker ?? '') ?? []).map(Number);
        const named = projection.marker === undefined ? printed : printed.slice(from - 1, to);
        const result = readResultText(projection.text);
        assert.deepEqual(
          [result?.['output'], result?.['total_lines'], result?.['returned_lines']],
          [named.join(''), printed.length, named.length],
        );
        assert.ok(Buffer.byteLength(projection.text) <= 65_536 && named.length <= 2_000);
      }),
      { numRuns: 60 },
    );
  });

  it('any output, cut anywhere, gives the same body, totals and saved text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        async (parts, places) => {
          const all = bytes(parts.join(''));
          const cuts = [...new Set(places.map((at) => at % (all.length + 1)))].sort((a, b) => a - b);
          const outcomes = [];
          for (const ends of [[all.length], [...cuts, all.length]]) {
            const one = new OutputCollector({ redactor, spoolFolder });
            for (const [index, end] of ends.entries())
              await one.push(all.subarray(ends[index - 1] ?? 0, end));
            one.end();
            const { content, firstLine, totalLines } = one.body();
            outcomes.push({ content, firstLine, totalLines, totals: one.totals, held: await one.heldText() });
            one.dispose();
          }
          assert.deepEqual(outcomes[1], outcomes[0]);
          assert.equal(outcomes[0]?.held.text.split('\n').length, all.toString('utf8').split('\n').length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a terminal reset behind the last line is no line', async () => {
    await collector.push(bytes('a\n\x1b[0m'));
    collector.end();
    assert.deepEqual([collector.totals.lines, collector.body().content], [1, 'a\n']);
  });

  describe('beyond the ceiling', () => {
    it('the run saves everything up to its result and never later output; a snapshot saves all', async () => {
      collector.captureTo(captureFor('ssh-exec'));
      assert.equal(collector.captureFile, undefined);
      await push(lines(1, 3_000));
      await scratch.usage(signal);
      assert.equal(collector.captureFile, 'r/outputs/ssh-exec-1.txt');
      const running = collector.body();
      await push(lines(3_001, 4_000));
      const first = await project(running, captureFor('unused'));
      assert.equal(first.marker, '[Showing lines 1001-3000 of 3000. Full output: r/outputs/ssh-exec-1.txt]');
      await push(lines(4_001, 5_000));
      const snapshot = captureFor('ssh-exec-output');
      const second = await project(collector.body(), snapshot);
      assert.equal(
        second.marker,
        '[Showing lines 3001-5000 of 5000. Full output: r/outputs/ssh-exec-output-1.txt]',
      );
      await push('more\n');
      const third = await project(collector.body(), snapshot);
      assert.equal(third.capturedPath, 'r/outputs/ssh-exec-output-2.txt');
      assert.equal(file('r/outputs/ssh-exec-1.txt'), lines(1, 3_000));
      assert.equal(file('r/outputs/ssh-exec-output-1.txt'), lines(1, 5_000));
      assert.equal(file('r/outputs/ssh-exec-output-2.txt'), `${lines(1, 5_000)}more\n`);
    });

    it('a snapshot holds what was there when it was taken, with an unfinished line', async () => {
      await push(`${lines(1, 2_500)}unfinished`);
      const body = collector.body();
      await push(' line\nlater\n');
      await project(body, captureFor('ssh-exec-output'));
      assert.equal(file('r/outputs/ssh-exec-output-1.txt'), `${lines(1, 2_500)}unfinished`);
    });

    it('text that only its escapes make too large is saved from memory', async () => {
      collector.captureTo(captureFor('ssh-exec'));
      await push(`${'"'.repeat(33_000)}\n`);
      const projection = await project(collector.body(), captureFor('late'));
      assert.equal(projection.marker, '[Showing 0 lines of 1. Full output: r/outputs/late-1.txt]');
      assert.equal(file('r/outputs/late-1.txt'), `${'"'.repeat(33_000)}\n`);
    });

    it('the spool is private, has no name, and is gone with the collector', async () => {
      await push(lines(1, 5_000));
      await collector.heldText();
      if (process.platform !== 'win32') assert.equal(statSync(spoolFolder).mode & 0o777, 0o700);
      if (process.platform !== 'win32') assert.deepEqual(readdirSync(spoolFolder), []);
      const body = collector.body();
      collector.dispose();
      const { captureError } = await project(body, captureFor('late'));
      assert.equal(captureError, 'The full output was not saved: it is no longer held.');
    });

    it('100 MiB are counted exactly while the last lines are kept', async () => {
      const part = bytes('0123456789abcde\n'.repeat(4_096));
      for (let index = 0; index < 1_600; index++) await collector.push(part);
      assert.deepEqual(collector.totals, { bytes: 100 * mebibyte, stderrBytes: 0, lines: 6_553_600 });
      const body = collector.body();
      assert.deepEqual([body.firstLine, body.totalLines], [6_551_601, 6_553_600]);
      const { text, missingBytes } = await collector.heldText();
      assert.equal(text.length + missingBytes, 100 * mebibyte);
      assert.ok(text.length === 8 * mebibyte);
      assert.ok(text.startsWith('0123456789abcde\n'));
    });

    it('the file of a run keeps the first 8 MiB and is named as partial; a snapshot has the last', async () => {
      collector.captureTo(captureFor('ssh-exec'));
      const part = bytes(`${'€'.repeat(20)}\n`.repeat(1_024));
      const count = Math.ceil((9 * mebibyte) / part.length);
      for (let index = 0; index < count; index++) await collector.push(part);
      const first = await project(collector.body(), captureFor('unused'));
      const saved = file('r/outputs/ssh-exec-1.txt');
      const kept = Buffer.byteLength(saved, 'utf8');
      assert.ok(kept <= 8 * mebibyte && kept > 8 * mebibyte - 3 && !saved.includes('\ufffd'));
      assert.equal(
        first.captureError,
        `Only a partial copy was saved: r/outputs/ssh-exec-1.txt holds the first ${kept} of ${count * part.length} bytes.`,
      );
      assert.equal(first.marker?.includes('Full output'), false);
      const second = await project(collector.body(), captureFor('ssh-exec-output'));
      const last = file('r/outputs/ssh-exec-output-1.txt');
      const missing = count * part.length - Buffer.byteLength(last, 'utf8');
      assert.equal(
        second.captureError,
        `Only a partial copy was saved: r/outputs/ssh-exec-output-1.txt lacks the first ${missing} bytes.`,
      );
      assert.match(last, /^€{20}\n/);
    });

    it('a line above 65,536 bytes is only a length, but is saved', async () => {
      const long = 'w'.repeat(70_000);
      await push(`before\n${long}`);
      const inside = await project(collector.body(), captureFor('inside'));
      assert.deepEqual([inside.returnedLines, inside.totalLines], [0, 2]);
      assert.equal(file('r/outputs/inside-1.txt'), `before\n${long}`);
      await push(`\nafter 1\nafter 2\n`);
      const behind = await project(collector.body(), captureFor('behind'));
      assert.equal(behind.marker, '[Showing lines 3-4 of 4. Full output: r/outputs/behind-1.txt]');
      assert.equal(file('r/outputs/behind-1.txt'), `before\n${long}\nafter 1\nafter 2\n`);
    });

    it('a long line of many small pieces and many bytes a character counts raw bytes', async () => {
      for (let index = 0; index < 30; index++) await push('€'.repeat(1_000));
      await push('\nshort\n');
      const { content, firstLine, totalLines } = collector.body();
      assert.deepEqual([content, firstLine, totalLines], ['short\n', 2, 2]);
    });
  });

  describe('a capture that cannot be whole', () => {
    const long = (): string => lines(1, 3_000);

    it('over the quota of files', async () => {
      mkdirSync(place.root);
      for (let index = 0; index < 512; index++) writeFileSync(path.join(place.root, String(index)), '');
      collector.captureTo(captureFor('ssh-exec'));
      await push(long());
      const projection = await project(collector.body(), captureFor('unused'));
      assert.deepEqual(
        [projection.marker, projection.capturedPath, projection.captureError],
        [
          '[Showing lines 1001-3000 of 3000]',
          undefined,
          'The full output was not saved. Scratch is full: 512 of 512 files exist. Delete files that are no longer needed.',
        ],
      );
    });

    it('over the quota of bytes in the middle of it', async () => {
      for (let index = 0; index < 8; index++)
        await scratch.write(
          `b${index}`,
          { bytes: Buffer.alloc(8 * mebibyte - (index === 0 ? 80_000 : 0)) },
          signal,
        );
      collector.captureTo(captureFor('ssh-exec'));
      for (let index = 0; index < 40; index++) await collector.push(bytes('0123456789\n'.repeat(6_000)));
      const { captureError = '' } = await project(collector.body(), captureFor('unused'));
      assert.match(
        captureError,
        /^(Only a partial copy was saved: r\/outputs\/ssh-exec-1\.txt holds the first \d+ of 2640000 bytes\.|The full output was not saved\.) Scratch is full: /,
      );
    });

    it('with a link in its path', async () => {
      mkdirSync(place.root);
      symlinkSync(place.folder, path.join(place.root, 'r'));
      const { captureError } = await project({ content: long() }, captureFor('fetch'));
      assert.equal(
        captureError,
        'The full output was not saved. The scratch path is refused: r is a link or no regular file.',
      );
      assert.ok(!existsSync(path.join(place.folder, 'outputs')));
    });

    it('where the disk refuses it, at once and in the middle', async () => {
      writeFileSync(place.root, 'no folder');
      collector.captureTo(captureFor('ssh-exec'));
      await push(long());
      const first = await project(collector.body(), captureFor('unused'));
      assert.deepEqual([first.marker, first.capturedPath], ['[Showing lines 1001-3000 of 3000]', undefined]);
      assert.match(first.captureError ?? '', /^The full output was not saved\. Scratch could not be used: /);
      rmSync(place.root);
      const capture = captureFor('ssh-exec-output').grow();
      await capture.append(bytes('first\n'));
      await until({ what: 'the file', probe: () => capture.path !== undefined });
      rmSync(place.root, { recursive: true });
      writeFileSync(place.root, 'no folder');
      await capture.append(bytes('second\n'));
      const result = await capture.seal(signal);
      assert.match(
        result.kind === 'failed' ? result.reason : '',
        /^Only a partial copy was saved: r\/outputs\/ssh-exec-output-1\.txt holds the first 6 of 13 bytes\. Scratch could not be used: /,
      );
    });

    it('of more than 8 MiB is named as partial', async () => {
      const content = 'x'.repeat(8 * mebibyte + 1);
      const { captureError, marker } = await project({ content }, captureFor('fetch'));
      assert.equal(
        captureError,
        'Only a partial copy was saved: r/outputs/fetch-1.txt holds the first 8388608 of 8388609 bytes.',
      );
      assert.equal(marker, '[Showing 0 lines of 1]');
      assert.equal(statSync(path.join(place.root, 'r/outputs/fetch-1.txt')).size, 8 * mebibyte);
    });

    it('never overwrites: a taken name gives another, three taken names none', async () => {
      await scratch.write('taken', { bytes: bytes('kept') }, signal);
      names = ['taken', 'taken', 'free'];
      assert.equal((await project({ content: long() }, captureFor('fetch'))).capturedPath, 'free');
      names = ['taken', 'taken', 'taken', 'free 2'];
      const { captureError } = await project({ content: long() }, captureFor('fetch'));
      assert.equal(captureError, 'The full output was not saved. Already exists in scratch: taken');
      assert.equal(file('taken'), 'kept');
    });

    it('is given up on Stop', async () => {
      const stopped = AbortSignal.abort(new Error('stop'));
      const result = await captureFor('fetch').save(bytes('x'), stopped);
      assert.deepEqual(result, {
        kind: 'failed',
        reason: 'The full output was not saved. Saving was stopped.',
      });
    });
  });

  it('items without a text of their own are saved one to a line', async () => {
    const content = Array.from({ length: 2_001 }, (_, index) => ({ index }));
    const projection = await projectResult(
      {
        outcome: { kind: 'success', fields: {}, body: { content } },
        descriptor: { body: { field: 'rows', kind: 'items' } },
        strategy: 'middle',
        redactor,
        capture: captureFor('mcp-tool'),
      },
      signal,
    );
    assert.equal(projection.capturedPath, 'r/outputs/mcp-tool-1.txt');
    assert.ok(file('r/outputs/mcp-tool-1.txt').endsWith('{"index":1999}\n{"index":2000}\n'));
  });
});
