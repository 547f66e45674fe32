import type { z } from 'zod';
import type { ApprovalRequestInput, Decision } from './approval.ts';
import type { CallCapture, CaptureResult } from './capture/callCapture.ts';
import type { AgentEventBody } from './events.ts';
import type { GrantShape } from './grants.ts';
import type { CallId, ConversationId, RunId } from './ids.ts';
import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { Disposable } from './lifetime.ts';
import type { Redactor } from './redactor.ts';
import type { RunSecrets } from './secrets/secretBroker.ts';
import type { ToolServices } from './services.ts';

/** Safety belongs to the call and is established locally. Source: seed 1; agent runtime contract, section 11. */
export type Safety = 'locallyReadOnly' | 'locallyContained' | 'requiresAuthorization' | 'deny';
export type Concurrency = 'parallel' | 'sequential';
export type ToolMode = 'planning' | 'acting' | 'reviewing';
export type ToolTarget = 'local' | 'host' | 'network' | 'user' | 'mcp';

/** The one field of a result that is cut by lines. Source: sections 8.1 and 8.3. */
export interface BodySpec {
  readonly field: string;
  readonly kind: 'text' | 'items' | 'records';
  /** For `records`: the field of a record whose lines are counted. */
  readonly textField?: string;
  readonly paging?: 'next_offset' | 'cursor';
}

/** Raw card values are stored and never renamed. */
export interface ToolPresentation {
  readonly symbol: string;
  readonly activity: string;
  readonly presenterId?: string;
  readonly actionKind: string;
  readonly groupsWithAdjacent: boolean;
}

export interface ToolDescriptor {
  readonly name: string;
  /** Only for MCP; the qualified name is then `${namespace}.${name}`. */
  readonly namespace?: string;
  readonly summary: string;
  readonly inputSchema: JsonSchema;
  readonly target: ToolTarget;
  readonly safety: Safety;
  readonly alwaysAskUser?: boolean;
  /** Default `sequential`. */
  readonly concurrency: Concurrency;
  /** Default planning and acting. */
  readonly modes: readonly ToolMode[];
  readonly body?: BodySpec;
  /** Metadata that may be dropped first, in this order, when a result is too large (section 8.6). */
  readonly droppable?: readonly string[];
  /** Fields the loop guard ignores when it compares results (section 3.5). */
  readonly volatile?: readonly string[];
  /** A success ends the run when its turn is over. */
  readonly endsRun?: boolean;
  /** It takes a `secret_handle`, for these purposes (section 13). */
  readonly secretPurposes?: readonly string[];
  /** The text argument that a person edits in a card; absent = all arguments as JSON. */
  readonly editedArgument?: string;
  readonly presentation: ToolPresentation;
}

export type OutputStrategy = 'head' | 'tail' | 'middle' | 'none' | 'bypass';

export interface CaptureContext {
  readonly conversationId?: ConversationId;
  readonly runId: RunId;
  readonly toolName: string;
}

/** How a tool's result is cut, and where its full text goes. The path is complete and scratch-relative. Source: seed 0. */
export interface OutputPolicy {
  readonly strategy: OutputStrategy;
  readonly capturePath?: (context: CaptureContext) => string;
}

/** By qualified tool name; a tool without an entry uses `head` without capture (section 8.4). */
export type OutputPolicies = Readonly<Record<string, OutputPolicy>>;

/** What tools tell views of themselves. */
export type ToolAnnouncement = Extract<
  AgentEventBody,
  { kind: 'userInputRequested' | 'planPresented' | 'tasksUpdated' }
>;

/** What a host lends its tools: typed keys, see `services.ts`. */
export interface ToolContext {
  readonly runId: RunId;
  readonly conversationId?: ConversationId;
  readonly callId: CallId;
  readonly toolName: string;
  readonly userIntent: string;
  readonly services: ToolServices;
  readonly redactor: Redactor;
  /** What the user typed for tools of this run. */
  readonly secrets: RunSecrets;
  /** Where output that is captured while it arrives goes; absent when the policy of this tool captures nothing. */
  readonly capture?: CallCapture;
  /** Execution-only: set by preflight; never in arguments, replay, views or store. */
  readonly preflightFacts: ReadonlyMap<string, unknown>;
  /** Stop. */
  readonly signal: AbortSignal;
  /** Resolves when steering is queued; at once if it already is. */
  whenUserInterjects(): Promise<void>;
  /** Asks again in mid-call. No decision is a denial. */
  authorize(request: ApprovalRequestInput): Promise<Decision>;
  /**
   * Shows that this call waits for a host (connecting, host key, credential) or for the user, until the result is disposed. Says
   * nothing about what is asked: prompts never travel through the event channel.
   */
  waiting(what: 'host' | 'user'): Disposable;
  /** An event of the call's own. Redacted here. */
  announce(event: ToolAnnouncement): void;
  /** Progress for views only. */
  report(partial: JsonObject): void;
}

