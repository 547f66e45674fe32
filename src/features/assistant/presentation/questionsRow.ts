import { z } from 'zod';
import { answeredQuestions, userInputTool } from '../../../agentkit/index.ts';
import type { QuestionsRow } from '../../../webview/assistant/protocol.ts';
import type { CallFacts } from './callFacts.ts';
import { readResult } from './toolResult.ts';

const askedQuestions = z.object({ questions: z.array(z.object({ prompt: z.string() })) });

/** Questions of the model with what became of them; undefined when the call asked nothing that can be read. */
export function presentQuestions(call: CallFacts): QuestionsRow | undefined {
  if (call.toolName !== userInputTool) return undefined;
  const items = answersOf(call) ?? promptsOf(call);
  if (items === undefined) return undefined;
  return { kind: 'questions', id: call.rowId, state: stateOf(call), items, reason: reasonOf(call) };
}

function answersOf(call: CallFacts): QuestionsRow['items'] | undefined {
  const given = answeredQuestions.safeParse(call.result?.presentation);
  if (!given.success) return undefined;
  return given.data.answers.map(({ question, answer }) => ({ question, answer: answer ?? undefined }));
}

function promptsOf(call: CallFacts): QuestionsRow['items'] | undefined {
  const asked = askedQuestions.safeParse(call.proposed?.arguments);
  if (!asked.success) return undefined;
  return asked.data.questions.map(({ prompt }) => ({ question: prompt, answer: undefined }));
}

/** Asking changes nothing, so a question whose window died was simply not answered. */
function stateOf(call: CallFacts): QuestionsRow['state'] {
  switch (call.phase) {
    case 'proposed':
      return 'proposed';
    case 'waiting':
    case 'running':
      return 'waiting';
    case 'orphaned':
      return 'cancelled';
    case 'finished':
      return call.result?.isError === false ? 'succeeded' : 'cancelled';
  }
}

function reasonOf(call: CallFacts): string | undefined {
  if (call.result === undefined || !call.result.isError) return undefined;
  const result = readResult(call.result.text);
  return result.kind === 'sentence' ? result.text : undefined;
}
