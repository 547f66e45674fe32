import type { CardQueuePort } from '../../../application/assistant/assistantLibrary.ts';
import type { WaitingCard } from '../../../application/assistant/cardQueue.ts';
import { Command, Setting } from '../../../ids.ts';
import type { FromWebview, NoticeAction } from '../../../webview/assistant/protocol.ts';
import { retainedSections, titleOf } from '../presentation/card.ts';
import { planOf } from '../presentation/planRow.ts';
import { checkPrompt } from '../presentation/runEnd.ts';
import type { AssistantTexts } from '../presentation/texts.ts';
import { checkLink } from '../screen/checkLink.ts';
import type { Answer, AssistantIntents } from '../screen/intents.ts';
import type { AssistantModel } from './assistantModel.ts';

/** What the editor does for the assistant. Nothing here waits; failures are shown by the editor side. */
export interface EditorPort {
  writeClipboard(text: string): void;
  openExternal(url: string): void;
  openResource(uri: string): void;
  openFile(position: { readonly path: string; readonly line: number; readonly column: number }): void;
  /** Paths of the open folders on this machine. */
  openFolders(): readonly string[];
  runCommand(command: Command): void;
  openSetting(setting: Setting): void;
  showError(sentence: string): void;
  /** Focuses the composer of the assistant with a text in it. */
  suggest(text: string): void;
}

export interface ActionOptions {
  readonly model: AssistantModel;
  readonly editor: EditorPort;
  readonly texts: AssistantTexts;
  describeError(error: unknown): string;
}

/** The intents of a person on the model. */
export class AssistantActions implements AssistantIntents {
  readonly #options: ActionOptions;
  #shown: Extract<FromWebview, { kind: 'shown' }> | undefined;

  constructor(options: ActionOptions) {
    this.#options = options;
  }

