import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { z } from 'zod';
import {
  type ModelEvent,
  newConversationId,
  ProviderError,
  userInteractionTools,
} from '../../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../../src/application/assistant/assistantLibrary.ts';
import type { LogEntry, RequestLogPort } from '../../../../src/application/ports/requestLog.ts';
import { exportLog } from '../../../../src/application/requestLog/readLog.ts';
import { RequestLog } from '../../../../src/application/requestLog/requestLog.ts';
import { showLog } from '../../../../src/application/requestLog/showLog.ts';
import { assertGolden } from '../../../golden.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { silentLog } from '../../../support/silentLog.ts';
import { lab, LibraryScene, secretRegistry } from '../assistant/libraryScene.ts';
import { calls, fails, hangs, says, ScriptedModel, type Turn } from '../assistant/scriptedModel.ts';

const exported = z.object({
  conversation: z.object({ id: z.string(), title: z.string() }),
  parts: z.record(z.string(), z.object({ hash: z.string(), body: z.looseObject({ role: z.string() }) })),
  entries: z.array(z.looseObject({ kind: z.string(), parts: z.array(z.tuple([z.number(), z.number()])) })),
});

const df = { name: 'ssh_exec_run', args: { host_id: lab.id, command: 'df -h' } };

async function opened(
  ...turns: readonly Turn[]
): Promise<{ scene: LibraryScene; session: ConversationSession }> {
  const scene = new LibraryScene(new ScriptedModel(...turns));
  scene.host.plays({ 'df -h': { code: 0, output: 'disk is 94% full\n' } });
  return { scene, session: await scene.library.create() };
}

async function ask(scene: LibraryScene, session: ConversationSession, text: string): Promise<void> {
  await session.send(text);
  await scene.settled(session);
  await scene.requestLog.drain();
}

async function logOf(scene: LibraryScene, { id }: ConversationSession): Promise<z.output<typeof exported>> {
  return exported.parse(JSON.parse(await exportLog(scene.store.requestLog, { id, title: 'Disk' })));
}

/** Ids become the same in every run, and the list of tools, which grows, is cut. */
function steady(text: string): string {
  const names = new Map<string, string>();
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, (id) => {
      if (!names.has(id)) names.set(id, `id-${names.size + 1}`);
      return names.get(id) ?? '';
    })
    .replace(/^list_hosts, .*$/mu, 'list_hosts, …');
}

