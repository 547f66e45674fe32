import type { ApprovalPort, PermissionMode, SecurityReviewer } from './approval.ts';
import type { ApprovalRules } from './approvalRules.ts';
import type { RunCeilings } from './ceilings.ts';
import type { ClockPort } from './clock.ts';
import type { GrantPort } from './grants.ts';
import type { ContextTransform, LoopHook } from './hooks.ts';
import { callId, newApprovalId, newMessageId } from './ids.ts';
import type { ApprovalId, CallId, ConversationId, MessageId, RunId } from './ids.ts';
import type { Usage, UserMessage } from './message.ts';
import type { ModelStreamPort, ReasoningLevel } from './model.ts';
import type { ProjectionPort } from './output/projectionPort.ts';
import type { AgentPolicy } from './policy.ts';
import type { Redactor, SecretRegistry } from './redactor.ts';
import type { RunQuestionPort } from './runQuestions.ts';
import type { PlanCall, RunStorePort, StoredConversation } from './runStore.ts';
import type { ToolServices } from './services.ts';
import type { StreamClocks } from './streamClocks.ts';
import type { ToolDescriptor } from './tool.ts';
import type { ToolRegistry } from './toolRegistry.ts';

/** What a run needs of a stored conversation. `load` of the store gives all of it. */
export type RunConversation = { readonly id: ConversationId } & Pick<
  StoredConversation,
  'systemPrompt' | 'messages' | 'inbox' | 'compactions'
>;

/** Where new ids come from; tests give their own. */
export interface IdSource {
  newMessageId(): MessageId;
  newApprovalId(): ApprovalId;
  /** For a call to which the provider gave no id, or one that is taken. */
  newCallId(): CallId;
}

export const randomIds: IdSource = {
  newMessageId,
  newApprovalId,
  newCallId: () => callId(`call_${newMessageId().replaceAll('-', '')}`),
};

export interface AgentRuntimeOptions {
  readonly conversation: RunConversation;
  readonly runId: RunId;
  /** The message to answer. It is appended unless its id is in the history already, which is how Retry works. */
  readonly prompt: UserMessage;
  /** The plan that the run implements: decided in the commit that begins the run. */
  readonly implementedPlan?: PlanCall;
  readonly model: ModelStreamPort;
  readonly reasoning?: ReasoningLevel;
  readonly registry: ToolRegistry;
  readonly policies: AgentPolicy;
  readonly services: ToolServices;
  readonly approvals: ApprovalPort;
  /** Absent = no reviewer: what "Approve for me" would have reviewed is denied. */
  readonly review?: SecurityReviewer;
  /** Absent = nothing can be allowed for the whole conversation. */
  readonly grants?: GrantPort;
  /** Absent = the person has no rules of their own. */
  readonly rules?: ApprovalRules;
  /** Of the conversation when the run starts. */
  readonly permissionMode: PermissionMode;
  /** Of the conversation as of now; only a narrower mode counts before the next run. */
  readonly currentMode?: () => PermissionMode;
  readonly planning: boolean;
  /** Why a tool may not be used for this message; one sentence. */
  readonly unavailable?: (descriptor: ToolDescriptor) => string | undefined;
  readonly store: RunStorePort;
  readonly clock: ClockPort;
  readonly redactor: Redactor;
  /** The values that `redactor` knows. Absent = no tool can take a secret from the user. */
  readonly secretRegistry?: SecretRegistry;
  readonly projector: ProjectionPort;
  readonly hooks?: readonly LoopHook[];
  readonly transforms?: readonly ContextTransform[];
  /** Absent = nobody can be asked: a loop or a ceiling ends the run. */
  readonly questions?: RunQuestionPort;
  readonly ceilings?: RunCeilings;
  /** Cost of one request; undefined when the model has no price. */
  readonly price?: (usage: Usage) => number | undefined;
  readonly clocks?: StreamClocks;
  readonly ids?: IdSource;
  /** 0 to 1, for the spread of retries. */
  readonly random?: () => number;
  /** Told what went wrong beside the run. Never told any content. */
  readonly log?: (message: string, cause: unknown) => void;
}
