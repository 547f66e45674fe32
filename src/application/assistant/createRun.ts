import {
  AgentRuntime,
  type AgentPolicy,
  type AgentRuntimeOptions,
  type ApprovalPort,
  type ApprovalRules,
  type ClockPort,
  type GrantPort,
  type ProjectionPort,
  type Redactor,
  type RunQuestionPort,
  type RunStorePort,
  type SecurityReviewer,
  type SecretRegistry,
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
  /** The values that `redactor` knows. */
  readonly secretRegistry: SecretRegistry;
  readonly projector: ProjectionPort;
  readonly registry: ToolRegistry;
  readonly policy: AgentPolicy;
  readonly services: ToolServices;
  readonly grants: GrantPort;
  readonly rules: ApprovalRules;
  /** 0 to 1, for the spread of retries; tests give their own. */
  readonly random?: AgentRuntimeOptions['random'];
}

/** Who is asked while a run works. */
export interface RunDesk {
  readonly approvals: ApprovalPort;
  readonly questions: RunQuestionPort;
  /** Absent = no review: what it would decide is denied. */
  readonly review?: SecurityReviewer | undefined;
}

/** Makes the runtime of one run out of what the window shares and what the conversation is. */
export function createRun(parts: RunParts, desk: RunDesk, order: RunOrder): AgentRuntime {
  const {
    conversation,
    runId,
    prompt,
    model,
    planning,
    currentMode,
    limits,
    standingFacts,
    implementedPlan,
  } = order;
  const { store, clock, log, redactor, secretRegistry, projector, registry, policy, services, random } =
    parts;
  return new AgentRuntime({
    conversation: { ...conversation, id: conversation.summary.id },
    runId,
    prompt,
    model,
    registry,
    policies: { ...policy, standingFacts },
    services,
    approvals: desk.approvals,
    grants: parts.grants,
    rules: parts.rules,
    questions: desk.questions,
    ...(desk.review === undefined ? {} : { review: desk.review }),
    permissionMode: conversation.summary.permissionMode,
    currentMode,
    planning,
    ...(implementedPlan === undefined ? {} : { implementedPlan }),
    ceilings: limits.ceilings,
    ...(limits.price === undefined ? {} : { price: limits.price }),
    store,
    clock,
    redactor,
    secretRegistry,
    projector,
    log: (message, cause) => log.error('assistant', message, cause),
    ...(random === undefined ? {} : { random }),
  });
}
