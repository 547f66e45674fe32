import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  AgentError,
  callId,
  createRedactor,
  KnownSecrets,
  projectResult,
  readResultText,
  runId,
  scratchTools,
  ToolServices,
  type Json,
  type JsonObject,
  type ScratchWorkspace,
  type Tool,
  type ToolContext,
} from '../../../src/agentkit/index.ts';
import { bytes, scratchFolder, signal, type ScratchFolder } from './scratchFolder.ts';

const redactor = createRedactor(new KnownSecrets());
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

describe('scratch tools', () => {
  let place: ScratchFolder;
  let scratch: ScratchWorkspace;
  let tools: ReadonlyMap<string, Tool>;

  beforeEach(() => {
    place = scratchFolder();
    scratch = place.open();
    tools = new Map(scratchTools(scratch).map((tool) => [tool.descriptor.name, tool]));
  });
  afterEach(() => {
    scratch.dispose();
    place.remove();
  });

  const context: ToolContext = {
    runId: runId('r'),
    callId: callId('c'),
    toolName: 'scratch',
    userIntent: '',
    services: new ToolServices(),
    redactor,
    secrets: { issue: () => '', consume: () => ({ kind: 'notFound' }) },
    announce: () => {},
    preflightFacts: new Map(),
    signal,
    whenUserInterjects: () => new Promise(() => {}),
    authorize: async () => ({ verdict: 'deny', reason: 'nobody asks', by: 'runtime' }),
    waiting: () => ({ dispose: () => {} }),
    report: () => {},
  };

  /** The object a model gets, or the sentence that answers the call. */
  async function call(name: string, args: JsonObject): Promise<JsonObject | string> {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const checked = tool.validate(args);
    if (!checked.ok) return checked.problem;
    try {
      const outcome = await tool.execute(checked.value, context);
      const { descriptor } = tool;
      const { text } = await projectResult({ outcome, descriptor, strategy: 'head', redactor }, signal);
      return readResultText(text) ?? text;
    } catch (error) {
      if (error instanceof AgentError) return error.message;
      throw error;
    }
  }

  const put = (file: string, text: string) => scratch.write(file, { bytes: bytes(text) }, signal);
  const file = async (name: string): Promise<string> => (await scratch.read(name, signal)).toString('utf8');

  it('are nine, in parallel, and each is contained or read-only', () => {
    const shown = [...tools.values()].map(({ descriptor }) => {
      const { name, safety, concurrency, modes, target } = descriptor;
      return `${name} ${safety} ${concurrency} ${target} ${modes.join(' ')}`;
    });
    assert.deepEqual(shown, [
      'scratch_list locallyReadOnly parallel local planning acting reviewing',
      'scratch_read locallyReadOnly parallel local planning acting reviewing',
      'scratch_search locallyReadOnly parallel local planning acting reviewing',
      'scratch_write locallyContained parallel local planning acting',
      'scratch_replace locallyContained parallel local planning acting',
      'scratch_copy locallyContained parallel local planning acting',
      'scratch_move locallyContained parallel local planning acting',
      'scratch_delete locallyContained parallel local planning acting',
      'scratch_diff locallyReadOnly parallel local planning acting reviewing',
    ]);
  });

  it('scratch_list shows files, folders and how full it is', async () => {
    await put('c/a', '12');
    const result = await call('scratch_list', { recursive: true, path: null });
    assert.ok(typeof result === 'object');
    const { entries, ...fields } = result;
    assert.deepEqual(
      (entries as readonly JsonObject[]).map(({ modified_at, ...entry }) => [entry, typeof modified_at]),
      [
        [{ path: 'c', kind: 'directory', bytes: 0 }, 'string'],
        [{ path: 'c/a', kind: 'file', bytes: 2 }, 'string'],
      ],
    );
    assert.deepEqual(fields, {
      byte_quota: 67_108_864,
      entry_count: 1,
      entry_quota: 512,
      returned_lines: 2,
      total_bytes: 2,
      total_lines: 2,
      truncated: false,
    });
    assert.equal(await call('scratch_list', { path: 'none' }), 'Not found in scratch: none');
  });

  describe('scratch_read', () => {
    it('reads lines with LF only and pages by offset', async () => {
      await put('a', '\ufeffone\r\ntwo\r\nthree\r\n');
      assert.deepEqual(await call('scratch_read', { path: 'a', offset: 2, limit: 1 }), {
        path: 'a',
        bytes: 20,
        content: 'two\n',
        line_ending: 'crlf',
        marker: '[Showing lines 2-2 of 3]',
        next_offset: 3,
        offset: 2,
        returned_lines: 1,
        total_lines: 3,
        truncated: true,
      });
      const last = await call('scratch_read', { path: 'a', offset: 3 });
      assert.deepEqual((last as JsonObject)['next_offset'], null);
    });

    it('an offset past the end is an error, except 1 in an empty file', async () => {
      await put('a', 'x\n');
      await put('empty', '');
      assert.equal(
        await call('scratch_read', { path: 'a', offset: 2 }),
        'The offset 2 is past the end; there are 1 lines.',
      );
      assert.equal(((await call('scratch_read', { path: 'empty' })) as JsonObject)['total_lines'], 0);
    });

    it('names a line that can never fit and goes on behind it', async () => {
      await put('a', `one\n${'w'.repeat(70_000)}\nthree\n`);
      const read: string[] = [];
      const skipped: unknown[] = [];
      for (let offset: unknown = 1; typeof offset === 'number';) {
        const page = (await call('scratch_read', { path: 'a', offset })) as JsonObject;
        read.push(textIn(page['content']));
        if (page['skipped_line'] !== undefined) skipped.push(page['skipped_line']);
        offset = page['next_offset'];
      }
      assert.deepEqual([read.join(''), skipped], ['one\nthree\n', [{ line: 2, bytes: 70_000 }]]);
    });

    it('refuses what is no text', async () => {
      await scratch.write('b', { bytes: Uint8Array.of(0xff) }, signal);
      assert.equal(await call('scratch_read', { path: 'b' }), 'Not UTF-8 text: b');
    });
  });

  describe('scratch_search', () => {
    it('finds one match a line, everywhere, and counts what it does not show', async () => {
      await put('f/a', 'error one error\nfine\nError two\n');
      await put('f/g/b', 'no\nerror three\n');
      await scratch.write('f/binary', { bytes: Uint8Array.of(0x65, 0x72, 0x72, 0x6f, 0x72, 0) }, signal);
      assert.deepEqual(await call('scratch_search', { query: 'error', path: 'f', limit: 2 }), {
        case_sensitive: false,
        marker: '[Showing lines 1-2 of 3]',
        matches: [
          { path: 'f/a', line: 1, text: 'error one error', text_truncated: false },
          { path: 'f/a', line: 3, text: 'Error two', text_truncated: false },
        ],
        matching_lines: 3,
        returned_lines: 2,
        searched_files: 2,
        skipped_binary_files: 1,
        total_lines: 3,
        truncated: true,
      });
    });

    it('minds case when the query has a capital, unless told', async () => {
      await put('a', 'Error\nerror\n');
      const lines = async (args: JsonObject): Promise<unknown> =>
        ((await call('scratch_search', args)) as JsonObject)['matching_lines'];
      assert.equal(await lines({ query: 'Error' }), 1);
      assert.equal(await lines({ query: 'Error', case_sensitive: false }), 2);
      assert.equal(await lines({ query: 'error', case_sensitive: true }), 1);
      assert.equal(await lines({ query: '\\Werror|\\Serror|^error', regex: true }), 2);
    });

    it('takes a query as text, or as a regular expression', async () => {
      await put('a', 'a.c\nabc\nfoo(bar)\n');
      const found = async (args: JsonObject): Promise<unknown> =>
        ((await call('scratch_search', args)) as JsonObject)['matches'];
      assert.deepEqual(await found({ query: 'a.c' }), [
        { path: 'a', line: 1, text: 'a.c', text_truncated: false },
      ]);
      assert.equal(((await found({ query: 'a.c', regex: true })) as readonly unknown[]).length, 2);
      assert.equal(((await found({ query: 'foo(bar)' })) as readonly unknown[]).length, 1);
      assert.equal(
        await call('scratch_search', { query: '(', regex: true }),
        'Invalid arguments: query: is not a regular expression',
      );
      assert.match(textIn(await call('scratch_search', { query: 'a\nb' })), /query: must be one line/);
    });

    it('previews a window of 1,024 bytes around the match, cut at characters', async () => {
      await put('a', `${'€'.repeat(2_000)}needle${'€'.repeat(2_000)}\n`);
      const [match] = ((await call('scratch_search', { query: 'needle' })) as JsonObject)[
        'matches'
      ] as readonly JsonObject[];
      const text = textIn(match?.['text']);
      assert.match(text, /^€{169}needle€{170}$/);
      assert.equal(match?.['text_truncated'], true);
      assert.ok(Buffer.byteLength(text, 'utf8') <= 1_024);
    });

    it('says when there is nothing there', async () => {
      assert.equal(await call('scratch_search', { query: 'x', path: 'none' }), 'Not found in scratch: none');
    });
  });

  describe('scratch_write', () => {
    it('writes the whole file and tells its digest', async () => {
      assert.deepEqual(await call('scratch_write', { path: 'c/a.txt', content: 'hé' }), {
        path: 'c/a.txt',
        bytes: 3,
        byte_quota: 67_108_864,
        created: true,
        sha256: sha256('hé'),
        total_bytes: 3,
      });
      const again = (await call('scratch_write', { path: 'c/a.txt', content: '' })) as JsonObject;
      assert.deepEqual([again['created'], again['bytes']], [false, 0]);
    });

    it('never puts the mark of redaction over a secret', async () => {
      await put('conf', 'password=x\n');
      const refusal =
        'The content contains [redacted], which would overwrite the real value. Pull the file with scratch_pull, change it with scratch_replace and push it with scratch_push.';
      assert.equal(await call('scratch_write', { path: 'conf', content: 'password=[redacted]\n' }), refusal);
      assert.equal(await call('scratch_write', { path: 'new', content: '[redacted]' }), refusal);
      const args = { path: 'conf', replacements: [{ old_text: 'x', new_text: '[redacted]' }] };
      assert.equal(await call('scratch_replace', args), refusal);
      assert.equal(await file('conf'), 'password=x\n');
      await put('doc', 'a mark is [redacted]\n');
      assert.equal(
        typeof (await call('scratch_write', { path: 'doc', content: 'marks: [redacted]\n' })),
        'object',
      );
    });

    it('counts characters, not bytes or units', async () => {
      const result = await call('scratch_write', { path: 'a', content: '😀'.repeat(131_072) });
      assert.equal((result as JsonObject)['bytes'], 524_288);
      assert.match(
        textIn(await call('scratch_write', { path: 'a', content: 'x'.repeat(131_073) })),
        /content: must have at most 131072 characters/,
      );
    });
  });

  describe('scratch_replace', () => {
    it('edits, keeps line endings and mark, and shows the diff', async () => {
      await put('a', '\ufeffone\r\ntwo\r\nthree\r\n');
      assert.deepEqual(
        await call('scratch_replace', {
          path: 'a',
          replacements: [{ old_text: 'two\n', new_text: '2\n2b\n' }],
        }),
        {
          path: 'a',
          bytes: 22,
          diff: '--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n',
          edits_applied: 1,
          first_changed_line: 2,
          line_ending: 'crlf',
          replacements_applied: 1,
          returned_lines: 8,
          sha256: sha256('\ufeffone\r\n2\r\n2b\r\nthree\r\n'),
          total_bytes: 22,
          total_lines: 8,
          truncated: false,
        },
      );
      assert.equal(await file('a'), '\ufeffone\r\n2\r\n2b\r\nthree\r\n');
    });

    it('is all or nothing', async () => {
      await put('a', 'one two\n');
      const answer = await call('scratch_replace', {
        path: 'a',
        replacements: [
          { old_text: 'one', new_text: '1' },
          { old_text: 'three', new_text: '3' },
        ],
      });
      assert.equal(answer, 'Invalid arguments: replacements[1]: old_text does not occur in the file');
      assert.equal(
        await call('scratch_replace', { path: 'a', replacements: [{ old_text: 'one', new_text: 'one' }] }),
        'Invalid arguments: the replacements change nothing',
      );
      assert.equal(await file('a'), 'one two\n');
    });

    it('calls that run at once on one file all count', async () => {
      await put('a', Array.from({ length: 8 }, (_, index) => `x${index}\n`).join(''));
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          call('scratch_replace', {
            path: 'a',
            replacements: [{ old_text: `x${index}`, new_text: `y${index}` }],
          }),
        ),
      );
      assert.ok(results.every((result) => typeof result === 'object'));
      assert.equal(await file('a'), Array.from({ length: 8 }, (_, index) => `y${index}\n`).join(''));
    });

    it('an edit of more than 10,000 lines stands, without a diff', async () => {
      await put('a', 'x\n'.repeat(10_000) + 'y\n');
      const result = (await call('scratch_replace', {
        path: 'a',
        replacements: [{ old_text: '[xy]\\n(?=[xy]|$)', new_text: 'z\n', regex: true, count: 10_000 }],
      })) as JsonObject;
      assert.equal(result['replacements_applied'], 10_000);
      const small = await put('b', 'x\n'.repeat(9_000));
      assert.equal(small.created, true);
      await put('c', 'ab'.repeat(5_500).replaceAll('b', '\n'));
      const wide = (await call('scratch_replace', {
        path: 'c',
        replacements: [{ old_text: '[^]+', new_text: 'n\n'.repeat(12_000), regex: true }],
      })) as JsonObject;
      assert.deepEqual([wide['diff'], wide['truncated'], wide['total_lines']], ['', true, null]);
      assert.equal(await file('c'), 'n\n'.repeat(12_000));
    });
  });

  it('scratch_copy, scratch_move and scratch_delete tell what they did', async () => {
    await put('f/a', '12');
    await put('b', '3');
    assert.deepEqual(await call('scratch_copy', { from: 'f', to: 'g' }), {
      from: 'f',
      to: 'g',
      kind: 'directory',
      files: 1,
      bytes: 2,
      overwritten: false,
      total_bytes: 5,
      entry_count: 3,
    });
    assert.deepEqual(await call('scratch_move', { from: 'b', to: 'g/a', overwrite: true }), {
      from: 'b',
      to: 'g/a',
      kind: 'file',
      files: 1,
      bytes: 1,
      overwritten: true,
      total_bytes: 3,
      entry_count: 2,
    });
    assert.deepEqual(await call('scratch_delete', { path: 'g/a', kind: 'file' }), {
      path: 'g/a',
      kind: 'file',
      deleted: true,
      total_bytes: 2,
      entry_count: 1,
    });
    assert.equal(
      await call('scratch_delete', { path: 'f', kind: 'directory' }),
      'The directory is not empty: f',
    );
    assert.equal(await call('scratch_delete', { path: 'f', kind: 'file' }), 'f is a directory, not a file.');
    assert.equal(
      await call('scratch_delete', { path: '.', kind: 'directory' }),
      'The scratch path is refused: it is the root.',
    );
    assert.equal(
      await call('scratch_copy', { from: 'f/a', to: 'f/a' }),
      'The scratch path is refused: source and target are the same.',
    );
  });

  it('scratch_diff compares the shown lines and tells whether the bytes are equal', async () => {
    await put('a', 'one\ntwo\n');
    await put('b', 'one\r\ntwo\r\n');
    await put('c', 'one\n2\n');
    assert.deepEqual(await call('scratch_diff', { path_a: 'a', path_b: 'b' }), {
      path_a: 'a',
      path_b: 'b',
      identical: false,
      diff: '',
      line_ending_a: 'lf',
      line_ending_b: 'crlf',
      returned_lines: 0,
      total_lines: 0,
      truncated: false,
    });
    const changed = (await call('scratch_diff', { path_a: 'a', path_b: 'c', context: 0 })) as JsonObject;
    assert.equal(changed['diff'], '--- a/a\n+++ b/c\n@@ -2,1 +2,1 @@\n-two\n+2\n');
    mkdirSync(path.join(place.root), { recursive: true });
    writeFileSync(path.join(place.root, 'd'), 'd\n'.repeat(10_001));
    assert.equal(
      await call('scratch_diff', { path_a: 'a', path_b: 'd' }),
      'More than 10000 lines differ. Compare parts of the files, or read them with scratch_read.',
    );
  });
});
