import assert from 'node:assert/strict';
import {
  AgentRuntime,
  createToolRegistry,
  messageId,
  newApprovalId,
  callId,
  newConversationId,
  newRunId,
  ToolServices,
  type AgentEvent,
  type AgentEventBody,
  type AgentPolicy,
  type AgentRuntimeOptions,
  type ApprovalPort,
  type ConversationId,
  type EndedRunState,
  type IdSource,
  type Message,
  type RunId,
  type Tool,
  type UserMessage,
} from '../../../../src/agentkit/index.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { OutputProjector } from '../../../../src/agentkit/output/outputProjector.ts';
import { MemoryRunStore } from './memoryRunStore.ts';
import { plainRedactor } from './plainRedactor.ts';
import { scriptedStream, type ScriptedStream, type Step } from './scriptedStream.ts';

export const systemPrompt = 'You operate servers.';

export const plainPolicy: AgentPolicy = {
  systemPrompt,
  planContract: 'Plan first.',
  outputPolicies: {},
  contextFields: () => ({}),
  contextBlock: (field, text) => (text === '' ? `${field}: none` : `${field}: ${text}`),
};

/** Nobody may be asked; a test that expects a question brings its own gate. */
export const nobody: ApprovalPort = {
  decide: ({ request }) => Promise.reject(new Error(`nobody decides about ${request.invocation.name}`)),
};

/** Allows everything it is asked. */
export const allowing: ApprovalPort = {
  decide: ({ request }) =>
    Promise.resolve({
      verdict: 'allow',
      digest: request.digest,
      ground: { kind: 'user', id: request.id },
    }),
};

export interface Bench {
  readonly clock: FakeClock;
  readonly store: MemoryRunStore;
  readonly conversationId: ConversationId;
}

/** A store with one empty conversation. */
export async function bench(
  parts: { readonly store?: MemoryRunStore; readonly clock?: FakeClock } = {},
): Promise<Bench> {
  const clock = parts.clock ?? new FakeClock();
  const store = parts.store ?? new MemoryRunStore({ clock });
  const conversationId = newConversationId();
  await store.createConversation({
    id: conversationId,
    title: 'Test',
    systemPrompt,
    permissionMode: 'ask',
    modelRef: 'test/script',
    createdAt: clock.now(),
  });
  return { clock, store, conversationId };
}

export interface RunSetUp {
  readonly answers: readonly (readonly Step[])[];
  readonly tools?: readonly Tool[];
  readonly prompt?: string;
  readonly on?: Bench;
  readonly options?: Partial<AgentRuntimeOptions>;
}

export interface PreparedRun extends Bench {
  readonly runtime: AgentRuntime;
  readonly model: ScriptedStream;
  readonly runId: RunId;
  readonly events: readonly AgentEvent[];
  readonly logged: readonly string[];
  /** Resolves with the first event of this kind from now on, and fails loudly when the run ends without it. */
  next<K extends AgentEventBody['kind']>(kind: K): Promise<Extract<AgentEventBody, { kind: K }>>;
  stored(): Promise<readonly Message[]>;
}

export function person(text: string, run: RunId, at = 1_700_000_000_000): UserMessage {
  return {
    role: 'user',
    id: messageId(`user:${text}`),
    runId: run,
    createdAt: at,
    text,
    images: [],
    origin: { kind: 'person' },
    context: {},
  };
}

/** A run that is ready to go. Ids are counted, so whole objects can be compared. */
export async function prepare(setUp: RunSetUp): Promise<PreparedRun> {
  const on = setUp.on ?? (await bench());
  const { clock, store, conversationId } = on;
  const runId = newRunId();
  const model = scriptedStream(setUp.answers);
  const stored = await store.load(conversationId);
  assert.ok(stored);
  const logged: string[] = [];
  const runtime = new AgentRuntime({
    conversation: { id: conversationId, ...stored },
    runId,
    prompt: person(setUp.prompt ?? 'How busy is it?', runId),
    model,
    registry: createToolRegistry({ builtIn: [], additional: setUp.tools ?? [] }),
    policies: plainPolicy,
    services: new ToolServices(),
    approvals: nobody,
    permissionMode: 'ask',
    planning: false,
    store,
    clock,
    redactor: plainRedactor,
    projector: new OutputProjector({ redactor: plainRedactor }),
    ids: countedIds(stored.messages.length),
    random: () => 0.5,
    log: (message) => logged.push(message),
    ...setUp.options,
  });
  const events: AgentEvent[] = [];
  runtime.onEvent((event) => events.push(event));
  return {
    ...on,
    runtime,
    model,
    runId,
    events,
    logged,
    next: (kind) => nextEvent(runtime, kind),
    stored: async () => (await store.load(conversationId))?.messages ?? [],
  };
}

/** Prepares a run and works it to its end. */
export async function finished(setUp: RunSetUp): Promise<PreparedRun & { readonly state: EndedRunState }> {
  const run = await prepare(setUp);
  return { ...run, state: await run.runtime.run() };
}

export function bodies<K extends AgentEventBody['kind']>(
  events: readonly AgentEvent[],
  ...kinds: readonly K[]
): Extract<AgentEventBody, { kind: K }>[] {
  return events
    .map((event) => event.body)
    .filter((body): body is Extract<AgentEventBody, { kind: K }> => kinds.some((kind) => kind === body.kind));
}

/** Texts of the tool rows by call id. */
export function results(messages: readonly Message[]): Record<string, string> {
  return Object.fromEntries(messages.flatMap((row) => (row.role === 'tool' ? [[row.callId, row.text]] : [])));
}

/** The frozen text of a success. */
export function envelope(json: string): string {
  return `<untrusted-data>\n${json}\n</untrusted-data>`;
}

export function failureOf(events: readonly AgentEvent[]): string | undefined {
  return bodies(events, 'runFinished')[0]?.failure?.code;
}

function nextEvent<K extends AgentEventBody['kind']>(
  runtime: AgentRuntime,
  kind: K,
): Promise<Extract<AgentEventBody, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const subscription = runtime.onEvent(({ body }) => {
      if (body.kind === kind) resolve(body as Extract<AgentEventBody, { kind: K }>);
      else if (body.kind === 'runFinished') reject(new Error(`the run ended without ${kind}`));
      else return;
      subscription.dispose();
    });
  });
}

/** Goes on behind the rows that are there, so that no id comes twice in a conversation. */
function countedIds(from: number): IdSource {
  let count = from;
  return {
    newMessageId: () => messageId(`message-${String(++count)}`),
    newApprovalId: () => newApprovalId(),
    newCallId: () => callId(`made-${String(++count)}`),
  };
}
