/**
 * What the assistant webview and the extension host say to each other. The host owns all state; the webview is a screen.
 * Limits are part of the contract. Source: vscode.md section 5; ui.md section 2.
 *
 * Life cycle: the page loads and says `hello`; the host answers with a full `frame` (a new generation, sequence number 0); every
 * change after that is a `delta` or a page `reply` with the next number. A gap or a foreign generation makes the page say `resync`,
 * which is answered by a new frame. A hidden page is sent nothing.
 */
export const protocolVersion = 4;

export const limits = {
  /** Rows in the DOM at most; older and newer rows come in pages. */
  windowRows: 200,
  pageRows: 50,
  frameBytes: 512 * 1024,
  /** Of one delta and of one part of an expansion, as JSON in UTF-8. */
  deltaBytes: 64 * 1024,
  flushMs: 50,
  /** From the webview, as JSON in UTF-8. */
  messageBytes: 64 * 1024,
  /** What `setState` may hold. */
  stateBytes: 64 * 1024,
  /** Of an answer in own words; UTF-16 units. */
  ownWords: 4_000,
  /** Of what a person edits in a card, in UTF-8; larger calls are decided as they are. */
  editableBytes: 40 * 1024,
  requestTimeoutMs: 10_000,
  pingMs: 5_000,
  missedPongs: 2,
} as const;

/** What happened to one call. `unknown` = it was sent and nobody knows whether it happened. */
export type CardState =
  | 'proposed'
  | 'reviewing'
  | 'waiting'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'denied'
  | 'cancelled'
  | 'unknown';

/**
 * Folded text of a card: whole lines only, at most five in all sections together. A result that was cut in the middle has two
 * sections, every other has one. The rest is asked for with `expand`.
 */
export interface CardBody {
  readonly sections: readonly string[];
  /** Which end of the retained text is shown. */
  readonly side: 'head' | 'tail';
  readonly shownLines: number;
  readonly retainedLines: number;
  /** The frozen marker of the result, shown above the control; never written here. */
  readonly marker: string | undefined;
}

export interface UserRow {
  readonly kind: 'user';
  readonly id: string;
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Waits for the next turn boundary. */
  readonly queued: boolean;
}

/** Thoughts of the model, folded. `text` is their beginning; the rest is asked for with `expand`. */
export interface Reasoning {
  readonly text: string;
  readonly hasMore: boolean;
  /** Undefined while it thinks. */
  readonly durationMs: number | undefined;
}

/** An answer, or one part of a long one (parts end between Markdown blocks; only the first has the reasoning). */
export interface AssistantRow {
  readonly kind: 'assistant';
  readonly id: string;
  readonly markdown: string;
  readonly reasoning: Reasoning | undefined;
  readonly streaming: boolean;
}

/** What the security review said. `text` and the words in it are localised; the rationale is the reviewer's, whole. */
export interface CardReview {
  readonly result: 'allowed' | 'denied' | 'failed';
  readonly text: string;
  /** Empty where there is none. */
  readonly rationale: string;
}

export interface CardRow {
  readonly kind: 'card';
  readonly id: string;
  /** Codicon of the tool. */
  readonly symbol: string;
  readonly state: CardState;
  /** The exact command or the tool's own words. */
  readonly title: string;
  /** The title is a command and is set in the editor's font. */
  readonly isCommand: boolean;
  readonly target: string;
  readonly identity: string;
  readonly tier: string;
  /** `production`; empty when the host has no tier. Localised. */
  readonly tierLabel: string;
  /** Of a finished call. */
  readonly durationMs: number | undefined;
  /** Of a running call, when this row was made; the screen counts on. */
  readonly runningMs: number | undefined;
  /** `exit 1`, `signal TERM`, `outcome unknown`; localised by the host. */
  readonly result: string | undefined;
  readonly body: CardBody | undefined;
  /** Scratch-relative path of the captured full output. */
  readonly fullOutputPath: string | undefined;
  /** Why it was denied, failed or is unknown, one sentence. */
  readonly reason: string | undefined;
  readonly review: CardReview | undefined;
  readonly canCancel: boolean;
}