describe('the request log of a conversation', () => {
  it('reads as a story: what was sent, what came back, what was called', async () => {
    const { scene, session } = await opened(calls(df), says('It is 94 % full.'));
    await ask(scene, session, 'How full is lab?');
    const { id } = session;
    assertGolden(
      'requestLog/story.md',
      steady(await showLog(scene.store.requestLog, { id, title: 'How full\nis lab?' })),
    );
  });

  it('holds each body once; the second request names what the first one named, and more', async () => {
    const { scene, session } = await opened(calls(df), says('94 %.'));
    await ask(scene, session, 'How full is lab?');
    const { parts, entries } = await logOf(scene, session);
    const roles = Object.values(parts).map(({ body }) => body.role);
    assert.deepEqual(roles, ['system', 'tools', 'user', 'assistant', 'tool', 'assistant']);
    const sent = entries
      .filter(({ kind }) => kind === 'request')
      .map((entry) =>
        entry.parts.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n)),
      );
    const [first = [], second = []] = sent;
    assert.deepEqual([first.length, second.slice(0, 3), second.length], [3, first, 5]);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      [
        'run',
        'request',
        'response',
        'answer',
        'call',
        'call',
        'call',
        'request',
        'response',
        'answer',
        'run',
      ],
    );
  });

  it('asks nothing twice: a second run only adds what is new', async () => {
    const { scene, session } = await opened(says('One.'), says('Two.'));
    await ask(scene, session, 'First');
    const before = Object.keys((await logOf(scene, session)).parts);
    await ask(scene, session, 'Second');
    const after = Object.values((await logOf(scene, session)).parts).slice(before.length);
    assert.deepEqual(
      after.map(({ body }) => body['text']),
      ['Second', 'Two.'],
    );
  });

  it('tells attempts that failed, their retries and how a run ended', async () => {
    const busy = new ProviderError({
      code: 'overloaded',
      retryable: true,
      status: 529,
      detail: 'Overloaded',
    });
    const refused = new ProviderError({ code: 'unauthorized', retryable: false, status: 401 });
    const { scene, session } = await opened(fails(busy), fails(refused));
    await session.send('Hi');
    await scene.until(() => scene.model.requests.length === 1);
    await scene.clock.advance(60_000);
    await scene.settled(session);
    await scene.requestLog.drain();
    const { entries } = await logOf(scene, session);
    assert.deepEqual(
      entries.map(({ kind, outcome, reason, status, detail, attempt, delayMs, state, failure }) =>
        Object.fromEntries(
          Object.entries({ kind, outcome, reason, status, detail, attempt, delayMs, state, failure }).filter(
            ([, value]) => value !== undefined,
          ),
        ),
      ),
      [
        { kind: 'run', state: 'started' },
        { kind: 'request' },
        { kind: 'response', outcome: 'failed', reason: 'overloaded', status: 529, detail: 'Overloaded' },
        { kind: 'retry', reason: 'overloaded', attempt: 1, delayMs: 1_000 },
        { kind: 'request' },
        { kind: 'response', outcome: 'failed', reason: 'unauthorized', status: 401 },
        { kind: 'run', state: 'failed', failure: 'modelUnauthorized' },
      ],
    );
  });

  it('says that an attempt was abandoned when the run is stopped, and keeps what had arrived', async () => {
    const { scene, session } = await opened(hangs('Let me '));
    await session.send('Hi');
    await scene.reached(session, 'writing');
    session.stop();
    await scene.settled(session);
    await scene.requestLog.drain();
    const { entries, parts } = await logOf(scene, session);
    const response = entries.find(({ kind }) => kind === 'response');
    assert.deepEqual([response?.['outcome'], response?.['textLength']], ['abandoned', 7]);
    assert.equal(Object.values(parts).at(-1)?.body['text'], 'Let me ');
  });

  it('logs requests beside the turns under their purpose', async () => {
    const { scene, session } = await opened(says('One.'));
    scene.proposeTitle = async ({ model, conversationId }, signal) => {
      const stream = model.stream(
        { system: 'Name it.', items: [], tools: [], cacheKey: `${conversationId}:title` },
        signal,
      );
      for await (const event of stream) if (event.kind === 'textDelta') return event.text;
      return undefined;
    };
    scene.model.turns.push(says('A title'));
    await ask(scene, session, 'Hi');
    await scene.until(() => scene.model.requests.length === 2);
    await scene.requestLog.drain();
    const purposes = (await logOf(scene, session)).entries.map(({ purpose }) => purpose);
    assert.deepEqual(
      purposes.filter((purpose) => purpose !== undefined),
      ['turn', 'title'],
    );
  });

  it('shows the arguments of a call that were changed on the way, and only those', async () => {
    const { scene, session } = await opened(calls(df), says('Done.'));
    await ask(scene, session, 'How full is lab?');
    const proposed = (await logOf(scene, session)).entries.find(({ phase }) => phase === 'proposed');
    assert.equal(proposed?.['arguments'], undefined);
  });

  it('holds no secret, whether it is known or only looks like one', async () => {
    const known = 'correct-horse-battery';
    const value = secretRegistry.add(Buffer.from(known));
    const refused = new ProviderError({
      code: 'badRequest',
      retryable: false,
      detail: `no: Authorization: Bearer canary-token-1234, ${known}`,
    });
    const { scene, session } = await opened(
      calls({ ...df, args: { ...df.args, command: `echo ${known}` } }),
      fails(refused),
    );
    scene.host.plays({ [`echo ${known}`]: { code: 0, output: `${known}\n` } });
    await ask(scene, session, `The password is password=canary-pass-1 and ${known}`);
    const { id } = session;
    for (const text of [
      await exportLog(scene.store.requestLog, { id, title: '' }),
      await showLog(scene.store.requestLog, { id, title: '' }),
    ]) {
      assert.match(text, /redacted/);
      assert.doesNotMatch(text, /canary|correct-horse/);
    }
    value.dispose();
  });

  it('holds no handle of a secret, only its expired form', async () => {
    const tools = userInteractionTools({
      secret: { ask: async () => Buffer.from('typed-by-somebody') },
      consumers: { tools: [{ name: 'ssh_exec_run', purposes: ['sudo'] }], hostLabel: async () => 'lab' },
    });
    const asks = { prompt: 'sudo', host_id: lab.id, consumer_tool: 'ssh_exec_run', purpose: 'sudo' };
    const model = new ScriptedModel(calls({ name: 'request_user_secret', args: asks }), says('Thanks.'));
    const scene = new LibraryScene(model, undefined, tools);
    const session = await scene.library.create();
    await ask(scene, session, 'Restart it');
    const [, handle = ''] = /"secret_handle":"([0-9a-f-]{36})"/.exec(model.said(1).join('\n')) ?? [];
    assert.notEqual(handle, '', 'the model got one');
    const { id } = session;
    const text = await exportLog(scene.store.requestLog, { id, title: '' });
    assert.match(text, /"secret_handle\\":\\"expired\\"/);
    assert.equal(text.includes(handle), false);
  });

  it('goes with its conversation', async () => {
    const { scene, session } = await opened(says('One.'));
    await ask(scene, session, 'Hi');
    await scene.library.delete(session.id);
    assert.deepEqual(await logOf(scene, session), {
      conversation: { id: session.id, title: 'Disk' },
      parts: {},
      entries: [],
    });
  });
});

