import type { ClockPort } from '../clock.ts';
import { EventChannel } from '../eventChannel.ts';
import type { ConversationId, RunId } from '../ids.ts';
import type { Redactor } from '../redactor.ts';
import { RunLedger } from '../runLedger.ts';
import { SecretBroker } from '../secrets/secretBroker.ts';
import type { ToolServices } from '../services.ts';
import type { OutputPolicies } from '../tool.ts';
import { ToolExecutor } from '../toolExecutor.ts';
import type { ToolRegistry } from '../toolRegistry.ts';
import { readOnlyGate } from './readOnlyGate.ts';
import { ReviewProjector } from './reviewProjector.ts';

export interface ReviewExecutorOptions {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  /** See `reviewTools`. */
  readonly registry: ToolRegistry;
  readonly outputPolicies: OutputPolicies;
  /** What the tools may use; nothing in it asks a person or connects to a host. */
  readonly services: ToolServices;
  readonly redactor: Redactor;
  readonly clock: ClockPort;
  readonly log: (message: string, cause: unknown) => void;
}

/**
 * Takes the calls of a review the same way as any other, but apart from the run: events that nobody hears or stores, a broker that has
 * and takes no secret, and an authorization that lets only what is proven read-only run. Source: agent runtime contract, section 12.
 */
export function reviewExecutor(options: ReviewExecutorOptions): ToolExecutor {
  const { runId, conversationId, redactor, clock, log } = options;
  return new ToolExecutor({
    runId,
    conversationId,
    registry: options.registry,
    mode: 'reviewing',
    unavailable: () => undefined,
    hooks: [],
    authorization: readOnlyGate,
    projector: new ReviewProjector(redactor),
    outputPolicies: options.outputPolicies,
    redactor,
    secrets: new SecretBroker({ runId, known: undefined }),
    services: options.services,
    channel: new EventChannel({ runId, conversationId, clock, record: () => Promise.resolve(), log }),
    ledger: new RunLedger(clock, () => {}),
    clock,
    userIntent: () => '',
    whenUserInterjects: () => new Promise(() => {}),
    log,
  });
}
