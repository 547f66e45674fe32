import type { ToolCall } from './message.ts';
import type { AnsweredCall, PlannedCall } from './plannedCall.ts';
import type { ToolExecutor } from './toolExecutor.ts';

/** Calls of one batch that run at the same time, at most. Source: agent runtime contract, section 4. */
export const maxParallelCalls = 8;

/**
 * Plans all calls of a turn in order, then runs them: at once when every planned call is parallel, otherwise one after the other. The
 * answers come in call order whatever the order of execution. An aborted signal still answers every call. Never rejects.
 * Source: agent runtime contract, section 4; seed 1.
 */
export async function runBatch(
  calls: readonly ToolCall[],
  executor: Pick<ToolExecutor, 'plan' | 'run'>,
  signal: AbortSignal,
): Promise<readonly AnsweredCall[]> {
  const planned: PlannedCall[] = [];
  for (const call of calls) planned.push(await executor.plan(call, signal));
  const isParallel = planned.every((call) => call.concurrency === 'parallel');
  return runInOrder(planned, isParallel ? maxParallelCalls : 1, (call) => executor.run(call, signal));
}

/** Starts items in order, at most `limit` at a time, and keeps the results in order. */
async function runInOrder<T, R>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const rest = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of rest) results.set(index, await run(item));
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
}