  async send(text: string): Promise<Answer> {
    const { model, texts } = this.#options;
    if (text.trim() === '') return refused('blocked', texts.refusedEmpty());
    if (model.services === undefined) return refused('blocked', texts.refusedLoading());
    const { blocked } = model.head().composer;
    if (blocked !== undefined) return refused('blocked', blocked.reason);
    return this.#attempt(async () => {
      const session = await model.ensureSession();
      await session?.send(text);
      model.current?.refresh();
    });
  }

  stop(): void {
    this.#options.model.current?.stop();
  }

  decide(decision: Extract<FromWebview, { kind: 'decide' }>): Answer {
    const { model, texts } = this.#options;
    const { pinned } = model.head();
    const isOldest = pinned?.kind === 'approval' && pinned.approvalId === decision.approvalId;
    const isTooLarge = isOldest && pinned.tooLarge;
    const isSettled =
      isOldest &&
      !(isTooLarge && decision.verdict !== 'deny') &&
      model.services?.assistant.approvals.settle({
        approvalId: decision.approvalId,
        shownDigest: decision.shownDigest,
        verdict: decision.verdict,
        reason: decision.reason,
      }) === true;
    return isSettled ? { ok: true } : refused('noLongerWaiting', texts.refusedNothingWaits());
  }

  async revise(edit: Extract<FromWebview, { kind: 'revise' }>): Promise<Answer> {
    const { model, texts } = this.#options;
    const { pinned } = model.head();
    const isOldest = pinned?.kind === 'approval' && pinned.approvalId === edit.approvalId;
    const { approvalId, shownDigest, text } = edit;
    const approvals =
      isOldest && pinned.editable !== undefined ? model.services?.assistant.approvals : undefined;
    const answer = await approvals?.revise({ approvalId, shownDigest, text });
    switch (answer?.kind) {
      case 'revised':
        return { ok: true };
      case 'refused':
        return refused('failed', texts.refusedEdit(answer.problem));
      case 'gone':
      case undefined:
        return refused('noLongerWaiting', texts.refusedNothingWaits());
    }
  }

  answerQuestions({ cardId, answers }: Extract<FromWebview, { kind: 'answerQuestions' }>): Answer {
    const given = answers.map(({ questionId, selectedOptionIds, customText }) => ({
      questionId,
      selectedOptionIds,
      ...(customText !== undefined && { customText }),
    }));
    return this.#settle(cardId, 'questions', (cards) => cards.answerQuestions(cardId, given));
  }

  cancelQuestions({ cardId }: Extract<FromWebview, { kind: 'cancelQuestions' }>): Answer {
    return this.#settle(cardId, 'questions', (cards) => cards.cancelQuestions(cardId));
  }

  decideRun({ cardId, verdict }: Extract<FromWebview, { kind: 'decideRun' }>): Answer {
    return this.#settle(cardId, 'run', (cards) => cards.decideRun(cardId, verdict));
  }

  async decidePlan({ rowId, verdict }: Extract<FromWebview, { kind: 'decidePlan' }>): Promise<Answer> {
    const { model, texts } = this.#options;
    const shown = model.current?.transcript.source(rowId);
    const plan = model.current?.plan;
    const isThisPlan =
      shown?.kind === 'call' && shown.call.runId === plan?.runId && shown.call.callId === plan.callId;
    if (!isThisPlan || plan.outcome !== 'pending') return refused('noLongerWaiting', texts.refusedPlan());
    return this.decideLatestPlan(verdict);
  }

  /** About the plan that the conversation handed over last. */
  async decideLatestPlan(verdict: 'implement' | 'discard'): Promise<Answer> {
    const { model, texts } = this.#options;
    const { session, plan } = model.current ?? {};
    if (session === undefined || plan?.outcome !== 'pending')
      return refused('noLongerWaiting', texts.refusedPlan());
    if (verdict === 'discard') return this.#attempt(() => session.discardPlan(plan.callId));
    if (session.isRunning) return refused('blocked', texts.refusedRunning());
    return this.#attempt(() => session.implementPlan(plan.callId));
  }

  async setPlanning(on: boolean): Promise<Answer> {
    return this.#attempt(() => this.#options.model.setPlanning(on));
  }

  noteShown(shown: Extract<FromWebview, { kind: 'shown' }>): void {
    this.#shown = shown;
  }

  /**
   * Settles the oldest approval from a command. Only one that a screen has shown whole, under that digest, and whose card has the
   * focus (or had it when the screen lost it) can be decided; false otherwise, and then the card has to be shown and focused first.
   */
  decideShown(verdict: 'approve' | 'deny'): boolean {
    const shown = this.#shown;
    if (shown?.hasFocus !== true) return false;
    const answer = this.decide({
      kind: 'decide',
      requestId: 0,
      approvalId: shown.approvalId,
      shownDigest: shown.digest,
      verdict,
    });
    return answer.ok;
  }

  async cancelCall(rowId: string): Promise<Answer> {
    const { model, texts } = this.#options;
    const source = model.current?.transcript.source(rowId);
    if (source?.kind !== 'call') return refused('notThere', texts.refusedGone());
    return this.#attempt(async () => model.current?.session.cancelCommand(source.call.callId));
  }

  copyRow(rowId: string): void {
    const source = this.#options.model.current?.transcript.source(rowId);
    switch (source?.kind) {
      case undefined:
        return;
      case 'call': {
        const text = planOf(source.call)?.plan ?? retainedSections(source.call).join('');
        return this.#options.editor.writeClipboard(text === '' ? titleOf(source.call) : text);
      }
      case 'assistant':
        return this.#options.editor.writeClipboard(source.markdown);
      case 'compaction':
        return;
      case 'user':
      case 'notice':
        return this.#options.editor.writeClipboard(source.text);
    }
  }

  copyText(text: string): void {
    this.#options.editor.writeClipboard(text);
  }

  openScratch(path: string): void {
    this.openLink(`termind-scratch:/${encodePath(path)}`);
  }

  openLink(url: string): Answer {
    const { editor, texts } = this.#options;
    const link = checkLink(url, editor.openFolders());
    switch (link?.kind) {
      case undefined:
        return refused('linkRefused', texts.refusedLink());
      case 'external':
        editor.openExternal(link.url);
        break;
      case 'resource':
        editor.openResource(link.uri);
        break;
      case 'file':
        editor.openFile(link);
        break;
    }
    return { ok: true };
  }

  pickMode(): void {
    this.#options.editor.runCommand(Command.pickPermissionMode);
  }

  pickModel(): void {
    this.#options.editor.runCommand(Command.pickModel);
  }

  newConversation(): void {
    this.#options.editor.runCommand(Command.newConversation);
  }

  openHistory(): void {
    this.#options.editor.runCommand(Command.openConversation);
  }

  act(action: NoticeAction, rowId: string | undefined): void {
    const { editor } = this.#options;
    switch (action) {
      case 'retry':
        return this.#retry();
      case 'suggestCheck':
        return this.#suggestCheck(rowId);
      case 'addProvider':
        return editor.runCommand(Command.addProvider);
      case 'setKey':
        return editor.runCommand(Command.setProviderKey);
      case 'pickModel':
        return editor.runCommand(Command.pickModel);
      case 'pickReviewModel':
        return editor.runCommand(Command.pickReviewModel);
      case 'openSettings':
        return editor.openSetting(Setting.providers);
      case 'setPrice':
        return editor.openSetting(Setting.prices);
      case 'clearScratch':
        return editor.runCommand(Command.clearScratch);
      case 'newConversation':
        return editor.runCommand(Command.newConversation);
      case 'showLog':
        return editor.runCommand(Command.showLog);
    }
  }

  /** A run that fails again says so in its own notice; here only what kept it from starting. */
  #retry(): void {
    const { model, editor } = this.#options;
    void this.#attempt(async () => model.current?.session.retry()).then((answer) => {
      if (!answer.ok) editor.showError(answer.text);
    });
  }

  #suggestCheck(rowId: string | undefined): void {
    const { model, editor, texts } = this.#options;
    const run = rowId?.replace(/^end:/, '');
    if (run === undefined) return;
    editor.suggest(checkPrompt(model.current?.transcript.unknownCalls(run) ?? [], texts));
  }

  /** Only the card that is shown can be settled; an id stands for the same card always. */
  #settle(
    cardId: string,
    kind: WaitingCard['subject']['kind'],
    settle: (cards: CardQueuePort) => boolean,
  ): Answer {
    const { model, texts } = this.#options;
    const [oldest] = model.waiting;
    const cards = model.services?.assistant.cards;
    const isShown = oldest?.id === cardId && oldest.subject.kind === kind;
    if (cards !== undefined && isShown && settle(cards)) return { ok: true };
    return refused('noLongerWaiting', texts.refusedNothingAsks());
  }

  async #attempt(task: () => Promise<unknown>): Promise<Answer> {
    try {
      await task();
      return { ok: true };
    } catch (error) {
      return refused('failed', this.#options.describeError(error));
    }
  }
}

function refused(why: Extract<Answer, { ok: false }>['why'], text: string): Answer {
  return { ok: false, why, text };
}

/** A scratch path as the path of a URI; what it may contain is checked by scratch itself. */
function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
