import {
  AgentRuntime,
  type AgentPolicy,
  type AgentRuntimeOptions,
  type ApprovalPort,
  type ClockPort,
  type ProjectionPort,
  type Redactor,
  type RunStorePort,
  type ToolRegistry,
  type ToolServices,
} from '../../agentkit/index.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { RunOrder } from './conversationSession.ts';

/** What all runs of a window share. */
export interface RunParts {
  readonly store: RunStorePort;
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly redactor: Redactor;
  readonly projector: ProjectionPort;
  readonly registry: ToolRegistry;
  readonly policy: AgentPolicy;
  readonly services: ToolServices;
  /** 0 to 1, for the spread of retries; tests give their own. */
  readonly random?: AgentRuntimeOptions['random'];
}

/** Makes the runtime of one run out of what the window shares and what the conversation is. */
export function createRun(parts: RunParts, approvals: ApprovalPort, order: RunOrder): AgentRuntime {
  const { conversation, runId, prompt, model, currentMode } = order;
  const { store, clock, log, redactor, projector, registry, policy, services, random } = parts;
  return new AgentRuntime({
    conversation: { ...conversation, id: conversation.summary.id },
    runId,
    prompt,
    model,
    registry,
    policies: policy,
    services,
    approvals,
    permissionMode: conversation.summary.permissionMode,
    currentMode,
    planning: false,
    store,
    clock,
    redactor,
    projector,
    log: (message, cause) => log.error('assistant', message, cause),
    ...(random === undefined ? {} : { random }),
  });
}
