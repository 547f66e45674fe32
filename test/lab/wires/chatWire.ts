import { answerEvents, readConversation, type ChatRequest } from '../chatCompletions.ts';
import { checkChatRequest } from '../chatRules.ts';
import { errorResponse } from '../scriptedResponse.ts';
import type { Wire } from './wire.ts';

export const chatWire: Wire<ChatRequest> = {
  basePath: '/v1',
  isRequest: (path) => path === '/v1/chat/completions',
  keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ''),
  check: checkChatRequest,
  read: readConversation,
  answer: answerEvents,
  error: errorResponse,
};
