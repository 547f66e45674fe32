import type { ApprovalRequestInput } from './approval.ts';
import { changedArguments } from './approvalEdit.ts';
import { judged, tightened, type ApprovalRules } from './approvalRules.ts';
import type { ActionInQuestion, Authorization, AuthorizationStage, Reclassify } from './authorization.ts';
import { isAborted, untilAborted, type ClockPort } from './clock.ts';
import { codedError, quoteForeign } from './codedError.ts';
import type { EventChannel } from './eventChannel.ts';
import type { LoopHook } from './hooks.ts';
import { toolResultMessageId, type ConversationId, type RunId } from './ids.ts';
import { parseJsonObject, sortedJson } from './json.ts';
import { DisposableBag } from './lifetime.ts';
import type { CallOutcome, ToolCall, ToolMessage } from './message.ts';
import type { ProjectionPort } from './output/projectionPort.ts';
import {
  callTexts,
  readyCall,
  rejectedCall,
  type AnsweredCall,
  type PlannedCall,
  type ReadyCall,
} from './plannedCall.ts';
import type { Redactor } from './redactor.ts';
import type { RunLedger } from './runLedger.ts';
import { withExpiredSecrets, withoutHandle } from './secrets/expiredSecrets.ts';
import type { RunSecrets } from './secrets/secretBroker.ts';
import type { ToolServices } from './services.ts';
import type {
  OutputPolicies,
  ToolContext,
  ToolDescriptor,
  ToolMode,
  ToolOutcome,
  ToolPresentation,
} from './tool.ts';
import { qualifiedName, type ToolRegistry } from './toolRegistry.ts';

export interface ToolExecutorOptions {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly registry: ToolRegistry;
  readonly mode: ToolMode;
  /** Why a tool may not be used for this message, as one sentence; undefined when it may. */
  readonly unavailable: (descriptor: ToolDescriptor) => string | undefined;
  readonly hooks: readonly LoopHook[];
  readonly authorization: Pick<AuthorizationStage, 'authorize' | 'decide'>;
  /** A call that they put to the user holds the others of its turn back. */
  readonly rules?: ApprovalRules | undefined;
  readonly projector: ProjectionPort;
  readonly outputPolicies: OutputPolicies;
  readonly redactor: Redactor;
  readonly secrets: RunSecrets;
  readonly services: ToolServices;
  readonly channel: EventChannel;
  readonly ledger: RunLedger;
  readonly clock: ClockPort;
  readonly userIntent: () => string;
  readonly whenUserInterjects: () => Promise<void>;
  readonly log: (message: string, cause: unknown) => void;
}

type Answer = Pick<ToolMessage, 'text' | 'isError' | 'presentation'>;

/** How steps 6 to 9 ended: with an outcome for the hooks and the projection, or given up because of Stop. */
type Ending =
  | {
      readonly kind: 'ended';
      readonly outcome: CallOutcome;
      readonly result: ToolOutcome;
      readonly ranMs?: number;
    }
  | {
      readonly kind: 'abandoned';
      readonly outcome: CallOutcome;
      readonly sentence: string;
      readonly ranMs?: number;
    };

/**
 * Takes one call from what the model wrote to one frozen answer, in the order of the contract: known tool, available, schema,
 * preflight, card, hooks, authorization, `toolStarted`, execution, hooks, projection, answer. Nothing is dispatched before its
 * `toolStarted` is stored. Neither method rejects: whatever goes wrong becomes the answer of the call.
 * Source: agent runtime contract, section 5; seed 1.
 */
export class ToolExecutor {
  readonly #options: ToolExecutorOptions;

  constructor(options: ToolExecutorOptions) {
    this.#options = options;
  }

  /** Steps 1 to 5. Always proposes the card. */
  async plan(call: ToolCall, signal: AbortSignal): Promise<PlannedCall> {
    const planned = await this.#checkOrReject(call, signal);
    this.#propose(planned);
    return planned;
  }

  /** A call that must not run, with the sentence that answers it. Proposes the card. */
  refuse(call: ToolCall, sentence: string): PlannedCall {
    const planned = rejectedCall(call, sentence, 'cancelled');
    this.#propose(planned);
    return planned;
  }

