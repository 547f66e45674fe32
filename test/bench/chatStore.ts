import path from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import {
  callId,
  type ConversationId,
  conversationId,
  type Message,
  newConversationId,
  newMessageId,
  newRunId,
  type RunId,
  systemClock,
  type ToolMessage,
  toolResultMessageId,
} from '../../src/agentkit/index.ts';
import type { LogPort } from '../../src/application/ports/prompts.ts';
import { openStore, type Store } from '../../src/infrastructure/store/openStore.ts';
import { cached } from '../../scripts/setup/cache.mjs';
import { ChatText } from './chatText.ts';

/** Raised when what is written below changes, so that no bench reads the data of an older one. */
const generation = 1;
const messagesPerTurn = 4;
const never = new AbortController().signal;

const failingLog: LogPort = {
  trace: () => {},
  info: () => {},
  warn: (component, message) => console.error(`  ${component}: ${message}`),
  error: (component, message, cause) => console.error(`  ${component}: ${message}`, cause),
};

/** A store on disk that was written by the product itself. */
export interface ChatStore {
  readonly directory: string;
  /** Conversations of these lengths, beside many short ones. */
  readonly long: ReadonlyMap<number, ConversationId>;
}

/**
 * A store of so many messages with its index, made once and kept in the cache. A conversation has 100 messages, except those whose
 * lengths are given.
 */
export async function chatStore(
  size: { readonly messages: number; readonly long: readonly number[] },
  note: (text: string) => void,
): Promise<ChatStore> {
  const name = ['bench-chats', generation, size.messages, ...size.long].join('-');
  const directory = await cached(name, async (draft) => {
    note(`writing a store of ${size.messages} messages, once`);
    await write(draft, size, note);
  });
  const long = JSON.parse(await readFile(path.join(directory, 'long.json'), 'utf8')) as [number, string][];
  return { directory, long: new Map(long.map(([length, id]) => [length, conversationId(id)])) };
}

let windows = 0;

/** A new window on the store in this folder; the caller disposes it. */
export function openIn(directory: string): Store {
  const windowId = `bench-${process.pid}-${windows++}`;
  return openStore({ directory, clock: systemClock, windowId, log: failingLog });
}

async function write(
  directory: string,
  { messages, long }: { readonly messages: number; readonly long: readonly number[] },
  note: (text: string) => void,
): Promise<void> {
  const store = openIn(directory);
  const chat = new ChatText(messages);
  const lengths = new Map<number, ConversationId>();
  let written = 0;
  for (const length of long) {
    lengths.set(length, await writeConversation(store, chat, { length, withCards: true }));
    written += length;
  }
  for (let count = 0; written < messages; count++) {
    await writeConversation(store, chat, { length: 100, withCards: false });
    written += 100;
    if (count % 1_000 === 999) note(`${written} messages`);
  }
  note('indexing');
  await store.search.search({ query: 'ba', offset: 0, limit: 1 }, never);
  store.dispose();
  await writeFile(path.join(directory, 'long.json'), JSON.stringify([...lengths]));
}

async function writeConversation(
  store: Store,
  chat: ChatText,
  { length, withCards }: { readonly length: number; readonly withCards: boolean },
): Promise<ConversationId> {
  const id = newConversationId();
  const run = newRunId();
  await store.runs.createConversation({
    id,
    title: chat.words(4),
    systemPrompt: chat.words(200),
    permissionMode: 'ask',
    modelRef: 'bench/model',
    createdAt: 1,
  });
  await store.runs.startRun({ runId: run, conversationId: id, startedAt: 1 });
  const turns = Array.from({ length: length / messagesPerTurn }, (_, turn) => oneTurn(chat, run, turn));
  if (withCards)
    for (const message of turns.flat()) if (message.role === 'tool') await proposeCall(store, id, message);
  for (let from = 0; from < turns.length; from += 50)
    await store.runs.saveRun({
      runId: run,
      conversationId: id,
      startedAt: 1,
      state: from + 50 < turns.length ? 'callingTools' : 'completed',
      appended: turns.slice(from, from + 50).flat(),
    });
  return id;
}

/** A question, a call, its result and an answer. */
function oneTurn(chat: ChatText, run: RunId, turn: number): readonly Message[] {
  const call = callId(`call_${turn}`);
  const common = { runId: run, createdAt: turn };
  const assistant = { ...common, role: 'assistant', reasoning: '', providerItems: [] } as const;
  const output = Array.from({ length: chat.between(1, 12) }, () => chat.text(3, 20)).join('\n');
  return [
    {
      ...common,
      role: 'user',
      id: newMessageId(),
      text: chat.text(3, 40),
      images: [],
      origin: { kind: 'person' },
      context: {},
    },
    {
      ...assistant,
      id: newMessageId(),
      text: chat.text(0, 20),
      calls: [{ id: call, name: 'ssh_exec_run', argumentsText: JSON.stringify({ command: chat.words(3) }) }],
      stop: 'toolCalls',
    },
    {
      ...common,
      role: 'tool',
      id: toolResultMessageId(run, call),
      callId: call,
      toolName: 'ssh_exec_run',
      text: `<untrusted-data>\n${JSON.stringify({ exit_code: 0, output, truncated: false })}\n</untrusted-data>`,
      isError: false,
      outcome: 'succeeded',
      durationMs: 20,
    },
    { ...assistant, id: newMessageId(), text: chat.text(10, 120), calls: [], stop: 'completed' },
  ];
}

async function proposeCall(
  store: Store,
  id: ConversationId,
  { callId: call, runId: run }: ToolMessage,
): Promise<void> {
  await store.runs.recordEvent({
    runId: run,
    conversationId: id,
    seq: 1,
    at: 1,
    body: {
      kind: 'toolProposed',
      call: {
        callId: call,
        toolName: 'ssh_exec_run',
        arguments: { command: 'df -h', host_id: id },
        presentation: { symbol: 'terminal', activity: 'Runs', actionKind: 'exec', groupsWithAdjacent: true },
        subject: {
          action: 'df -h',
          target: 'db1',
          targetId: id,
          identity: 'deploy',
          tier: 'prod',
          details: [{ label: 'Folder', value: '/' }],
        },
      },
    },
  });
}
