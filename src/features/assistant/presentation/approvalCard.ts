import type { WaitingApproval } from '../../../application/assistant/assistantLibrary.ts';
import type { Json } from '../../../agentkit/index.ts';
import { limits, type ApprovalCard, type QueuePlace } from '../../../webview/assistant/protocol.ts';
import { jsonBytes } from './jsonSize.ts';
import type { AssistantTexts } from './texts.ts';

/** An approval above this is not shown in part but refused; the rest of a frame needs room beside it. */
const largestCard = limits.frameBytes / 2;

/**
 * A decision about a call as a card. Everything the digest covers is in it: an argument is left out only where the card already says the
 * same (the action, the target).
 */
export function presentApproval(
  approval: WaitingApproval,
  place: QueuePlace,
  texts: AssistantTexts,
): ApprovalCard {
  const { request } = approval;
  const { subject } = request;
  const card: ApprovalCard = {
    ...place,
    kind: 'approval',
    approvalId: request.id,
    digest: request.digest,
    toolName: request.invocation.name,
    symbol: request.descriptor.presentation.symbol,
    action: subject.action,
    target: subject.target,
    identity: subject.identity,
    tier: subject.tier,
    tierLabel: texts.tier(subject.tier),
    targetChanged: approval.targetChanged,
    reasons: request.reasons,
    details: [...subject.details, ...furtherArguments(approval)],
    before: approval.before,
    editable: editableIn(request),
    isEdited: request.isEdited,
    canGrant: request.canGrant,
    tooLarge: false,
  };
  return jsonBytes(card) <= largestCard ? card : withoutContent(card);
}

function editableIn({ editable }: WaitingApproval['request']): string | undefined {
  if (editable === undefined) return undefined;
  return Buffer.byteLength(editable.text, 'utf8') <= limits.editableBytes ? editable.text : undefined;
}

function furtherArguments(approval: WaitingApproval): { label: string; value: string }[] {
  const { invocation, subject } = approval.request;
  const shown = new Set([subject.action, subject.targetId, ...subject.details.map((detail) => detail.value)]);
  return Object.entries(invocation.arguments)
    .map(([label, value]) => ({ label, value: argumentText(value) }))
    .filter(({ value }) => value !== '' && !shown.has(value));
}

function argumentText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function withoutContent(card: ApprovalCard): ApprovalCard {
  return {
    ...card,
    action: '',
    reasons: [],
    details: [],
    before: [],
    editable: undefined,
    canGrant: false,
    tooLarge: true,
  };
}