  /** Steps 6 to 13. Always finishes the card. */
  async run(planned: PlannedCall, signal: AbortSignal): Promise<AnsweredCall> {
    const { call } = planned;
    if (planned.kind === 'rejected') return this.#finish(call, planned, this.#plain(planned.sentence));
    const { performed, ending } = isAborted(signal)
      ? { performed: planned, ending: cancelled }
      : await this.#perform(planned, signal);
    if (ending.kind === 'abandoned') return this.#finish(call, ending, this.#plain(ending.sentence));
    const result = withEdit(await this.#afterHooks(performed, ending.result), planned, performed);
    const outcome = ending.outcome === 'succeeded' && result.kind !== 'success' ? 'failed' : ending.outcome;
    return this.#finish(call, { ...ending, outcome }, await this.#project(performed, result));
  }

  async #checkOrReject(call: ToolCall, signal: AbortSignal): Promise<PlannedCall> {
    if (isAborted(signal)) return rejectedCall(call, callTexts.cancelled, 'cancelled');
    try {
      return await this.#check(call, signal);
    } catch (error) {
      if (isAborted(signal)) return rejectedCall(call, callTexts.cancelled, 'cancelled');
      return rejectedCall(call, this.#failureSentence(error));
    }
  }

  // Steps 1 to 4.
  async #check(call: ToolCall, signal: AbortSignal): Promise<PlannedCall> {
    const { registry, mode, unavailable } = this.#options;
    const tool = registry.find(call.name);
    if (tool === undefined) return rejectedCall(call, `There is no tool named ${quoteForeign(call.name)}.`);
    const { descriptor } = tool;
    if (!descriptor.modes.includes(mode))
      return rejectedCall(call, `The tool ${descriptor.name} is not available while ${mode}.`);
    const reason = unavailable(descriptor);
    if (reason !== undefined) return rejectedCall(call, reason);
    const raw = call.argumentsText.trim() === '' ? {} : parseJsonObject(call.argumentsText);
    if (raw === undefined)
      return rejectedCall(call, 'Invalid arguments: they are not one JSON object. The call was not run.');
    const checked = tool.validate(raw);
    if (!checked.ok) return rejectedCall(call, `Invalid arguments: ${checked.problem}`);
    return this.#preflight({ call, tool, arguments: checked.value }, signal);
  }