export interface NoticeRow {
  readonly kind: 'notice';
  readonly id: string;
  readonly level: 'info' | 'warning' | 'error';
  /** One or two sentences; text in backquotes is shown as code. */
  readonly text: string;
  readonly action: NoticeButton | undefined;
}

export interface NoticeButton {
  readonly id: NoticeAction;
  readonly label: string;
}

export type NoticeAction =
  | 'retry'
  | 'suggestCheck'
  | 'addProvider'
  | 'setKey'
  | 'pickModel'
  | 'pickReviewModel'
  | 'openSettings'
  | 'setPrice'
  | 'clearScratch'
  | 'newConversation'
  | 'showLog';

/** What became of questions of the model: each with the person's answer, or without one. */
export interface QuestionsRow {
  readonly kind: 'questions';
  readonly id: string;
  readonly state: CardState;
  /** The question is Markdown of the model; the answer is plain text. */
  readonly items: readonly { readonly question: string; readonly answer: string | undefined }[];
  /** Why there is no answer, one sentence. */
  readonly reason: string | undefined;
}

/** `superseded` = nobody decided, and a later plan took its place. */
export type PlanState = 'pending' | 'implemented' | 'discarded' | 'superseded';

/** A plan that was handed over. `markdown` is its beginning; the rest is asked for with `expand`. */
export interface PlanRow {
  readonly kind: 'plan';
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  readonly hasMore: boolean;
  readonly state: PlanState;
  /** Scratch-relative path of its file, which may have changed since. */
  readonly scratchPath: string;
}

/** From here on the model reads a summary of what came before; the rows above stay. */
export interface CompactionRow {
  readonly kind: 'compaction';
  readonly id: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** How many messages of the transcript the summary stands for. */
  readonly messages: number;
}

export type Row = UserRow | AssistantRow | CardRow | NoticeRow | QuestionsRow | PlanRow | CompactionRow;

/** The place of a card among all that wait for the person; exactly one is shown. */
export interface QueuePlace {
  readonly position: number;
  readonly count: number;
  /** Title of its conversation, when another one is shown. */
  readonly otherConversation: string | undefined;
}

/**
 * The oldest thing that waits, when it is a decision about a call. Everything that the digest covers is in it, uncut: what runs, where,
 * as whom, the further arguments and the reasons.
 */
export interface ApprovalCard extends QueuePlace {
  readonly kind: 'approval';
  readonly approvalId: string;
  readonly digest: string;
  readonly toolName: string;
  readonly symbol: string;
  /** The exact text; control characters are made visible by the screen. */
  readonly action: string;
  readonly target: string;
  readonly identity: string;
  readonly tier: string;
  /** `production`; empty when the host has no tier. Localised. */
  readonly tierLabel: string;
  readonly targetChanged: boolean;
  readonly reasons: readonly string[];
  readonly details: readonly { readonly label: string; readonly value: string }[];
  /** The last commands of this conversation on this host, newest last. */
  readonly before: readonly string[];
  /** What the person may write anew: a command, or arguments as JSON. Undefined = nothing. */
  readonly editable: string | undefined;
  /** The person wrote this version. */
  readonly isEdited: boolean;
  /** It can be allowed for the whole conversation. */
  readonly canGrant: boolean;
  /** The request is too large to be shown uncut: it can only be denied. */
  readonly tooLarge: boolean;
}

/** One question of the model. Without options it is answered in the person's own words. */
export interface AskedQuestion {
  readonly id: string;
  /** A word or two; empty when there are none. */
  readonly header: string;
  /** Markdown of the model. */
  readonly prompt: string;
  readonly options: readonly {
    readonly id: string;
    readonly label: string;
    readonly description: string;
    /** A hint; nothing is preselected. */
    readonly recommended: boolean;
  }[];
  readonly isMultiple: boolean;
  readonly allowsOwnWords: boolean;
  readonly placeholder: string;
}

