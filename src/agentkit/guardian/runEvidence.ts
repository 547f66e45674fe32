import type { ReviewMaterial } from '../approval.ts';
import type { AgentEvent } from '../events.ts';
import { messageId, type MessageId } from '../ids.ts';
import type { Event } from '../lifetime.ts';
import type { Message, ToolMessage, UserMessage } from '../message.ts';
import { userWords } from '../userWords.ts';

export interface RunEvidenceOptions {
  /** Of the run. Who owns the channel ends the listening. */
  readonly onEvent: Event<AgentEvent>;
  /** The transcript as it is now, whole: compaction does not thin it. */
  readonly messages: () => readonly Message[];
  /** What the user wrote meanwhile and no turn has delivered yet. */
  readonly waiting: () => readonly UserMessage[];
}

/**
 * What the reviews of a run go by: what the user said up to this moment, and which answer of the model made the call. Answers to
 * questions of the running batch count before the batch is in the transcript. Source: agent runtime contract, section 12, "Evidence".
 */
export class RunEvidence {
  readonly #options: RunEvidenceOptions;
  #answerId = messageId('');
  #results: ToolMessage[] = [];

  constructor(options: RunEvidenceOptions) {
    this.#options = options;
    options.onEvent(({ body }) => {
      if (body.kind === 'toolFinished') this.#results.push(body.message);
    });
  }

  /** The calls of this answer are about to run; those before it are in the transcript. */
  beginBatch(answerId: MessageId): void {
    this.#answerId = answerId;
    this.#results = [];
  }

  now(): Pick<ReviewMaterial, 'evidence' | 'answerId'> {
    const { messages, waiting } = this.#options;
    const evidence = userWords([...messages(), ...this.#results, ...waiting()]);
    return { evidence, answerId: this.#answerId };
  }
}
