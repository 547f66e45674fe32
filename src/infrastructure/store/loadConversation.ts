import { setImmediate } from 'node:timers/promises';
import type {
  CompactionRecord,
  ConversationId,
  ConversationSummary,
  Message,
  QueuedMessage,
  StoredCall,
  StoredConversation,
  StoredRun,
  ToolMessage,
} from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { localFault } from '../../domain/fault.ts';
import { boundedStep } from './boundedStep.ts';
import type { Connection, Row } from './connection.ts';
import { readSummary } from './conversationRows.ts';
import { decodeJson } from './decode.ts';
import type { LeaseOwner } from './leases.ts';
import {
  runStates,
  storedFailure,
  storedMessage,
  storedProposal,
  storedReview,
  storedToolMessage,
  storedUserMessage,
} from './runRows.ts';
import type { StoreDatabase } from './storeDatabase.ts';

/** How often a conversation that is being cut in another window is read again. */
const attempts = 5;

export interface LoadOptions {
  readonly database: StoreDatabase;
  readonly self: LeaseOwner;
  readonly now: number;
  readonly log: LogPort;
  /** Recorded results without a transcript row stand at their places although they could not be written there. */
  readonly withRecorded: boolean;
}

interface Place<T> {
  readonly ordinal: number;
  readonly value: T;
}

/**
 * Reads a conversation in bounded steps and lets others run between them. Rows are only added meanwhile; when another window removes
 * some, reading starts again. Undefined when there is no such conversation.
 */
export async function loadConversation(
  id: ConversationId,
  options: LoadOptions,
): Promise<StoredConversation | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const cuts = await options.database.read((connection) => readCuts(connection, id));
    if (cuts === undefined) return undefined;
    const messages = await readMessages(id, options);
    const calls = await readCalls(id, options, messages);
    const rest = await options.database.read((connection) =>
      readCuts(connection, id) === cuts ? readRest(connection, id, options) : undefined,
    );
    if (rest !== undefined)
      return {
        ...rest,
        messages: options.withRecorded ? withRecorded(messages, calls) : messages.map(({ value }) => value),
        calls: calls.map(({ value }) => value),
      };
  }
  throw localFault('store-busy');
}

function readCuts(connection: Connection, id: ConversationId): number | undefined {
  const row = connection.get('SELECT cuts FROM conversations WHERE id = ?', id);
  return row === undefined ? undefined : Number(row['cuts']);
}

async function readMessages(id: ConversationId, { database, log }: LoadOptions): Promise<Place<Message>[]> {
  const places: Place<Message>[] = [];
  for (let after = -1; ;) {
    const { rows, isLast } = await database.read((connection) =>
      boundedStep(
        connection.each(
          `SELECT ordinal, id, payload FROM messages
           WHERE conversation_id = ? AND ordinal > ? ORDER BY ordinal`,
          id,
          after,
        ),
        ['payload'],
      ),
    );
    for (const row of rows) {
      const value = decodeJson(storedMessage, row['payload'], {
        name: `the message ${String(row['id'])}`,
        log,
      });
      after = Number(row['ordinal']);
      if (value !== undefined) places.push({ ordinal: after, value });
    }
    if (isLast) return places;
    await setImmediate();
  }
}

async function readCalls(
  id: ConversationId,
  { database, log }: LoadOptions,
  messages: readonly Place<Message>[],
): Promise<Place<StoredCall>[]> {
  const results = new Map<string, ToolMessage>();
  for (const { value } of messages)
    if (value.role === 'tool') results.set(`${value.runId}\n${value.callId}`, value);
  const places: Place<StoredCall>[] = [];
  for (let after = 0; ;) {
    const { rows, isLast } = await database.read((connection) =>
      boundedStep(
        connection.each(
          `SELECT key, run_id, call_id, slot, proposed, review, dispatched, result, plan_outcome FROM calls
           WHERE conversation_id = ? AND key > ? ORDER BY key`,
          id,
          after,
        ),
        ['proposed', 'review', 'result'],
      ),
    );
    for (const row of rows) {
      after = Number(row['key']);
      const inTranscript = results.get(`${String(row['run_id'])}\n${String(row['call_id'])}`);
      const slot = typeof row['slot'] === 'number' ? row['slot'] : Number.MAX_SAFE_INTEGER;
      places.push({ ordinal: slot, value: toCall(row, inTranscript, log) });
    }
    if (isLast) break;
    await setImmediate();
  }
  return places.sort((a, b) => a.ordinal - b.ordinal);
}

