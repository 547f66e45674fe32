import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { CallId, ConversationId, RunId } from '../../ids.ts';
import { nonBlank, shownText } from '../../schemas.ts';
import { secretResultFields, userSecretTool } from '../../secrets/expiredSecrets.ts';
import type { Preflight, Tool, ToolContext, ToolOutcome } from '../../tool.ts';

export interface UserSecretRequest {
  readonly runId: RunId;
  readonly conversationId?: ConversationId;
  readonly callId: CallId;
  /** The model's words; redacted. */
  readonly prompt: string;
  /** Where it will go, by which tool and what for: the person has to see all of it. */
  readonly host: string;
  readonly consumerTool: string;
  readonly purpose: string;
  /** Counts from the moment the field is shown. */
  readonly timeoutMs: number;
}

/**
 * Shows one masked field. What it gives is moved into one buffer at once, which the caller owns and overwrites; an empty input is a
 * cancelled one. An abort withdraws the field. Source: agent runtime contract, section 13.
 */
export interface UserSecretPort {
  ask(request: UserSecretRequest, signal: AbortSignal): Promise<Buffer | 'cancelled' | 'timedOut'>;
}

/** Who may use a secret, and where it may go. */
export interface SecretConsumers {
  /** Tools that take a handle, each with the purposes it knows. */
  readonly tools: readonly { readonly name: string; readonly purposes: readonly string[] }[];
  /** The label of a host; undefined when there is none with this id. */
  hostLabel(hostId: string): Promise<string | undefined>;
}

/** Those of these tools that declare purposes of secrets. */
export function secretConsumers(
  tools: readonly Tool[],
  hostLabel: SecretConsumers['hostLabel'],
): SecretConsumers {
  const consumers = tools.flatMap(({ descriptor: { name, secretPurposes: purposes = [] } }) =>
    purposes.length === 0 ? [] : [{ name, purposes }],
  );
  return { tools: consumers, hostLabel };
}

const defaultTimeoutSeconds = 300;
const hostFact = 'hostLabel';

/** Asks the user for a secret and gives the model a handle to it. Source: tool contract, `request_user_secret`. */
export function requestUserSecret(port: UserSecretPort, consumers: SecretConsumers): Tool {
  return defineTool({
    input: inputFor(consumers),
    descriptor: {
      name: userSecretTool,
      summary:
        'Asks the user for one secret in a masked field and returns a secret_handle. The secret itself is never shown to you. The handle is good for one use, in this run, by the named tool on the named host for the named purpose.',
      target: 'user',
      safety: 'locallyReadOnly',
      concurrency: 'sequential',
      presentation: {
        symbol: 'key',
        activity: 'Asking you for a secret',
        presenterId: 'userSecret',
        actionKind: 'ask',
        groupsWithAdjacent: false,
      },
    },
    preflight: (args) => review(consumers, args),
    execute: (args, context) => ask(port, args, context),
  });
}

type Arguments = z.output<ReturnType<typeof inputFor>>;

function inputFor({ tools }: SecretConsumers) {
  return z.strictObject({
    prompt: shownText(4_096),
    host_id: nonBlank(64),
    consumer_tool: z.enum(tools.map(({ name }) => name)),
    purpose: z.enum([...new Set(tools.flatMap(({ purposes }) => purposes))]),
    timeout_seconds: z
      .int()
      .min(1)
      .max(1_800)
      .optional()
      .describe('How long to wait once the field is shown; 300 when absent.'),
  });
}

async function review(consumers: SecretConsumers, args: Arguments): Promise<Preflight> {
  const consumer = consumers.tools.find(({ name }) => name === args.consumer_tool);
  if (consumer?.purposes.includes(args.purpose) !== true)
    return { refusal: `The tool ${args.consumer_tool} takes no secret for ${args.purpose}.` };
  const label = await consumers.hostLabel(args.host_id);
  if (label === undefined) return { refusal: 'There is no host with this id. Use list_hosts.' };
  return { facts: new Map([[hostFact, label]]) };
}

async function ask(port: UserSecretPort, args: Arguments, context: ToolContext): Promise<ToolOutcome> {
  const { runId, conversationId, callId, redactor, secrets, signal } = context;
  const { consumer_tool: tool, host_id: hostId, purpose } = args;
  const seconds = args.timeout_seconds ?? defaultTimeoutSeconds;
  const request: UserSecretRequest = {
    runId,
    ...(conversationId !== undefined && { conversationId }),
    callId,
    prompt: redactor.redact(args.prompt),
    host: String(context.preflightFacts.get(hostFact)),
    consumerTool: tool,
    purpose,
    timeoutMs: seconds * 1_000,
  };
  const waiting = context.waiting('user');
  try {
    const given = await port.ask(request, signal);
    if (given === 'timedOut') return failure(`The user did not answer within ${String(seconds)} seconds.`);
    if (given === 'cancelled' || given.length === 0) return failure('The user gave no secret.');
    // A stopped run takes none, and overwrites what comes too late.
    const handle = secrets.issue(given, { tool, hostId, purpose });
    return { kind: 'success', fields: secretResultFields(handle), strategy: 'bypass' };
  } finally {
    waiting.dispose();
  }
}

function failure(sentence: string): ToolOutcome {
  return { kind: 'failure', sentence };
}
