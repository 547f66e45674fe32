import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AgentRuntime,
  createRedactor,
  createSecretRegistry,
  createToolRegistry,
  newMessageId,
  newRunId,
  OutputProjector,
  systemClock,
  ToolServices,
  type ModelStreamPort,
  type RunStorePort,
  type StoredConversation,
  type Tool,
} from '../../../src/agentkit/index.ts';
import { nobody, plainPolicy } from '../../unit/agentkit/support/runHarness.ts';
import { probeTool, success } from '../../unit/agentkit/support/probeTool.ts';
import { answer, asks, call, type Step } from '../../unit/agentkit/support/scriptedStream.ts';

/** Where the tool writes down what it did. */
export const ranFile = (directory: string): string => join(directory, 'ran');

/** Gives a page of about 5,000 tokens and writes down that it ran. */
function readTool(directory: string): Tool {
  const page = 'The log of the host says that all is well. '.repeat(500);
  return probeTool('read', {
    execute: ({ value }) => {
      appendFileSync(ranFile(directory), `${value ?? ''}\n`);
      return success({ page });
    },
  });
}

/** Answers that read so many pages, one after the other. */
export function pages(count: number): readonly (readonly Step[])[] {
  const turns = Array.from({ length: count }, (_, at) =>
    asks(call(`c${String(at + 1)}`, 'read', { value: String(at + 1) })),
  );
  return [...turns, answer('Read.')];
}

/** A run in a stored conversation that may read pages. */
export function readingRun(scene: {
  readonly stored: StoredConversation;
  readonly store: RunStorePort;
  readonly model: ModelStreamPort;
  readonly directory: string;
  readonly prompt: string;
}): AgentRuntime {
  const { stored, store, model, directory, prompt } = scene;
  const redactor = createRedactor(createSecretRegistry());
  const runId = newRunId();
  return new AgentRuntime({
    conversation: { ...stored, id: stored.summary.id },
    runId,
    prompt: {
      role: 'user',
      id: newMessageId(),
      runId,
      createdAt: systemClock.now(),
      text: prompt,
      images: [],
      origin: { kind: 'person' },
      context: {},
    },
    model,
    registry: createToolRegistry({ builtIn: [], additional: [readTool(directory)] }),
    policies: plainPolicy,
    services: new ToolServices(),
    approvals: nobody,
    permissionMode: 'ask',
    planning: false,
    store,
    clock: systemClock,
    redactor,
    projector: new OutputProjector({ redactor }),
  });
}
