import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  callId,
  type ConversationId,
  type Message,
  type MessageSearchPort,
  newConversationId,
  newMessageId,
  newRunId,
  type RunId,
  type RunStorePort,
  type SearchQuery,
  type ToolMessage,
} from '../../src/agentkit/index.ts';
import type { FakeClock } from '../support/fakeClock.ts';
import { assistantMessage, conversation, toolMessage, userMessage } from './runStore.ts';

export interface MessageSearchFixture {
  readonly search: MessageSearchPort;
  readonly runs: RunStorePort;
  readonly clock: FakeClock;
  dispose(): void | Promise<void>;
}

const never = new AbortController().signal;

/** What every search promises, whatever it is made of. */
export function describeMessageSearch(name: string, make: () => Promise<MessageSearchFixture>): void {
  describe(`message search: ${name}`, () => {
    let fixture: MessageSearchFixture;
    let one: ConversationId;
    let run: RunId;
    let written = 1_700_000_000_000;

    beforeEach(async () => {
      fixture = await make();
      one = await begun('Disk');
      run = newRunId();
    });
    afterEach(() => fixture.dispose());

    async function begun(title: string): Promise<ConversationId> {
      const id = newConversationId();
      await fixture.runs.createConversation(conversation(id, title));
      return id;
    }

    /** Messages with rising times, as they are written. */
    async function say(id: ConversationId, ...messages: readonly Message[]): Promise<readonly Message[]> {
      const said = messages.map((message) => ({ ...message, createdAt: ++written }));
      const runId = newRunId();
      await fixture.clock.advance(1_000);
      await fixture.runs.startRun({ runId, conversationId: id, startedAt: written });
      await fixture.runs.saveRun({
        runId,
        conversationId: id,
        startedAt: written,
        state: 'completed',
        appended: said,
      });
      return said;
    }

    const text = (words: string): Message => userMessage(run, words);
    const answer = (words: string): Message => assistantMessage(run, [], words);

    async function found(query: string, more: Partial<SearchQuery> = {}): Promise<readonly string[]> {
      const page = await fixture.search.search({ query, offset: 0, limit: 20, ...more }, never);
      assert.ok(page, 'the conversation is known');
      return page.results.map(({ snippet }) => snippet);
    }

    it('finds messages with all words, newest first, and says where they stand', async () => {
      const two = await begun('Web');
      const [first] = await say(one, text('The disk of db1 is full'), answer('I look at the disk.'));
      const [later] = await say(two, text('Is any disk full on web2?'));
      const page = await fixture.search.search({ query: 'disk full', offset: 0, limit: 10 }, never);
      const updated = new Map(
        (await fixture.runs.listConversations()).map(({ id, updatedAt }) => [id, updatedAt]),
      );
      assert.deepEqual(page, {
        results: [
          {
            conversationId: two,
            title: 'Web',
            updatedAt: updated.get(two),
            messageId: later?.id,
            messageOffset: 0,
            role: 'user',
            snippet: 'Is any disk full on web2?',
            matches: 2,
          },
          {
            conversationId: one,
            title: 'Disk',
            updatedAt: updated.get(one),
            messageId: first?.id,
            messageOffset: 0,
            role: 'user',
            snippet: 'The disk of db1 is full',
            matches: 2,
          },
        ],
        total: 2,
      });
    });

    it('keeps quoted phrases and structured tokens whole', async () => {
      await say(
        one,
        text('restart nginx on 192.0.2.7'),
        answer('nginx, then a restart of 192.0.7.2'),
        text('see /etc/nginx/nginx.conf'),
      );
      assert.deepEqual(await found('"restart nginx"'), ['restart nginx on 192.0.2.7']);
      assert.deepEqual(await found('192.0.2.7'), ['restart nginx on 192.0.2.7']);
      assert.deepEqual(await found('/etc/nginx/nginx.conf'), ['see /etc/nginx/nginx.conf']);
      assert.deepEqual(await found('RESTART Nginx'), [
        'nginx, then a restart of 192.0.7.2',
        'restart nginx on 192.0.2.7',
      ]);
    });

    it('does not mind accents and case', async () => {
      await say(one, text('Le café est à Zürich'));
      for (const query of ['cafe', 'CAFÉ', 'zürich', 'zurich'])
        assert.equal((await found(query)).length, 1, query);
      assert.deepEqual(await found('caf'), []);
    });

    it('falls back to messages with any of the words, those with more of them first', async () => {
      await say(
        one,
        text('certificate of the proxy'),
        text('proxy and certificate expired'),
        text('proxy only'),
      );
      assert.deepEqual(await found('certificate proxy expired renewal'), [
        'proxy and certificate expired',
        'certificate of the proxy',
        'proxy only',
      ]);
      assert.deepEqual(await found('renewal absent'), []);
    });

    for (const [query, sentence] of [
      ['磁盘', '服务器的磁盘满了'],
      ['满', '服务器的磁盘满了'],
      ['ディスク', '本番のディスクが満杯です'],
      ['서버', '서버가 느립니다'],
      ['磁盘db1', '检查磁盘db1的空间'],
    ] as const)
      it(`finds ${query} inside a sentence without spaces`, async () => {
        await say(one, text(sentence), text('disk'));
        assert.deepEqual(await found(query), [sentence]);
      });

    for (const query of [
      'disk*',
      'text:disk',
      '^disk',
      '-disk',
      '"disk',
      'disk"',
      '(disk)',
      '{text}:disk',
      '+disk!',
    ])
      it(`has no operators: ${query} means the word`, async () => {
        await say(one, text('text disk'));
        assert.deepEqual(await found(query), ['text disk']);
      });

    for (const query of ['NEAR(disk full)', 'disk NOT full', 'disk OR full', 'disk AND full'])
      it(`has no operators: ${query} is looked for as words`, async () => {
        await say(one, text('disk full'), text('disk'), text('near not or and disk full'));
        assert.equal((await found(query))[0], 'near not or and disk full');
      });

    for (const query of ['', '   ', '&& || **', '""', '%', '_', "'"])
      it(`nothing is asked for, nothing is found: ${JSON.stringify(query)}`, async () => {
        await say(one, text('100% of a_b'));
        assert.deepEqual(await fixture.search.search({ query, offset: 0, limit: 5 }, never), {
          results: [],
          total: 0,
        });
      });

    it('does not look for words that every text has, unless nothing else is asked for', async () => {
      await say(one, text('nginx restarts'), text('what is that'));
      assert.deepEqual(await found('what is the nginx'), ['nginx restarts']);
      assert.deepEqual(await found('what is that'), ['what is that']);
    });

    it('looks in one conversation, or not in one', async () => {
      const two = await begun('Web');
      await say(one, text('disk one'));
      await say(two, text('disk two'));
      assert.deepEqual(await found('disk', { conversationId: one }), ['disk one']);
      assert.deepEqual(await found('disk', { except: one }), ['disk two']);
      assert.deepEqual(await found('disk', { conversationId: one, except: one }), []);
      const unknown = newConversationId();
      const page = { offset: 0, limit: 5 };
      assert.equal(
        await fixture.search.search({ query: 'disk', conversationId: unknown, ...page }, never),
        undefined,
      );
      assert.equal(
        await fixture.search.search({ query: '', conversationId: unknown, ...page }, never),
        undefined,
      );
    });

    it('gives pages that follow each other', async () => {
      await say(one, ...Array.from({ length: 7 }, (_, n) => text(`disk number ${n}`)));
      const page = (offset: number) =>
        fixture.search.search({ query: 'disk', offset, limit: 3 }, never).then((found) => ({
          texts: found?.results.map(({ snippet }) => snippet.at(-1)).join(''),
          nextOffset: found?.nextOffset,
          total: found?.total,
        }));
      assert.deepEqual(await page(0), { texts: '654', nextOffset: 3, total: undefined });
      assert.deepEqual(await page(3), { texts: '321', nextOffset: 6, total: undefined });
      assert.deepEqual(await page(6), { texts: '0', nextOffset: undefined, total: 7 });
      assert.deepEqual(await page(7), { texts: '', nextOffset: undefined, total: undefined });
    });

    it('reads what a result says, and never reasoning, arguments or handles', async () => {
      const call = callId('call_1');
      const result = (toolName: string, body: string): ToolMessage => ({
        ...toolMessage(run, callId(toolName), body),
        toolName,
        id: newMessageId(),
      });
      await say(
        one,
        { ...assistantMessage(run, [call], 'plain'), reasoning: 'pondering' },
        result(
          'ssh_exec_run',
          '<untrusted-data>\n{"exit_code":0,"output":"Filesystem\\nUse% \\u003c\\/dev\\/sda1","skipped":null}\n</untrusted-data>',
        ),
        result(
          'sftp_list',
          '<untrusted-data>\n{"entries":[{"name":"alpha"},{"name":"beta"}]}\n</untrusted-data>',
        ),
        result('request_user_secret', 'handle 0b51c9f2'),
        result('ssh_exec_run', 'permission denied'),
      );
      assert.deepEqual(await found('filesystem'), ['exit_code: 0 output: Filesystem Use% </dev/sda1']);
      assert.deepEqual(await found('"name beta"'), ['name: alpha name: beta']);
      assert.deepEqual(await found('denied'), ['permission denied']);
      for (const hidden of ['pondering', 'df', 'untrusted', 'handle', '0b51c9f2'])
        assert.deepEqual(await found(hidden), [], hidden);
      const window = await fixture.search.window({ conversationId: one, offset: 3, limit: 1 }, never);
      assert.deepEqual(
        window?.results.map(({ role, content }) => [role, content]),
        [['tool', '']],
      );
    });

    it('shows the text around the first match within 1,024 bytes', async () => {
      const filler = 'x'.repeat(5);
      await say(one, text(`${`${filler} `.repeat(500)}needle ${'後'.repeat(900)}`));
      const [snippet] = await found('needle');
      assert.ok(snippet !== undefined && Buffer.byteLength(snippet) <= 1_024);
      assert.match(snippet, /^…xxxxx .* needle 後+…$/u);
    });

    it('lists conversations, the one worked on last first, with its newest words', async () => {
      const two = await begun('Web');
      await say(two, text('older'));
      await say(one, text('Why?'), answer('Because of logs.'), answer(''), toolMessage(run, callId('x')));
      const page = await fixture.search.recent({ offset: 0, limit: 1 }, never);
      assert.deepEqual(
        page.results.map(({ conversationId, title, messageCount, preview }) => ({
          conversationId,
          title,
          messageCount,
          preview,
        })),
        [{ conversationId: one, title: 'Disk', messageCount: 4, preview: 'Because of logs.' }],
      );
      assert.deepEqual([page.nextOffset, page.total], [1, 2]);
      const rest = await fixture.search.recent({ offset: 1, limit: 5 }, never);
      assert.deepEqual(
        [rest.results.map(({ preview }) => preview), rest.nextOffset, rest.total],
        [['older'], undefined, 2],
      );
    });

    it('reads the messages of one conversation in order', async () => {
      const said = await say(one, text('one'), answer('two'), text('three'));
      const page = await fixture.search.window({ conversationId: one, offset: 1, limit: 1 }, never);
      assert.deepEqual(page, {
        results: [
          {
            conversationId: one,
            messageId: said[1]?.id,
            messageOffset: 1,
            title: 'Disk',
            role: 'assistant',
            createdAt: said[1]?.createdAt,
            content: 'two',
          },
        ],
        nextOffset: 2,
        total: 3,
      });
      const behind = await fixture.search.window({ conversationId: one, offset: 9, limit: 1 }, never);
      assert.deepEqual(behind, { results: [], total: 3 });
      assert.equal(
        await fixture.search.window({ conversationId: newConversationId(), offset: 0, limit: 1 }, never),
        undefined,
      );
    });

    it('follows what is removed, copied and added', async () => {
      const [kept, cut] = await say(one, text('disk kept'), text('disk cut'));
      assert.ok(kept && cut);
      assert.deepEqual(await found('disk'), ['disk cut', 'disk kept']);
      const copy = newConversationId();
      await fixture.runs.fork(one, kept.id, conversation(copy, 'Copy'));
      assert.deepEqual(await found('disk', { conversationId: copy }), ['disk kept']);
      await fixture.runs.truncateFrom(one, cut.id);
      assert.deepEqual(await found('disk', { conversationId: one }), ['disk kept']);
      await say(one, text('disk again'));
      assert.deepEqual(await found('disk', { conversationId: one }), ['disk again', 'disk kept']);
      await fixture.runs.deleteConversation(one);
      assert.deepEqual(await found('disk'), ['disk kept']);
      assert.deepEqual(await found('again'), []);
    });

    it('stops when it is told to', async () => {
      await say(one, text('disk'));
      const signal = AbortSignal.abort(new Error('stopped'));
      await assert.rejects(fixture.search.search({ query: 'disk', offset: 0, limit: 5 }, signal), /stopped/);
    });
  });
}
