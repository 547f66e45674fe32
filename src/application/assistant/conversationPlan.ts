import {
  keptTasks,
  manageTasksTool,
  presentedPlan,
  presentPlanTool,
  type AgentTask,
  type CallId,
  type Message,
  type PlanCall,
  type PlanOutcome,
  type PresentedPlan,
  type RunId,
  type StoredCall,
  type ToolMessage,
} from '../../agentkit/index.ts';

/** The plan that was handed over last. An earlier one that nobody decided about is superseded by it. */
export interface ConversationPlan extends PresentedPlan {
  readonly runId: RunId;
  readonly callId: CallId;
  readonly outcome: PlanOutcome | 'pending';
}

export function latestPlan(
  messages: readonly Message[],
  calls: readonly StoredCall[],
): ConversationPlan | undefined {
  const presented = lastSuccess(messages, presentPlanTool);
  const parsed = presentedPlan.safeParse(presented?.presentation);
  if (presented === undefined || !parsed.success) return undefined;
  const { runId, callId } = presented;
  const call = calls.find((other) => other.runId === runId && other.callId === callId);
  return { ...parsed.data, runId, callId, outcome: call?.planOutcome ?? 'pending' };
}

/** Where its outcome is stored. */
export function planCall({ runId, callId }: ConversationPlan): PlanCall {
  return { runId, callId };
}

/** The model's list of tasks as it stands; empty when it keeps none. */
export function latestTasks(messages: readonly Message[]): readonly AgentTask[] {
  const parsed = keptTasks.safeParse(lastSuccess(messages, manageTasksTool)?.presentation);
  return parsed.success ? parsed.data.tasks : [];
}

function lastSuccess(messages: readonly Message[], toolName: string): ToolMessage | undefined {
  return messages.findLast(
    (message): message is ToolMessage =>
      message.role === 'tool' && message.toolName === toolName && message.outcome === 'succeeded',
  );
}

/** The message that starts the implementation of a plan. English: the model reads it. */
export function implementationPrompt({ title, scratchPath }: PresentedPlan): string {
  return `Implement the plan ${JSON.stringify(title)} as you presented it (scratch file ${JSON.stringify(scratchPath)}).`;
}
