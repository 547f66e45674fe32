import type { UserQuestion } from '../../../agentkit/index.ts';
import type { WaitingCard } from '../../../application/assistant/cardQueue.ts';
import type { AskedQuestion, PinnedCard, QueuePlace } from '../../../webview/assistant/protocol.ts';
import { presentApproval } from './approvalCard.ts';
import type { AssistantTexts } from './texts.ts';

/**
 * The oldest thing that waits for the person, as the one card that is shown. `otherConversation` is the title of its conversation when
 * another one is shown.
 */
export function presentPinned(
  waiting: readonly WaitingCard[],
  texts: AssistantTexts,
  otherConversation: (card: WaitingCard) => string | undefined,
): PinnedCard | undefined {
  const [oldest] = waiting;
  if (oldest === undefined) return undefined;
  const { id, subject } = oldest;
  const place: QueuePlace = {
    position: 1,
    count: waiting.length,
    otherConversation: otherConversation(oldest),
  };
  switch (subject.kind) {
    case 'approval':
      return presentApproval(subject.approval, place, texts);
    case 'questions':
      return {
        kind: 'questions',
        ...place,
        cardId: id,
        questions: subject.questions.map(presentQuestion),
        closesAt: oldest.shownAt === undefined ? undefined : oldest.shownAt + subject.timeoutMs,
      };
    case 'run':
      return { kind: 'run', ...place, cardId: id, question: subject.question };
  }
}

function presentQuestion(asked: UserQuestion): AskedQuestion {
  return {
    id: asked.id,
    header: asked.header ?? '',
    prompt: asked.prompt,
    options: asked.options.map(({ id, label, description = '', recommended }) => ({
      id,
      label,
      description,
      recommended,
    })),
    isMultiple: asked.multiSelect,
    allowsOwnWords: asked.allowCustom,
    placeholder: asked.customPlaceholder ?? '',
  };
}
