import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { JsonObject } from '../../json.ts';
import { shownText } from '../../schemas.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../tool.ts';
import { userInputTool } from '../../userWords.ts';
import {
  problemWithAnswers,
  type UserAnswer,
  type UserInputOutcome,
  type UserInputPort,
  type UserInputRequest,
  type UserQuestion,
} from './userQuestion.ts';

const option = z.strictObject({
  id: shownText(64),
  label: shownText(120),
  description: shownText(400).optional(),
  recommended: z.boolean().optional().describe('You would choose this one; at most a hint.'),
});

const question = z
  .strictObject({
    id: shownText(64),
    header: shownText(24).optional().describe('A word or two above the question.'),
    prompt: shownText(4_096),
    options: z.array(option).max(4).optional().describe('Answers to choose from; none means free text.'),
    multi_select: z.boolean().optional().describe('Several options may be chosen; false when absent.'),
    allow_custom: z
      .boolean()
      .optional()
      .describe('The user may answer in their own words; true when absent.'),
    custom_placeholder: shownText(120).optional(),
  })
  .refine(({ options = [] }) => areUnique(options), { error: 'option ids must be unique' });

const input = z.strictObject({
  questions: z
    .array(question)
    .min(1)
    .max(3)
    .refine(areUnique, { error: 'question ids must be unique' })
    .describe('One to three.'),
  timeout_seconds: z
    .int()
    .min(1)
    .max(1_800)
    .optional()
    .describe('How long to wait once the questions are shown; 300 when absent.'),
});
type Arguments = z.output<typeof input>;

const defaultTimeoutSeconds = 300;

/** Asks the user and waits for the answer. Source: tool contract, `request_user_input`. */
export function requestUserInput(port: UserInputPort): Tool {
  return defineTool({
    input,
    descriptor: {
      name: userInputTool,
      summary:
        'Asks the user one to three questions and waits for the answers. For decisions that are theirs: what is meant, which of several ways, whether a risk is worth it. Not for facts that you can look up, never for passwords or keys. A question that the user skips has the answer null.',
      target: 'user',
      safety: 'locallyReadOnly',
      concurrency: 'sequential',
      body: { field: 'answers', kind: 'items' },
      presentation: {
        symbol: 'question',
        activity: 'Asking you',
        presenterId: 'userInput',
        actionKind: 'ask',
        groupsWithAdjacent: false,
      },
    },
    execute: (args, context) => ask(port, args, context),
  });
}

async function ask(port: UserInputPort, args: Arguments, context: ToolContext): Promise<ToolOutcome> {
  const { runId, conversationId, callId, redactor } = context;
  const seconds = args.timeout_seconds ?? defaultTimeoutSeconds;
  const questions = args.questions.map((asked) => redactor.redactJson(toQuestion(asked)));
  const request: UserInputRequest = {
    runId,
    ...(conversationId !== undefined && { conversationId }),
    callId,
    questions,
    timeoutMs: seconds * 1_000,
  };
  context.announce({ kind: 'userInputRequested', callId, questions });
  const outcome = await untilAnswered(port, request, context);
  switch (outcome.kind) {
    case 'cancelled':
      return failure('The user closed the question without an answer.');
    case 'interjected':
      return failure('The user wrote a message instead of answering. It follows.');
    case 'timedOut':
      return failure(`The user did not answer within ${String(seconds)} seconds.`);
    case 'answered': {
      const problem = problemWithAnswers(questions, outcome.answers);
      return problem === undefined
        ? answered(questions, outcome.answers)
        : failure(`The answer was ${problem}.`);
    }
  }
}

/** A message of the user takes the questions back: nobody answers twice. */
async function untilAnswered(
  port: UserInputPort,
  request: UserInputRequest,
  context: ToolContext,
): Promise<UserInputOutcome | { readonly kind: 'interjected' }> {
  const withdrawn = new AbortController();
  const waiting = context.waiting('user');
  try {
    const signal = AbortSignal.any([context.signal, withdrawn.signal]);
    const interjected = context.whenUserInterjects().then(() => ({ kind: 'interjected' }) as const);
    return await Promise.race([port.ask(request, signal), interjected]);
  } finally {
    withdrawn.abort(new Error('the questions are over'));
    waiting.dispose();
  }
}

function answered(questions: readonly UserQuestion[], answers: readonly UserAnswer[]): ToolOutcome {
  const rows = questions.map((asked) => ({
    question: asked,
    answer: answers.find(({ questionId }) => questionId === asked.id),
  }));
  return {
    kind: 'success',
    fields: {},
    body: { content: rows.map(({ question: asked, answer }) => toResult(asked, answer)) },
    presentation: {
      answers: rows.map(({ question: asked, answer }) => ({
        question: asked.prompt,
        answer: answerText(asked, answer) ?? null,
      })),
    },
  };
}

function toResult(asked: UserQuestion, answer: UserAnswer | undefined): JsonObject {
  return {
    question_id: asked.id,
    answer: answerText(asked, answer) ?? null,
    selected_option_ids: answer?.selectedOptionIds ?? [],
    custom_text: answer?.customText ?? null,
  };
}

/** Labels and own words as one text; undefined when the question was skipped. */
function answerText(asked: UserQuestion, answer: UserAnswer | undefined): string | undefined {
  if (answer === undefined) return undefined;
  const labels = asked.options.filter(({ id }) => answer.selectedOptionIds.includes(id));
  const parts = [...labels.map(({ label }) => label), answer.customText ?? ''];
  const said = parts.filter((part) => part.trim() !== '').join(', ');
  return said === '' ? undefined : said;
}

function toQuestion(asked: Arguments['questions'][number]): UserQuestion {
  const options = (asked.options ?? []).map(({ id, label, description, recommended = false }) => ({
    id,
    label,
    ...(description !== undefined && { description }),
    recommended,
  }));
  return {
    id: asked.id,
    ...(asked.header !== undefined && { header: asked.header }),
    prompt: asked.prompt,
    options,
    multiSelect: asked.multi_select ?? false,
    allowCustom: options.length === 0 || (asked.allow_custom ?? true),
    ...(asked.custom_placeholder !== undefined && { customPlaceholder: asked.custom_placeholder }),
  };
}

function failure(sentence: string): ToolOutcome {
  return { kind: 'failure', sentence };
}

function areUnique(rows: readonly { readonly id: string }[]): boolean {
  return new Set(rows.map(({ id }) => id)).size === rows.length;
}
