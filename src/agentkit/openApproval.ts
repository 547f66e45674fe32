import type { ApprovalQuestion, ApprovalRequest, Revision } from './approval.ts';
import { editedArguments } from './approvalEdit.ts';
import type { ActionInQuestion } from './authorization.ts';

export interface OpenApprovalOptions {
  readonly action: ActionInQuestion;
  readonly request: ApprovalRequest;
  /** What is shown of a version that the person wrote; a sentence where it cannot be asked about or is refused. */
  readonly describe: (action: ActionInQuestion) => ApprovalRequest | string;
  readonly onRevised: (action: ActionInQuestion, request: ApprovalRequest) => void;
}

/**
 * One question that waits for a person. They may write the call anew, several times; only the version that is shown last can be
 * allowed. Source: agent runtime contract, section 11.
 */
export class OpenApproval {
  readonly #options: OpenApprovalOptions;
  #action: ActionInQuestion;
  #request: ApprovalRequest;
  #isClosed = false;

  constructor(options: OpenApprovalOptions) {
    this.#options = options;
    this.#action = options.action;
    this.#request = options.request;
  }

  /** As shown last. */
  get action(): ActionInQuestion {
    return this.#action;
  }

  get request(): ApprovalRequest {
    return this.#request;
  }

  question(): ApprovalQuestion {
    const { request } = this;
    if (request.editable === undefined) return { request };
    return { request, revise: (text, signal) => this.#revise(text, signal) };
  }

  /** A decision is there: later versions change nothing. */
  close(): void {
    this.#isClosed = true;
  }

  async #revise(text: string, signal: AbortSignal): Promise<Revision> {
    const before = this.#action;
    const { editable } = this.#request;
    const { edit } = before;
    if (editable === undefined || edit === undefined) return problem('This call cannot be edited.');
    const args = editedArguments(editable, edit.written, text);
    if (args === undefined) return problem('The arguments are not one JSON object.');
    const checked = await edit.reclassify(args, signal);
    if (!checked.ok) return checked;
    const request = this.#options.describe(checked.action);
    if (typeof request === 'string') return problem(request);
    if (this.#isClosed || this.#action !== before || signal.aborted)
      return problem('The question is no longer open.');
    this.#action = checked.action;
    this.#request = request;
    this.#options.onRevised(checked.action, request);
    return { ok: true, request };
  }
}

function problem(sentence: string): Revision {
  return { ok: false, problem: sentence };
}
