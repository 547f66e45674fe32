import type { FromWebview, NoticeAction, Refusal } from '../../../webview/assistant/protocol.ts';

/** How a request ended. A refusal has a localised sentence. */
export type Answer =
  { readonly ok: true } | { readonly ok: false; readonly why: Refusal; readonly text: string };

/** What a person can ask for on a screen. Nothing here trusts the screen: every id is looked up, every link is checked. */
export interface AssistantIntents {
  /** Resolves when the text is stored; the screen keeps it otherwise. */
  send(text: string): Promise<Answer>;
  stop(): void;
  /** Settles one approval; refuses unless id and digest are those of what waits. */
  decide(decision: Extract<FromWebview, { kind: 'decide' }>): Answer;
  /** Puts the person's version in place of the call that waits; refuses unless id and digest are those of what waits. Allows nothing. */
  revise(edit: Extract<FromWebview, { kind: 'revise' }>): Promise<Answer>;
  /** These refuse unless the card is the one that is shown. */
  answerQuestions(answers: Extract<FromWebview, { kind: 'answerQuestions' }>): Answer;
  cancelQuestions(refusal: Extract<FromWebview, { kind: 'cancelQuestions' }>): Answer;
  decideRun(decision: Extract<FromWebview, { kind: 'decideRun' }>): Answer;
  /** Resolves when the decision is stored; refuses unless the plan in this row is the one that waits. */
  decidePlan(decision: Extract<FromWebview, { kind: 'decidePlan' }>): Promise<Answer>;
  setPlanning(on: boolean): Promise<Answer>;
  /** The screen shows this approval, whole. */
  noteShown(shown: Extract<FromWebview, { kind: 'shown' }>): void;
  cancelCall(rowId: string): Promise<Answer>;
  copyRow(rowId: string): void;
  copyText(text: string): void;
  openScratch(path: string): void;
  openLink(url: string): Answer;
  pickMode(): void;
  pickModel(): void;
  newConversation(): void;
  openHistory(): void;
  act(action: NoticeAction, rowId: string | undefined): void;
}