/** The oldest thing that waits, when it is questions of the model. An id stands for the same questions always. */
export interface QuestionsCard extends QueuePlace {
  readonly kind: 'questions';
  readonly cardId: string;
  readonly questions: readonly AskedQuestion[];
  /** When they are taken back, milliseconds since 1970 UTC; undefined until a screen has shown them. */
  readonly closesAt: number | undefined;
}

/** The oldest thing that waits, when it is whether a run goes on. An id stands for the same question always. */
export interface RunCard extends QueuePlace {
  readonly kind: 'run';
  readonly cardId: string;
  readonly question:
    | { readonly kind: 'loop'; readonly repeats: number; readonly toolNames: readonly string[] }
    /** Cost in the currency of the person's price table. `more` is what Continue allows beyond what was used. */
    | {
        readonly kind: 'ceiling';
        readonly unit: 'turns' | 'cost';
        readonly used: number;
        readonly limit: number;
        readonly more: number;
      };
}

export type PinnedCard = ApprovalCard | QuestionsCard | RunCard;

/** One step of the model's own list. Plain text. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** What is waited for, since when, and the way out. */
export interface Status {
  readonly text: string;
  /** Time passed when this was sent; the screen counts on. */
  readonly elapsedMs: number;
  readonly canStop: boolean;
}

export interface Composer {
  /** Why nothing can be sent, with the button that helps. */
  readonly blocked: { readonly reason: string; readonly action: NoticeButton | undefined } | undefined;
  readonly mode: 'ask' | 'review' | 'full';
  readonly modeLabel: string;
  /** Empty when no model is chosen. */
  readonly modelLabel: string;
  readonly running: boolean;
  /** The next run only looks, and hands over a plan. */
  readonly planning: boolean;
  readonly contextTokens: number | undefined;
  readonly contextWindow: number | undefined;
}

/** A lasting note above the transcript, for example that nothing is saved. */
export interface Banner {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly action: NoticeButton | undefined;
}

export interface EmptyState {
  readonly title: string;
  readonly lines: readonly string[];
  readonly examplesTitle: string;
  readonly examples: readonly string[];
  readonly disclosure: string;
}

export interface Frame {
  readonly conversationId: string | undefined;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly banner: Banner | undefined;
  readonly status: Status | undefined;
  /** What the model has set out to do; empty when it keeps no list. */
  readonly tasks: readonly Task[];
  readonly pinned: PinnedCard | undefined;
  readonly composer: Composer;
  /** Set while the conversation has no rows. */
  readonly empty: EmptyState | undefined;
}

/**
 * One change. `upsert` replaces the row with that id or inserts it behind `after` (undefined = first). Changes to rows outside the
 * window are not sent.
 */
export type DeltaOp =
  | { readonly op: 'upsert'; readonly row: Row; readonly after: string | undefined }
  | { readonly op: 'remove'; readonly id: string }
  | { readonly op: 'appendMarkdown'; readonly id: string; readonly text: string }
  | { readonly op: 'appendReasoning'; readonly id: string; readonly text: string }
  | { readonly op: 'edges'; readonly hasOlder: boolean; readonly hasNewer: boolean }
  | { readonly op: 'title'; readonly title: string }
  | { readonly op: 'banner'; readonly banner: Banner | undefined }
  | { readonly op: 'status'; readonly status: Status | undefined }
  | { readonly op: 'tasks'; readonly tasks: readonly Task[] }
  | { readonly op: 'pinned'; readonly pinned: PinnedCard | undefined }
  | { readonly op: 'composer'; readonly composer: Composer }
  | { readonly op: 'empty'; readonly empty: EmptyState | undefined };

/**
 * The answer to a request. A page changes the window and therefore has a place in the sequence: `drop` rows leave at the other end.
 * A part of an expansion belongs to section `section`; `next` is the offset of the following part.
 */
export type ReplyValue =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'page';
      readonly generation: number;
      readonly seq: number;
      readonly direction: 'older' | 'newer';
      readonly rows: readonly Row[];
      readonly drop: number;
      readonly hasOlder: boolean;
      readonly hasNewer: boolean;
    }
  | {
      readonly kind: 'part';
      readonly section: number;
      readonly text: string;
      readonly next: number | undefined;
    };