function toCall(row: Row, inTranscript: ToolMessage | undefined, log: LogPort): StoredCall {
  const name = `the call ${String(row['call_id'])}`;
  const column = <T>(schema: Parameters<typeof decodeJson<T>>[0], key: string): T | undefined =>
    row[key] === null ? undefined : decodeJson(schema, row[key], { name, log });
  const result = inTranscript ?? column(storedToolMessage, 'result');
  const proposed = column(storedProposal, 'proposed');
  const review = column(storedReview, 'review');
  return {
    runId: row['run_id'] as StoredCall['runId'],
    callId: row['call_id'] as StoredCall['callId'],
    dispatched: row['dispatched'] === 1,
    ...(result === undefined ? {} : { result }),
    ...(proposed === undefined ? {} : { proposed }),
    ...(review === undefined ? {} : { review }),
    ...toPlanOutcome(row['plan_outcome']),
  };
}

function toPlanOutcome(value: unknown): Pick<StoredCall, 'planOutcome'> {
  return value === 'implemented' || value === 'discarded' ? { planOutcome: value } : {};
}

/** The rows with recorded results at their places. */
function withRecorded(messages: Place<Message>[], calls: readonly Place<StoredCall>[]): readonly Message[] {
  const known = new Set(messages.map(({ value }) => value.id));
  const recorded = calls.flatMap(({ ordinal, value: { result } }) =>
    result === undefined || known.has(result.id) || ordinal === Number.MAX_SAFE_INTEGER
      ? []
      : [{ ordinal, value: result }],
  );
  if (recorded.length > 0) messages = [...messages, ...recorded].sort((a, b) => a.ordinal - b.ordinal);
  return messages.map(({ value }) => value);
}

interface Rest {
  readonly summary: ConversationSummary;
  readonly systemPrompt: string;
  readonly runs: readonly StoredRun[];
  readonly compactions: readonly CompactionRecord[];
  readonly inbox: readonly QueuedMessage[];
}

function readRest(connection: Connection, id: ConversationId, options: LoadOptions): Rest | undefined {
  const found = readSummary(connection, id, options);
  if (found === undefined) return undefined;
  return {
    ...found,
    runs: connection
      .all(
        `SELECT id, state, started_at, ended_at, failure FROM runs
         WHERE conversation_id = ? ORDER BY started_at, id`,
        id,
      )
      .map((row) => toRun(row, options.log)),
    compactions: connection
      .all(
        `SELECT message_id, boundary, summary, facts, created_at FROM compactions
         WHERE conversation_id = ? ORDER BY created_at, message_id`,
        id,
      )
      .map(toCompaction),
    inbox: connection
      .all('SELECT id, payload, in_flight FROM inbox WHERE conversation_id = ? ORDER BY position', id)
      .flatMap((row) => {
        const name = `the queued message ${String(row['id'])}`;
        const message = decodeJson(storedUserMessage, row['payload'], { name, log: options.log });
        return message === undefined ? [] : [{ message, inFlight: row['in_flight'] === 1 }];
      }),
  };
}

function toRun(row: Row, log: LogPort): StoredRun {
  const state = runStates.safeParse(row['state']);
  const name = `the failure of run ${String(row['id'])}`;
  const failure =
    row['failure'] === null ? undefined : decodeJson(storedFailure, row['failure'], { name, log });
  return {
    id: row['id'] as StoredRun['id'],
    state: state.success ? state.data : 'interrupted',
    startedAt: Number(row['started_at']),
    ...(row['ended_at'] === null ? {} : { endedAt: Number(row['ended_at']) }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function toCompaction(row: Row): CompactionRecord {
  return {
    messageId: row['message_id'] as CompactionRecord['messageId'],
    boundary: row['boundary'] as CompactionRecord['boundary'],
    summary: String(row['summary']),
    ...(typeof row['facts'] === 'string' ? { facts: row['facts'] } : {}),
    createdAt: Number(row['created_at']),
  };
}