  async #preflight(
    checked: Pick<ReadyCall, 'call' | 'tool' | 'arguments'>,
    signal: AbortSignal,
  ): Promise<PlannedCall> {
    const { call, tool } = checked;
    const waiting = new DisposableBag();
    try {
      const context = this.#context(call, { signal, waiting, facts: new Map(), action: undefined });
      const preflight = (await untilAborted(tool.preflight?.(checked.arguments, context), signal)) ?? {};
      if (preflight.refusal !== undefined) return rejectedCall(call, preflight.refusal);
      const ready = readyCall(checked, preflight);
      const isTightened = tightened(ready.action, judged(ready.action, this.#options.rules)) !== ready.action;
      return isTightened ? { ...ready, concurrency: 'sequential' } : ready;
    } finally {
      waiting.dispose();
    }
  }

  // Step 5.
  #propose(planned: PlannedCall): void {
    const { registry, redactor, channel } = this.#options;
    const { call } = planned;
    const args = planned.kind === 'ready' ? planned.arguments : (parseJsonObject(call.argumentsText) ?? {});
    const presentation = registry.find(call.name)?.descriptor.presentation ?? unknownToolPresentation;
    channel.emit({
      kind: 'toolProposed',
      call: {
        callId: call.id,
        toolName: call.name,
        arguments: redactor.redactJson(withoutHandle(args)),
        presentation,
        ...(planned.kind === 'ready' && { subject: redactor.redactJson(planned.action.subject) }),
      },
    });
  }

  /** Steps 6 to 9. `performed` is the call that was allowed: the person may have written another version of it. */
  async #perform(
    planned: ReadyCall,
    signal: AbortSignal,
  ): Promise<{ readonly performed: ReadyCall; readonly ending: Ending }> {
    const { clock } = this.#options;
    const waiting = new DisposableBag();
    let performed = planned;
    try {
      const cleared = await this.#clear(planned, { signal, waiting }).catch((error: unknown) =>
        failed('failed', this.#failureSentence(error)),
      );
      if (isAborted(signal)) return { performed, ending: cancelled };
      if (cleared.kind !== 'ready') return { performed, ending: cleared };
      performed = cleared;
      const dispatchedAt = clock.monotonic();
      const ending = await this.#dispatch(performed, this.#contextOf(performed, { signal, waiting }));
      return { performed, ending: { ...ending, ranMs: clock.monotonic() - dispatchedAt } };
    } finally {
      waiting.dispose();
    }
  }

  /** Steps 6 to 8: everything that may keep the call from being dispatched. The call to dispatch when it may run. */
  async #clear(
    planned: ReadyCall,
    scope: { readonly signal: AbortSignal; readonly waiting: DisposableBag },
  ): Promise<Ending | ReadyCall> {
    const { signal } = scope;
    const versions = new Map([[planned.action, { ready: planned, sealed: sortedJson(planned.arguments) }]]);
    const block = await this.#block(planned, this.#contextOf(planned, scope));
    if (block !== undefined) return failed('denied', block);
    const onEdit = (ready: ReadyCall): void => {
      versions.set(ready.action, { ready, sealed: sortedJson(ready.arguments) });
    };
    const question = { ...planned.action, edit: this.#editOf(planned, scope, onEdit) };
    const answer = await this.#options.authorization.authorize(question, signal);
    if (isAborted(signal)) return cancelled;
    if (!answer.allowed) return failed('denied', answer.sentence);
    const { action = planned.action } = answer;
    const version = versions.get(action);
    if (version === undefined || sortedJson(version.ready.arguments) !== version.sealed)
      return failed('denied', changedSinceShown);
    const { content } = action;
    if (content !== undefined && (await untilAborted(content.digestNow(signal), signal)) !== content.sha256)
      return failed('denied', changedContent);
    const problem = await this.#recordStart(planned.call, answer);
    return problem === undefined ? version.ready : failed('failed', problem);
  }

  /** Lets a person write the call anew: the same checks as for what the model wrote, hooks included. */
  #editOf(
    written: ReadyCall,
    scope: { readonly signal: AbortSignal; readonly waiting: DisposableBag },
    onEdit: (ready: ReadyCall) => void,
  ): NonNullable<ActionInQuestion['edit']> {
    const { call, tool } = written;
    const reclassify: Reclassify = async (args, signal) => {
      try {
        const checked = tool.validate(args);
        if (!checked.ok) return { ok: false, problem: `Invalid arguments: ${checked.problem}` };
        const planned = await this.#preflight({ call, tool, arguments: checked.value }, signal);
        if (planned.kind === 'rejected') return { ok: false, problem: planned.sentence };
        const block = await this.#block(planned, this.#contextOf(planned, { ...scope, signal }));
        if (block !== undefined) return { ok: false, problem: block };
        const onShown = (): void => this.#propose(planned);
        const action = { ...planned.action, edit: { ...this.#editOf(planned, scope, onEdit), onShown } };
        const ready: ReadyCall = { ...planned, action };
        onEdit(ready);
        return { ok: true, action: ready.action };
      } catch (error) {
        return { ok: false, problem: this.#failureSentence(error) };
      }
    };
    return { written: written.written, reclassify };
  }

  #contextOf(
    { call, facts, action }: ReadyCall,
    scope: { readonly signal: AbortSignal; readonly waiting: DisposableBag },
  ): ToolContext {
    return this.#context(call, { ...scope, facts, action });
  }

  // Step 9.
  async #dispatch(planned: ReadyCall, context: ToolContext): Promise<Ending> {
    try {
      const running = planned.tool.execute(planned.arguments, context);
      const result = await untilAborted(running, context.signal);
      return { kind: 'ended', outcome: 'succeeded', result };
    } catch (error) {
      if (isAborted(context.signal))
        return { kind: 'abandoned', outcome: 'unknown', sentence: callTexts.stopped };
      return failed('failed', this.#failureSentence(error));
    }
  }

  /** Step 6: the first block wins. A hook that fails blocks. */
  async #block(planned: ReadyCall, context: ToolContext): Promise<string | undefined> {
    const call = { descriptor: planned.tool.descriptor, arguments: planned.arguments };
    for (const hook of this.#options.hooks) {
      try {
        const verdict = await untilAborted(hook.willExecute?.(call, context), context.signal);
        if (verdict?.kind === 'block') return verdict.sentence;
      } catch (error) {
        this.#options.log('a hook failed in front of a call', error);
        return 'A check in front of this call failed, so it did not run.';
      }
    }
    return undefined;
  }

  /** Step 8. A sentence when the start could not be stored. */
  async #recordStart(
    call: ToolCall,
    { ground, mode, digest }: Extract<Authorization, { allowed: true }>,
  ): Promise<string | undefined> {
    try {
      await this.#options.channel.commit({
        kind: 'toolStarted',
        callId: call.id,
        toolName: call.name,
        ground,
        mode,
        ...(digest !== undefined && { digest }),
      });
      return undefined;
    } catch (error) {
      const reason = codedError(error)?.sentence ?? 'The store failed.';
      return `This call did not run because its start could not be recorded. ${reason}`;
    }
  }

  /** Step 10. A hook that fails leaves the outcome as it was. */
  async #afterHooks(planned: ReadyCall, result: ToolOutcome): Promise<ToolOutcome> {
    const call = { descriptor: planned.tool.descriptor, arguments: planned.arguments };
    let current = result;
    for (const hook of this.#options.hooks) {
      try {
        current = (await hook.didExecute?.(call, current)) ?? current;
      } catch (error) {
        this.#options.log('a hook failed behind a call', error);
      }
    }
    return current;
  }

  // Steps 11 and 12.
  async #project(planned: ReadyCall, result: ToolOutcome): Promise<Answer> {
    const { projector, outputPolicies, redactor, runId, conversationId } = this.#options;
    const { descriptor } = planned.tool;
    const policy = outputPolicies[qualifiedName(descriptor)] ?? { strategy: 'head' };
    const shown = result.kind !== 'foreignFailure' && result.presentation;
    try {
      const context = { runId, conversationId, toolName: descriptor.name };
      const { text, isError, capturedPath } = await projector.project({
        descriptor,
        policy,
        outcome: result,
        context,
      });
      const presentation = {
        ...(shown && redactor.redactJson(shown)),
        ...(capturedPath !== undefined && { fullOutputPath: capturedPath }),
      };
      return { text, isError, ...(Object.keys(presentation).length > 0 && { presentation }) };
    } catch (error) {
      this.#options.log('a result could not be projected', error);
      return this.#plain(
        'The result of this call cannot be shown. The action itself ended; check its effect.',
      );
    }
  }

  // Step 13.
  #finish(call: ToolCall, end: Pick<Ending, 'outcome' | 'ranMs'>, answer: Answer): AnsweredCall {
    const { runId, clock, channel } = this.#options;
    const { outcome, ranMs } = end;
    const message: ToolMessage = {
      role: 'tool',
      id: toolResultMessageId(runId, call.id),
      runId,
      createdAt: clock.now(),
      callId: call.id,
      toolName: call.name,
      ...answer,
      outcome,
      ...(ranMs !== undefined && { durationMs: Math.round(ranMs) }),
    };
    channel.emit({ kind: 'toolFinished', message: withExpiredSecrets(message), outcome });
    return { call, message, outcome, ranMs: ranMs ?? 0 };
  }

  #plain(sentence: string): Answer {
    return { text: this.#options.redactor.redact(sentence), isError: true };
  }

  #failureSentence(error: unknown): string {
    const known = codedError(error);
    if (known !== undefined) return known.sentence;
    const text = error instanceof Error ? error.message : String(error);
    return `The tool failed: ${quoteForeign(this.#options.redactor.redact(text))}.`;
  }

  #context(
    call: ToolCall,
    scope: {
      readonly signal: AbortSignal;
      readonly waiting: DisposableBag;
      readonly facts: ReadonlyMap<string, unknown>;
      readonly action: ActionInQuestion | undefined;
    },
  ): ToolContext {
    const { runId, conversationId, services, redactor, secrets, channel, ledger, authorization } =
      this.#options;
    return {
      runId,
      conversationId,
      callId: call.id,
      toolName: call.name,
      userIntent: this.#options.userIntent(),
      services,
      redactor,
      secrets,
      preflightFacts: scope.facts,
      signal: scope.signal,
      whenUserInterjects: this.#options.whenUserInterjects,
      authorize: async (request: ApprovalRequestInput) =>
        scope.action === undefined
          ? { verdict: 'deny', reason: 'Nothing is authorized before the call itself.', by: 'runtime' }
          : authorization.decide({ ...scope.action, ...request }, scope.signal),
      waiting: (what) =>
        scope.waiting.add(ledger.hold(what === 'host' ? 'waitingForHost' : 'waitingForUser')),
      announce: (event) => channel.emit(redactor.redactJson(event)),
      report: (partial) =>
        channel.emit({ kind: 'toolProgress', callId: call.id, partial: redactor.redactJson(partial) }),
    };
  }
}

const cancelled: Ending = { kind: 'abandoned', outcome: 'cancelled', sentence: callTexts.cancelled };

function failed(outcome: CallOutcome, sentence: string): Ending {
  return { kind: 'ended', outcome, result: { kind: 'failure', sentence } };
}

const changedSinceShown = 'This call was changed after it was shown, so it did not run.';
const changedContent = 'What this call would send was changed after it was shown, so it did not run.';

/** Tells the model what the person made of its call. */
function withEdit(result: ToolOutcome, planned: ReadyCall, performed: ReadyCall): ToolOutcome {
  if (performed === planned) return result;
  const changed = changedArguments(planned.written, performed.written);
  if (Object.keys(changed).length === 0) return result;
  if (result.kind === 'failure')
    return {
      ...result,
      sentence: `${result.sentence} The user had changed the call to ${quoteForeign(sortedJson(changed))}.`,
    };
  return { ...result, fields: { ...result.fields, edited_by_user: changed } };
}

const unknownToolPresentation: ToolPresentation = {
  symbol: 'question',
  activity: '',
  actionKind: 'unknown',
  groupsWithAdjacent: false,
};