/** Why a request was not done. The sentence beside it is localised. */
export type Refusal =
  'blocked' | 'readOnly' | 'notThere' | 'noLongerWaiting' | 'tooLarge' | 'linkRefused' | 'failed';

export type ToWebview =
  | {
      readonly kind: 'frame';
      readonly protocol: number;
      readonly generation: number;
      readonly seq: number;
      readonly strings: Strings;
      /** Of the text that this screen stored last; undefined before the first. */
      readonly storedDraftId: string | undefined;
      readonly frame: Frame;
    }
  | {
      readonly kind: 'delta';
      readonly generation: number;
      readonly seq: number;
      readonly ops: readonly DeltaOp[];
    }
  | { readonly kind: 'ping'; readonly n: number }
  /** Focuses the composer; a text is put in front of what is there. */
  | { readonly kind: 'focusComposer'; readonly text: string | undefined }
  /** Focuses the pinned card. */
  | { readonly kind: 'focusPinned' }
  | { readonly kind: 'reply'; readonly requestId: number; readonly value: ReplyValue }
  | {
      readonly kind: 'refused';
      readonly requestId: number;
      readonly why: Refusal;
      readonly text: string;
    };

/** The answer to one question: options that were offered, own words where they are taken. */
export interface QuestionAnswer {
  readonly questionId: string;
  readonly selectedOptionIds: readonly string[];
  readonly customText?: string | undefined;
}

/** Requests carry `requestId` and are answered by `reply` or `refused` within `requestTimeoutMs`. */
export type FromWebview =
  | { readonly kind: 'hello'; readonly protocol: number }
  | { readonly kind: 'resync'; readonly generation: number; readonly afterSeq: number }
  | { readonly kind: 'pong'; readonly n: number }
  /** `draftId` is new for each attempt to send; a later page asks by it what became of the attempt. */
  | { readonly kind: 'send'; readonly requestId: number; readonly text: string; readonly draftId: string }
  | { readonly kind: 'stop' }
  /** The pinned approval is on the screen, whole; said again when the focus enters or leaves it. */
  | {
      readonly kind: 'shown';
      readonly approvalId: string;
      readonly digest: string;
      readonly hasFocus: boolean;
    }
  | {
      readonly kind: 'decide';
      readonly requestId: number;
      readonly approvalId: string;
      readonly shownDigest: string;
      readonly verdict: 'approve' | 'approveForConversation' | 'deny';
      readonly reason?: string | undefined;
    }
  /** The person's own version of the call that waits. Accepted = another card takes the place of this one; refused = it stays. */
  | {
      readonly kind: 'revise';
      readonly requestId: number;
      readonly approvalId: string;
      readonly shownDigest: string;
      readonly text: string;
    }
  /** A question without an answer is skipped. */
  | {
      readonly kind: 'answerQuestions';
      readonly requestId: number;
      readonly cardId: string;
      readonly answers: readonly QuestionAnswer[];
    }
  | { readonly kind: 'cancelQuestions'; readonly requestId: number; readonly cardId: string }
  | {
      readonly kind: 'decideRun';
      readonly requestId: number;
      readonly cardId: string;
      readonly verdict: 'continue' | 'stop';
    }
  /** About the plan in this row. */
  | {
      readonly kind: 'decidePlan';
      readonly requestId: number;
      readonly rowId: string;
      readonly verdict: 'implement' | 'discard';
    }
  | { readonly kind: 'setPlanning'; readonly requestId: number; readonly on: boolean }
  | {
      readonly kind: 'page';
      readonly requestId: number;
      readonly direction: 'older' | 'newer';
    }
  /** Back to the newest rows; answered by a frame. */
  | { readonly kind: 'latest' }
  | {
      readonly kind: 'expand';
      readonly requestId: number;
      readonly rowId: string;
      readonly part: 'body' | 'reasoning' | 'plan';
      readonly offset: number;
    }
  | { readonly kind: 'copyRow'; readonly rowId: string }
  | { readonly kind: 'copyText'; readonly text: string }
  | { readonly kind: 'cancelCard'; readonly requestId: number; readonly rowId: string }
  | { readonly kind: 'openScratch'; readonly path: string }
  | { readonly kind: 'openLink'; readonly requestId: number; readonly url: string }
  | { readonly kind: 'pickMode' }
  | { readonly kind: 'pickModel' }
  | { readonly kind: 'newConversation' }
  | { readonly kind: 'openHistory' }
  | { readonly kind: 'act'; readonly action: NoticeAction; readonly rowId?: string | undefined }
  /** From the static page that replaces a screen which stopped answering. */
  | { readonly kind: 'reload' };

