import type { JsonObject } from './json.ts';
import type { ToolMessage } from './message.ts';
import type { ModelRequest } from './model.ts';
import type { ToolContext, ToolDescriptor, ToolOutcome } from './tool.ts';

/** Runs around the gate, never inside it. Source: seed 1, "Extension points". */
export interface LoopHook {
  /** The first block wins; the sentence answers the call. */
  willExecute?(
    call: { readonly descriptor: ToolDescriptor; readonly arguments: JsonObject },
    context: ToolContext,
  ): Promise<{ readonly kind: 'continue' } | { readonly kind: 'block'; readonly sentence: string }>;
  /** In order; each sees the former's output; also for denied and blocked calls. */
  didExecute?(
    call: { readonly descriptor: ToolDescriptor; readonly arguments: JsonObject },
    outcome: ToolOutcome,
  ): Promise<ToolOutcome>;
  /** Asked after each batch; true completes the run. */
  shouldStop?(batch: readonly ToolMessage[]): boolean;
}

/** Shapes one request at the model boundary; stored history keeps everything. */
export interface ContextTransform {
  transform(request: ModelRequest): ModelRequest;
}
