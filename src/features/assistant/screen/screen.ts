import { DisposableBag, type ClockPort, type Disposable } from '../../../agentkit/index.ts';
import type { LogPort } from '../../../application/ports/prompts.ts';
import {
  limits,
  protocolVersion,
  type DeltaOp,
  type FromWebview,
  type ReplyValue,
  type Strings,
  type ToWebview,
} from '../../../webview/assistant/protocol.ts';
import type { AssistantModel, Head } from '../model/assistantModel.ts';
import type { ConversationChange } from '../model/liveConversation.ts';
import { retainedSections } from '../presentation/card.ts';
import { partAt } from '../presentation/fold.ts';
import { jsonBytes } from '../presentation/jsonSize.ts';
import { planOf } from '../presentation/planRow.ts';
import type { RowSource } from '../presentation/rowSource.ts';
import type { AssistantTexts } from '../presentation/texts.ts';
import { decodeMessage, type DropReason } from './decodeMessage.ts';
import { DeltaBatch } from './deltaBatch.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Answer, AssistantIntents } from './intents.ts';
import { headOps, withoutInner } from './headOps.ts';
import { RowWindow } from './rowWindow.ts';

/** The page behind a screen. */
export interface PagePort {
  post(message: ToWebview): void;
  /** Loads the page anew; it says `hello` when it is there. */
  load(): void;
  /** Shows a page that only offers to reload. */
  showStatic(): void;
}

export interface ScreenOptions {
  readonly page: PagePort;
  readonly model: AssistantModel;
  readonly intents: AssistantIntents;
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly texts: AssistantTexts;
  readonly strings: Strings;
}

/** Of one frame, beside strings and what stands around the rows. */
const envelopeBytes = 16 * 1024;

/** Frames of all screens differ, so a page that was restored with old state is noticed. */
let lastGeneration = 0;

/**
 * One webview as a screen of the model: full frames, deltas with gap-free numbers, pages, heartbeat. Whatever the page posts is
 * decoded first; what is not a message of the protocol is dropped, counted and logged without its content.
 * Source: vscode.md section 5.
 */
export class Screen implements Disposable {
  readonly #options: ScreenOptions;
  readonly #bag = new DisposableBag();
  readonly #heartbeat: Heartbeat;
  readonly #batch = new DeltaBatch();
  readonly #window: RowWindow;
  #isVisible = false;
  #hasGreeted = false;
  /** Counts the pages that were here: an answer is for the page that asked. */
  #page = 0;
  #storedDraftId: string | undefined;
  #generation = 0;
  #seq = 0;
  #head: Head | undefined;
  #flushTimer: Disposable | undefined;
  #dropped = 0;
  readonly #atGreeting: ToWebview[] = [];