/** Everything the screen says by itself, with `{0}` for arguments. Localised by the host, sent with every frame. */
export type StringKey =
  | 'transcript'
  | 'you'
  | 'assistant'
  | 'queued'
  | 'loadOlder'
  | 'loadNewer'
  | 'jumpToLatest'
  | 'thinking'
  | 'thoughtFor'
  | 'thought'
  | 'showMore'
  | 'showLess'
  | 'openFullOutput'
  | 'copy'
  | 'copied'
  | 'copyCode'
  | 'cancel'
  | 'stop'
  | 'stateProposed'
  | 'stateReviewing'
  | 'stateWaiting'
  | 'stateRunning'
  | 'stateSucceeded'
  | 'stateFailed'
  | 'stateDenied'
  | 'stateCancelled'
  | 'stateUnknown'
  | 'cardName'
  | 'cardNameLocal'
  | 'needsDecision'
  | 'needsDecisionOf'
  | 'runOnAs'
  | 'runOn'
  | 'runLocally'
  | 'differentHost'
  | 'beforeOn'
  | 'exactText'
  | 'deny'
  | 'denyWithReason'
  | 'denyReason'
  | 'denyReasonHint'
  | 'back'
  | 'allowOnce'
  | 'allowForConversation'
  | 'grantHint'
  | 'edit'
  | 'editedText'
  | 'useEdit'
  | 'editHint'
  | 'editedByYou'
  | 'approveKeys'
  | 'readToEnd'
  | 'approvalAnnouncement'
  | 'tooLargeToShow'
  | 'inConversation'
  | 'asksYou'
  | 'asksYouOf'
  | 'question'
  | 'questionsAnnouncement'
  | 'chooseOne'
  | 'chooseSeveral'
  | 'recommended'
  | 'ownWords'
  | 'yourAnswer'
  | 'sendAnswers'
  | 'answerKeys'
  | 'answerSome'
  | 'doNotAnswer'
  | 'openUntil'
  | 'messageInstead'
  | 'questionsName'
  | 'waitsForAnswer'
  | 'noAnswer'
  | 'runAnnouncement'
  | 'loopReached'
  | 'loopHint'
  | 'turnsReached'
  | 'costReached'
  | 'moreTurns'
  | 'moreCost'
  | 'goOn'
  | 'stopRun'
  | 'plan'
  | 'planName'
  | 'planPending'
  | 'planImplemented'
  | 'planDiscarded'
  | 'planSuperseded'
  | 'implement'
  | 'discard'
  | 'openPlanFile'
  | 'planWhileRunning'
  | 'showPlan'
  | 'hidePlan'
  | 'planMode'
  | 'planModeOn'
  | 'composerPlaceholderPlanning'
  | 'tasks'
  | 'tasksDone'
  | 'taskPending'
  | 'taskInProgress'
  | 'taskCompleted'
  | 'compacted'
  | 'composer'
  | 'composerPlaceholder'
  | 'composerPlaceholderRunning'
  | 'composerTools'
  | 'send'
  | 'pickMode'
  | 'pickModel'
  | 'noModel'
  | 'context'
  | 'contextOf'
  | 'tooLong'
  | 'requestTimedOut'
  | 'newConversation'
  | 'history'
  | 'error'
  | 'warning'
  | 'info'
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'milliseconds';
export type Strings = Readonly<Record<StringKey, string>>;
