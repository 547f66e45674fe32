/**
 * What the assistant webview and the extension host say to each other. The host owns all state; the webview is a screen.
 * Limits are part of the contract. Source: vscode.md section 5; ui.md section 2.
 */
export const protocolVersion = 1;

export const limits = {
  /** Rows in the DOM at most; older and newer rows come in pages. */
  windowRows: 200,
  pageRows: 50,
  frameBytes: 512 * 1024,
  deltaBytes: 64 * 1024,
  flushMs: 50,
  messageBytes: 64 * 1024,
  requestTimeoutMs: 10_000,
  pingMs: 5_000,
  missedPongs: 2,
} as const;

export type CardState =
  'proposed' | 'waiting' | 'running' | 'succeeded' | 'failed' | 'denied' | 'cancelled' | 'unknown';

/** Folded text of a card: whole lines only. `text` is what is shown now; the rest is asked for with `expand`. */
export interface CardBody {
  readonly text: string;
  readonly shownLines: number;
  readonly retainedLines: number;
  readonly side: 'head' | 'tail';
  /** The frozen marker of the result, shown above the control; never written here. */
  readonly marker: string | undefined;
}

export interface UserRow {
  readonly kind: 'user';
  readonly id: string;
  readonly text: string;
  readonly at: number;
  /** Waits for the next turn boundary. */
  readonly queued: boolean;
}

export interface AssistantRow {
  readonly kind: 'assistant';
  readonly id: string;
  readonly markdown: string;
  readonly reasoning: string;
  readonly reasoningMs: number | undefined;
  readonly streaming: boolean;
}

export interface CardRow {
  readonly kind: 'card';
  readonly id: string;
  readonly symbol: string;
  readonly state: CardState;
  /** The exact command or the tool's own words. */
  readonly title: string;
  readonly target: string;
  readonly identity: string;
  readonly tier: string;
  readonly durationMs: number | undefined;
  /** `exit 1`, `signal TERM`, `outcome unknown`; localised by the host. */
  readonly result: string | undefined;
  readonly body: CardBody | undefined;
  /** Scratch-relative path of the captured full output. */
  readonly fullOutputPath: string | undefined;
  /** Why it was denied, failed or is unknown, one sentence. */
  readonly reason: string | undefined;
  readonly canCancel: boolean;
}

export interface NoticeRow {
  readonly kind: 'notice';
  readonly id: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly action: { readonly id: NoticeAction; readonly label: string } | undefined;
}
export type NoticeAction = 'retry' | 'openSettings' | 'setKey' | 'reload' | 'clearScratch';

export type Row = UserRow | AssistantRow | CardRow | NoticeRow;

/** The oldest decision that waits; exactly one is shown. */
export interface ApprovalCard {
  readonly approvalId: string;
  readonly digest: string;
  readonly position: number;
  readonly count: number;
  readonly toolName: string;
  readonly symbol: string;
  readonly action: string;
  readonly target: string;
  readonly identity: string;
  readonly tier: string;
  readonly targetChanged: boolean;
  readonly reasons: readonly string[];
  readonly details: readonly { readonly label: string; readonly value: string }[];
  /** The last commands of this conversation on this host, newest last. */
  readonly before: readonly string[];
}

/** What is waited for, since when, and the way out. */
export interface Status {
  readonly text: string;
  readonly since: number;
  readonly cancel: 'stop' | undefined;
  readonly busy: boolean;
}

export interface Composer {
  readonly enabled: boolean;
  readonly disabledReason: string | undefined;
  readonly mode: 'ask' | 'review' | 'full';
  readonly modes: readonly {
    readonly id: 'ask' | 'review' | 'full';
    readonly label: string;
    readonly available: boolean;
  }[];
  readonly model: string;
  readonly running: boolean;
  readonly contextTokens: number | undefined;
  readonly contextWindow: number | undefined;
}

export interface EmptyState {
  readonly lines: readonly string[];
  readonly examples: readonly string[];
  readonly disclosure: string;
}

export interface Frame {
  readonly conversationId: string | undefined;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly status: Status | undefined;
  readonly approval: ApprovalCard | undefined;
  readonly composer: Composer;
  readonly empty: EmptyState | undefined;
}

export type DeltaOp =
  | { readonly op: 'upsert'; readonly row: Row; readonly after: string | undefined }
  | { readonly op: 'remove'; readonly id: string }
  | { readonly op: 'appendMarkdown'; readonly id: string; readonly text: string }
  | { readonly op: 'appendReasoning'; readonly id: string; readonly text: string }
  | { readonly op: 'title'; readonly title: string }
  | { readonly op: 'status'; readonly status: Status | undefined }
  | { readonly op: 'approval'; readonly approval: ApprovalCard | undefined }
  | { readonly op: 'composer'; readonly composer: Composer };

export type ReplyValue =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rows'; readonly rows: readonly Row[]; readonly hasMore: boolean }
  | { readonly kind: 'body'; readonly text: string; readonly next: number | undefined };

export type ToWebview =
  | {
      readonly kind: 'frame';
      readonly protocol: number;
      readonly generation: number;
      readonly seq: number;
      readonly strings: Readonly<Record<string, string>>;
      readonly frame: Frame;
    }
  | {
      readonly kind: 'delta';
      readonly generation: number;
      readonly seq: number;
      readonly ops: readonly DeltaOp[];
    }
  | { readonly kind: 'ping'; readonly n: number }
  | { readonly kind: 'focusComposer'; readonly text: string | undefined }
  | { readonly kind: 'reply'; readonly requestId: number; readonly value: ReplyValue }
  | { readonly kind: 'refused'; readonly requestId: number; readonly reason: string };

/** Requests carry `requestId` and are answered by `reply` or `refused` within `requestTimeoutMs`. */
export type FromWebview =
  | { readonly kind: 'hello'; readonly protocol: number }
  | { readonly kind: 'resync'; readonly generation: number; readonly afterSeq: number }
  | { readonly kind: 'pong'; readonly n: number }
  | { readonly kind: 'send'; readonly requestId: number; readonly text: string }
  | { readonly kind: 'stop' }
  | {
      readonly kind: 'decide';
      readonly approvalId: string;
      readonly shownDigest: string;
      readonly verdict: 'approve' | 'deny';
      readonly reason: string | undefined;
    }
  | {
      readonly kind: 'page';
      readonly requestId: number;
      readonly anchor: string;
      readonly direction: 'older' | 'newer';
    }
  | { readonly kind: 'expand'; readonly requestId: number; readonly rowId: string; readonly fromLine: number }
  | { readonly kind: 'copy'; readonly rowId: string }
  | { readonly kind: 'cancelCard'; readonly rowId: string }
  | { readonly kind: 'openScratch'; readonly path: string }
  | { readonly kind: 'openLink'; readonly url: string }
  | { readonly kind: 'setMode'; readonly mode: 'ask' | 'review' | 'full' }
  | { readonly kind: 'pickModel' }
  | { readonly kind: 'newConversation' }
  | { readonly kind: 'openHistory' }
  | { readonly kind: 'act'; readonly action: NoticeAction; readonly rowId: string };