/** What preflight may decide about one call. Everything absent stays as the descriptor says. */
export interface Preflight {
  /** The arguments as reviewed, shown, digested and executed; absent = unchanged. */
  readonly reviewedArguments?: JsonObject;
  readonly safety?: Safety;
  readonly alwaysAskUser?: boolean;
  readonly concurrency?: Concurrency;
  /** Local reasons in words, shown in the card; the first is the main one. */
  readonly reasons?: readonly string[];
  /** What the approval card shows about the target and the action (host, user, command …), part of the digest. */
  readonly subject?: ApprovalSubject;
  readonly facts?: ReadonlyMap<string, unknown>;
  /** The shape that a person may allow for the whole conversation; absent = each call is asked about. */
  readonly grantable?: GrantShape;
  /** Content that the call carries and that is not shown in full. */
  readonly content?: ApprovedContent;
  /** Ends the call with this sentence, before the card and the gate. */
  readonly refusal?: string;
}

/** Content that is approved by its digest. Source: agent runtime contract, sections 10 and 11. */
export interface ApprovedContent {
  /** SHA-256 (hex) of what will be sent, as preflight found it. */
  readonly sha256: string;
  /** The same of what would be sent now; asked once more before the call is dispatched, and another digest refuses it. */
  readonly digestNow: (signal: AbortSignal) => Promise<string>;
}

export interface ApprovalSubject {
  /** What will run, exactly, for example the command line. */
  readonly action: string;
  /** Where it will run, for example `lab`; empty for local actions. */
  readonly target: string;
  /** Stable id of the target, for the "different host than before" mark. */
  readonly targetId: string;
  /** As whom, for example `root`. */
  readonly identity: string;
  /** `prod`, `stage`, `dev` or empty. */
  readonly tier: string;
  /** Further lines, for example the working folder. */
  readonly details: readonly { readonly label: string; readonly value: string }[];
}

/**
 * A success, or one plain sentence. A success is metadata plus at most one body field of the descriptor's kind.
 * Source: section 8.1.
 */
export type ToolOutcome =
  | {
      readonly kind: 'success';
      /** Metadata without the body field and without any field the projection owns. */
      readonly fields: JsonObject;
      readonly body?: ToolBody;
      /** Only for text that is trusted as it stands (`SKILL.md`): overrides the tool's output policy for this one result. */
      readonly strategy?: 'bypass';
      readonly presentation?: JsonObject;
    }
  | { readonly kind: 'failure'; readonly sentence: string; readonly presentation?: JsonObject }
  /** MCP results flagged as error: foreign text stays enveloped. */
  | { readonly kind: 'foreignFailure'; readonly fields: JsonObject; readonly body: ToolBody };

export interface ToolBody {
  /** Text for `text`, an array for `items` and `records`. Already redacted by the tool or redacted by the executor; redaction is idempotent. */
  readonly content: string | readonly Json[];
  /** Source number of the first line or item of `content`. Default 1. */
  readonly firstLine?: number;
  /** Lines or items of the whole source; null when unknown; absent = those of `content`. */
  readonly totalLines?: number | null;
  /** The source stopped before its end (its own page limit), so more follows. */
  readonly hasMore?: boolean;
  /**
   * For `paging: 'cursor'`: the continuation behind item k of `content` (0 = before the first) and, for records, behind that many
   * lines of the next item's text. At most 512 characters.
   */
  readonly cursorAfter?: (kept: number, keptTextLines: number) => string | null;
  /** For `paging: 'next_offset'` where the offset does not count lines from `firstLine`; same arguments. */
  readonly offsetAfter?: (kept: number, keptTextLines: number) => number | null;
  /** A paginated source met a line that can never fit, before anything else on the page: `content` is then empty. */
  readonly skippedLine?: { readonly line: number; readonly bytes: number };
  /** The whole text behind a body that is itself only the kept part of a stream; see `outputCollector.ts`. */
  readonly full?: FullText;
}

/** The redacted text behind a body that may hold only its last lines. Used at most once, and only when truncation is certain. */
export interface FullText {
  /** True when `content` is all of it. */
  readonly isWhole: boolean;
  /**
   * Saves it as the capture of the call, or finishes the file it was written to while it arrived; either holds the text through
   * the moment the body was made, and nothing later. Never rejects.
   */
  save(capture: CallCapture, signal: AbortSignal): Promise<CaptureResult>;
}

export interface Tool {
  readonly descriptor: ToolDescriptor;
  /** Checks raw arguments. `null` for an optional property counts as omitted. */
  readonly validate: (
    raw: JsonObject,
  ) => { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly problem: string };
  preflight?(args: JsonObject, context: ToolContext): Promise<Preflight>;
  execute(args: JsonObject, context: ToolContext): Promise<ToolOutcome>;
}

/** Declares a tool whose one zod object checks the arguments and prints the schema. See `defineTool.ts`. */
export interface ToolDefinition<S extends z.ZodObject> {
  readonly input: S;
  readonly descriptor: Omit<ToolDescriptor, 'inputSchema' | 'modes' | 'concurrency'> &
    Partial<Pick<ToolDescriptor, 'modes' | 'concurrency'>>;
  preflight?(args: z.output<S>, context: ToolContext): Promise<Preflight>;
  execute(args: z.output<S>, context: ToolContext): Promise<ToolOutcome>;
}
