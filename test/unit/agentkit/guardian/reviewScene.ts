import {
  approvalDigest,
  approvalId,
  callId,
  createToolRegistry,
  Guardian,
  messageId,
  newApprovalId,
  newConversationId,
  newRunId,
  ToolServices,
  type ApprovalRequest,
  type ConversationId,
  type ModelItem,
  type ReviewMaterial,
  type ReviewVerdict,
  type SecurityReviewer,
  type Tool,
  type Usage,
  type UserWords,
} from '../../../../src/agentkit/index.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { plainRedactor } from '../support/plainRedactor.ts';
import { probeTool } from '../support/probeTool.ts';
import { scriptedStream, type ScriptedStream, type Step } from '../support/scriptedStream.ts';

export const allows = '{"rationale":"fits","risk_level":"low","user_authorization":"high","outcome":"allow"}';
export const denies =
  '{"rationale":"deletes too much","risk_level":"high","user_authorization":"low","outcome":"deny"}';

export const said = (text: string, id = text): UserWords => ({
  provenance: 'direct_user',
  id: messageId(id),
  at: 0,
  text,
});

export interface Asked {
  readonly words?: readonly UserWords[];
  /** The assistant message of the call; another one each time when absent. */
  readonly answerId?: string;
  readonly request?: Partial<ApprovalRequest>;
  readonly reviewer?: SecurityReviewer;
  readonly signal?: AbortSignal;
  readonly onCost?: (cost: number) => void;
}

export interface ReviewScene {
  readonly guardian: Guardian;
  readonly clock: FakeClock;
  readonly model: ScriptedStream;
  readonly conversationId: ConversationId;
  readonly logged: readonly string[];
  /** Another run of the same conversation. */
  newRun(): SecurityReviewer;
  review(asked?: Asked): Promise<ReviewVerdict>;
  /** The texts that a request sent, without the system prompt. */
  sent(request: number): readonly string[];
}

/** A guardian with a scripted reviewer and time that moves by itself, except over the deadline. */
export function reviewScene(setUp: {
  readonly answers: readonly (readonly Step[])[];
  readonly tools?: readonly Tool[];
  readonly toolsOfModel?: boolean;
  readonly conversationId?: ConversationId;
}): ReviewScene {
  const clock = new FakeClock();
  const model = scriptedStream(setUp.answers, { tools: setUp.toolsOfModel ?? true });
  const conversationId = setUp.conversationId ?? newConversationId();
  const price = ({ outputTokens = 0 }: Usage): number => outputTokens;
  const logged: string[] = [];
  const guardian = new Guardian({
    clock,
    redactor: plainRedactor,
    registry: createToolRegistry({ builtIn: [], additional: setUp.tools ?? [] }),
    outputPolicies: {},
    services: new ToolServices(),
    log: (message) => logged.push(message),
  });
  const newRun = (): SecurityReviewer =>
    guardian.reviewerOf({ runId: newRunId(), conversationId, openReviewer: () => ({ model, price }) });
  const first = newRun();
  return {
    guardian,
    clock,
    model,
    conversationId,
    logged,
    newRun,
    review: async ({ words = [said('Restart app.')], answerId = newApprovalId(), ...asked } = {}) => {
      const { onCost = () => {} } = asked;
      const material: ReviewMaterial = { evidence: words, answerId: messageId(answerId), onCost };
      const { reviewer = first, signal = new AbortController().signal } = asked;
      const reviewing = reviewer.review(requestOf(asked.request), material, signal);
      // The pauses between attempts, together less than the deadline.
      const [verdict] = await Promise.all([reviewing, clock.advance(1_000)]);
      return verdict;
    },
    sent: (request) => (model.requests[request]?.items ?? []).map(({ text }: ModelItem) => text),
  };
}

export function requestOf(more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const { descriptor } = probeTool('ssh_exec_run', {
    descriptor: { target: 'host', safety: 'requiresAuthorization', summary: 'Runs a command.' },
  });
  const shown = {
    id: approvalId(newApprovalId()),
    runId: newRunId(),
    callId: callId('a'),
    descriptor,
    invocation: { name: 'ssh_exec_run', arguments: { command: 'systemctl restart app' } },
    subject: {
      action: 'systemctl restart app',
      target: 'web-1',
      targetId: 'h1',
      identity: 'deploy',
      tier: 'stage',
      details: [{ label: 'Folder', value: '/srv' }],
    },
    userIntent: 'Restart app.',
    reasons: ['systemctl restart changes the state of a service'],
    alwaysAskUser: false,
    mode: 'review' as const,
    canGrant: false,
    isEdited: false,
    ...more,
  };
  return { ...shown, digest: approvalDigest(shown) };
}

/** The code of the failure that a review ends with. */
export async function failureOf(reviewing: Promise<ReviewVerdict>): Promise<string> {
  try {
    const { allowed } = await reviewing;
    return `a verdict: ${allowed ? 'allow' : 'deny'}`;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** A tool that a reviewer may use. */
export function lookTool(name = 'look', execute: Parameters<typeof probeTool>[1] = {}): Tool {
  return probeTool(name, {
    ...execute,
    descriptor: { modes: ['acting', 'reviewing'], ...execute.descriptor },
  });
}