describe('a request log that cannot be written', () => {
  const entry = (n: number): readonly ModelEvent[] => [
    { kind: 'textDelta', text: `${n}` },
    { kind: 'finished', reason: 'completed' },
  ];
  const model = {
    ref: 'lab/model',
    tag: 'lab/test/model',
    capabilities: { tools: false, images: false, reasoning: [] },
    async *stream() {
      yield* entry(1);
    },
  };
  const request = { system: 's', items: [], tools: [], cacheKey: 'k' };

  async function heard(store: RequestLogPort, times: number): Promise<{ events: number; lines: string[] }> {
    const lines: string[] = [];
    const log = new RequestLog({
      store,
      redactor: {
        redact: (text) => text,
        redactJson: (value) => value,
        stream: () => assert.fail(),
        live: () => assert.fail(),
      },
      clock: new FakeClock(),
      log: { ...silentLog, warn: (component, message) => void lines.push(`${component}: ${message}`) },
    });
    const watched = log.watch(newConversationId(), model);
    let events = 0;
    for (let n = 0; n < times; n++)
      for await (const _ of watched.stream(request, new AbortController().signal)) events++;
    await Promise.race([log.drain(), new Promise((resolve) => setImmediate(resolve))]);
    return { events, lines };
  }

  const failing: RequestLogPort = {
    keep: async () => Promise.reject(new Error('Another window is writing to the store.')),
    add: async () => Promise.reject(new Error('Another window is writing to the store.')),
    entries: async function* () {},
    parts: async function* () {},
  };

  it('does not disturb a stream, and says once what is missing and why', async () => {
    const { events, lines } = await heard(failing, 1);
    assert.equal(events, 2);
    assert.deepEqual(lines, ['request log: entries are not stored: Another window is writing to the store.']);
  });

  it('is given up beyond 200 entries when it never answers', async () => {
    let added = 0;
    const stuck: RequestLogPort = {
      ...failing,
      keep: () => new Promise(() => {}),
      add: async (): Promise<boolean> => {
        added++;
        return true;
      },
    };
    const { events, lines } = await heard(stuck, 300);
    assert.deepEqual([events, added], [600, 0]);
    assert.deepEqual(lines, ['request log: entries are not stored: the store is too slow']);
  });

  it('is written again from the start when its parts have gone', async () => {
    const added: LogEntry[] = [];
    let kept = 0;
    const forgetful: RequestLogPort = {
      ...failing,
      keep: async (_id, parts) => parts.map(() => ++kept),
      add: async (_id, entry, numbers) => {
        // The first part is taken away behind the first entry that names it.
        if (numbers.includes(1) && added.length > 0) return false;
        added.push(entry);
        return true;
      },
    };
    await heard(forgetful, 2);
    assert.deepEqual(
      added.map(({ kind }) => kind),
      ['request', 'response', 'request', 'response'],
    );
    assert.equal(kept, 2);
  });
});
