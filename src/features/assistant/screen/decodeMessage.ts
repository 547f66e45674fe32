import { z } from 'zod';
import { limits, type FromWebview } from '../../../webview/assistant/protocol.ts';
import { boundedSize } from '../presentation/jsonSize.ts';

const id = z.string().min(1).max(1024);
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const text = z.string().max(limits.messageBytes);

const message = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hello'), protocol: count }),
  z.strictObject({ kind: z.literal('resync'), generation: count, afterSeq: count }),
  z.strictObject({ kind: z.literal('pong'), n: count }),
  z.strictObject({ kind: z.literal('send'), requestId: count, text, draftId: id }),
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('shown'), approvalId: id, digest: id, hasFocus: z.boolean() }),
  z.strictObject({
    kind: z.literal('decide'),
    requestId: count,
    approvalId: id,
    shownDigest: id,
    verdict: z.enum(['approve', 'approveForConversation', 'deny']),
    reason: z.string().max(4_096).optional(),
  }),
  z.strictObject({
    kind: z.literal('revise'),
    requestId: count,
    approvalId: id,
    shownDigest: id,
    text: z.string().max(limits.editableBytes),
  }),
  z.strictObject({
    kind: z.literal('answerQuestions'),
    requestId: count,
    cardId: id,
    answers: z
      .array(
        z.strictObject({
          questionId: id,
          selectedOptionIds: z.array(id).max(16),
          customText: z.string().min(1).max(limits.ownWords).optional(),
        }),
      )
      .max(8),
  }),
  z.strictObject({ kind: z.literal('cancelQuestions'), requestId: count, cardId: id }),
  z.strictObject({
    kind: z.literal('decideRun'),
    requestId: count,
    cardId: id,
    verdict: z.enum(['continue', 'stop']),
  }),
  z.strictObject({
    kind: z.literal('decidePlan'),
    requestId: count,
    rowId: id,
    verdict: z.enum(['implement', 'discard']),
  }),
  z.strictObject({ kind: z.literal('setPlanning'), requestId: count, on: z.boolean() }),
  z.strictObject({ kind: z.literal('page'), requestId: count, direction: z.enum(['older', 'newer']) }),
  z.strictObject({ kind: z.literal('latest') }),
  z.strictObject({
    kind: z.literal('expand'),
    requestId: count,
    rowId: id,
    part: z.enum(['body', 'reasoning', 'plan']),
    offset: count,
  }),
  z.strictObject({ kind: z.literal('copyRow'), rowId: id }),
  z.strictObject({ kind: z.literal('copyText'), text }),
  z.strictObject({ kind: z.literal('cancelCard'), requestId: count, rowId: id }),
  z.strictObject({ kind: z.literal('openScratch'), path: z.string().min(1).max(1_024) }),
  z.strictObject({ kind: z.literal('openLink'), requestId: count, url: z.string().min(1).max(8_192) }),
  z.strictObject({ kind: z.literal('pickMode') }),
  z.strictObject({ kind: z.literal('pickModel') }),
  z.strictObject({ kind: z.literal('newConversation') }),
  z.strictObject({ kind: z.literal('openHistory') }),
  z.strictObject({
    kind: z.literal('act'),
    action: z.enum([
      'retry',
      'suggestCheck',
      'addProvider',
      'setKey',
      'pickModel',
      'pickReviewModel',
      'openSettings',
      'setPrice',
      'clearScratch',
      'newConversation',
      'showLog',
    ]),
    rowId: id.optional(),
  }),
  z.strictObject({ kind: z.literal('reload') }),
]);

/** Why a message was dropped; the only thing that is ever logged about it. */
export type DropReason = 'tooLarge' | 'malformed';

export type Decoded =
  { readonly ok: true; readonly message: FromWebview } | { readonly ok: false; readonly why: DropReason };

/** Turns what a page posted into a message, or says why not. Never throws, whatever it is given. */
export function decodeMessage(raw: unknown): Decoded {
  const size = sizeOf(raw);
  if (size === undefined) return { ok: false, why: 'malformed' };
  if (size > limits.messageBytes) return { ok: false, why: 'tooLarge' };
  const parsed = message.safeParse(raw);
  if (!parsed.success) return { ok: false, why: 'malformed' };
  return { ok: true, message: parsed.data };
}

/** A getter or a proxy may throw; then the value is no data. */
function sizeOf(raw: unknown): number | undefined {
  try {
    return boundedSize(raw, limits.messageBytes);
  } catch {
    return undefined;
  }
}