  constructor(options: ScreenOptions) {
    this.#options = options;
    const { model, page } = options;
    this.#window = new RowWindow(() => model.current?.transcript);
    this.#heartbeat = this.#bag.add(
      new Heartbeat(options.clock, {
        ping: (n) => page.post({ kind: 'ping', n }),
        replace: () => this.#load('it stopped answering'),
        giveUp: () => {
          this.#hasGreeted = false;
          options.log.warn('assistant', 'the page was replaced too often and is given up');
          page.showStatic();
        },
      }),
    );
    this.#bag.add(model.onDidChange((change) => this.#take(change)));
  }

  /** Messages that were dropped so far. */
  get droppedMessages(): number {
    return this.#dropped;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  setVisible(isVisible: boolean): void {
    if (this.#isVisible === isVisible) return;
    this.#isVisible = isVisible;
    if (isVisible) {
      this.#heartbeat.start();
      if (this.#hasGreeted) this.#sendFrame();
    } else {
      this.#heartbeat.stop();
      this.#dropPending();
    }
  }

  /** Posts once the page is there and visible. */
  postWhenReady(message: ToWebview): void {
    if (this.#isReady) this.#options.page.post(message);
    else this.#atGreeting.push(message);
  }

  /** Takes whatever the page posted. */
  receive(raw: unknown): void {
    const decoded = decodeMessage(raw);
    if (decoded.ok) this.#dispatch(decoded.message);
    else this.#drop(decoded.why);
  }

  dispose(): void {
    this.#dropPending();
    this.#bag.dispose();
  }

  get #isReady(): boolean {
    return this.#isVisible && this.#hasGreeted;
  }

  #drop(why: DropReason): void {
    this.#dropped += 1;
    const isPowerOfTwo = (this.#dropped & (this.#dropped - 1)) === 0;
    if (isPowerOfTwo)
      this.#options.log.warn(
        'assistant',
        `a message of the page was dropped (${why}), ${this.#dropped} so far`,
      );
  }

  #dispatch(message: FromWebview): void {
    const { intents } = this.#options;
    switch (message.kind) {
      case 'hello':
        return this.#greet(message.protocol);
      case 'resync':
        return this.#isReady ? this.#sendFrame() : undefined;
      case 'pong':
        return this.#heartbeat.pong(message.n);
      case 'reload':
        this.#heartbeat.forgive();
        return this.#load('a person asked for it');
      case 'latest':
        this.#window.toLatest();
        return this.#isReady ? this.#sendFrame() : undefined;
      case 'page':
        return this.#sendPage(message);
      case 'expand':
        return this.#sendPart(message);
      case 'send':
        return this.#answerLater(message.requestId, this.#send(message));
      case 'cancelCard':
        return this.#answerLater(message.requestId, intents.cancelCall(message.rowId));
      case 'decide':
        return this.#answer(message.requestId, intents.decide(message));
      case 'revise':
        return this.#answerLater(message.requestId, intents.revise(message));
      case 'answerQuestions':
        return this.#answer(message.requestId, intents.answerQuestions(message));
      case 'cancelQuestions':
        return this.#answer(message.requestId, intents.cancelQuestions(message));
      case 'decideRun':
        return this.#answer(message.requestId, intents.decideRun(message));
      case 'decidePlan':
        return this.#answerLater(message.requestId, intents.decidePlan(message));
      case 'setPlanning':
        return this.#answerLater(message.requestId, intents.setPlanning(message.on));
      case 'openLink':
        return this.#answer(message.requestId, intents.openLink(message.url));
      case 'shown':
        return this.#isReady ? intents.noteShown(message) : undefined;
      case 'stop':
        return intents.stop();
      case 'copyRow':
        return intents.copyRow(message.rowId);
      case 'copyText':
        return intents.copyText(message.text);
      case 'openScratch':
        return intents.openScratch(message.path);
      case 'pickMode':
        return intents.pickMode();
      case 'pickModel':
        return intents.pickModel();
      case 'newConversation':
        return intents.newConversation();
      case 'openHistory':
        return intents.openHistory();
      case 'act':
        return intents.act(message.action, message.rowId);
      default:
        return unreachable(message);
    }
  }

  #greet(protocol: number): void {
    if (protocol !== protocolVersion) {
      this.#options.log.warn(
        'assistant',
        `the page speaks protocol ${protocol}, expected ${protocolVersion}`,
      );
      this.#hasGreeted = false;
      this.#options.page.showStatic();
      return;
    }
    this.#hasGreeted = true;
    this.#page += 1;
    if (!this.#isVisible) return;
    this.#heartbeat.start();
    this.#sendFrame();
  }

  #load(why: string): void {
    this.#options.log.info('assistant', `the page is loaded anew: ${why}`);
    this.#hasGreeted = false;
    this.#dropPending();
    this.#options.page.load();
    if (this.#isVisible) this.#heartbeat.start();
  }

  #take(change: ConversationChange): void {
    if (!this.#isReady) return;
    switch (change.kind) {
      case 'reset':
        return this.#sendFrame();
      case 'rows':
        for (const op of change.ops) for (const wanted of this.#window.filter(op)) this.#batch.add(wanted);
        this.#addHead();
        return this.#schedule();
      case 'head':
        this.#addHead();
        return this.#schedule();
    }
  }

  #addHead(): void {
    const head = this.#options.model.head();
    for (const op of headOps(this.#head, head)) this.#batch.add(op);
    this.#head = head;
  }

  #schedule(): void {
    if (this.#batch.isEmpty || this.#flushTimer !== undefined) return;
    this.#flushTimer = this.#options.clock.after(limits.flushMs, () => this.#flush());
  }

  /** Sends what waits; a change that fits no delta is told by a full frame. */
  #flush(): void {
    this.#flushTimer?.dispose();
    this.#flushTimer = undefined;
    if (!this.#isReady || this.#batch.isEmpty) return;
    const lists = this.#batch.take(limits.deltaBytes - envelopeOfDelta);
    if (lists === undefined) {
      this.#sendFrame();
      return;
    }
    for (const ops of lists) this.#sendDelta(ops);
    this.#options.model.notePinnedShown();
  }

  #sendDelta(ops: readonly DeltaOp[]): void {
    this.#seq += 1;
    this.#options.page.post({ kind: 'delta', generation: this.#generation, seq: this.#seq, ops });
  }

  #sendFrame(): void {
    this.#dropPending();
    const { model, page, strings, clock } = this.#options;
    const head = model.head();
    const frameHead = withoutInner(head);
    const room = limits.frameBytes - jsonBytes(frameHead) - jsonBytes(strings) - envelopeBytes;
    const rows = this.#window.fill(room, clock.now());
    this.#head = head;
    lastGeneration += 1;
    this.#generation = lastGeneration;
    this.#seq = 0;
    page.post({
      kind: 'frame',
      protocol: protocolVersion,
      generation: this.#generation,
      seq: this.#seq,
      strings,
      storedDraftId: this.#storedDraftId,
      frame: { ...frameHead, rows, ...this.#window.edges },
    });
    for (const message of this.#atGreeting.splice(0)) page.post(message);
    model.notePinnedShown();
  }

  #sendPage({ requestId, direction }: Extract<FromWebview, { kind: 'page' }>): void {
    if (!this.#isReady) return;
    this.#flush();
    const page = this.#window.page(direction, limits.frameBytes / 2, this.#options.clock.now());
    if (page === undefined) {
      this.#refuse(requestId, { ok: false, why: 'notThere', text: this.#options.texts.refusedGone() });
      return;
    }
    this.#seq += 1;
    this.#reply(requestId, {
      kind: 'page',
      generation: this.#generation,
      seq: this.#seq,
      direction,
      ...page,
    });
  }

  #sendPart({ requestId, rowId, part, offset }: Extract<FromWebview, { kind: 'expand' }>): void {
    if (!this.#isReady) return;
    const source = this.#options.model.current?.transcript.source(rowId);
    const found = partAt(sectionsOf(source, part), offset, limits.deltaBytes / 2);
    if (found === undefined)
      this.#refuse(requestId, { ok: false, why: 'notThere', text: this.#options.texts.refusedGone() });
    else this.#reply(requestId, { kind: 'part', ...found });
  }

  /** A page that has come meanwhile has the text in its composer and cannot know that it is stored. */
  async #send({ text, draftId }: Extract<FromWebview, { kind: 'send' }>): Promise<Answer> {
    const asking = this.#page;
    const answer = await this.#options.intents.send(text);
    if (!answer.ok) return answer;
    this.#storedDraftId = draftId;
    if (this.#page !== asking && this.#isReady) this.#sendFrame();
    return answer;
  }

  #answerLater(requestId: number, answer: Promise<Answer>): void {
    const asking = this.#page;
    answer.then(
      (settled) => (this.#page === asking ? this.#answer(requestId, settled) : undefined),
      (error: unknown) => this.#options.log.error('assistant', 'a request of the page failed', error),
    );
  }

  #answer(requestId: number, answer: Answer): void {
    if (answer.ok) this.#reply(requestId, { kind: 'accepted' });
    else this.#refuse(requestId, answer);
  }

  #reply(requestId: number, value: ReplyValue): void {
    if (this.#isReady) this.#options.page.post({ kind: 'reply', requestId, value });
  }

  #refuse(requestId: number, { why, text }: Extract<Answer, { ok: false }>): void {
    if (this.#isReady) this.#options.page.post({ kind: 'refused', requestId, why, text });
  }

  #dropPending(): void {
    this.#batch.clear();
    this.#flushTimer?.dispose();
    this.#flushTimer = undefined;
  }
}

/** The whole of what a row shows in part. */
function sectionsOf(
  source: RowSource | undefined,
  part: Extract<FromWebview, { kind: 'expand' }>['part'],
): readonly string[] {
  switch (part) {
    case 'body':
      return source?.kind === 'call' ? retainedSections(source.call) : [];
    case 'reasoning':
      return source?.kind === 'assistant' ? [source.reasoning] : [];
    case 'plan':
      return source?.kind === 'call' ? [planOf(source.call)?.plan ?? ''] : [];
  }
}

/** Room for kind, generation and number of a delta. */
const envelopeOfDelta = 256;

function unreachable(message: never): void {
  throw new Error(`no case for ${JSON.stringify(message)}`);
}
