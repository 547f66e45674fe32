import type { ClockPort } from './clock.ts';
import type { ModelRequest, ModelStreamPort } from './model.ts';
import { defaultStreamClocks, underClocks } from './streamClocks.ts';
import { TurnAssembly, type AssembledTurn } from './turnAssembly.ts';

/**
 * One answer of a model beside the turns of a run: one attempt, without retries, seen by nobody. Resolves with the answer; its stop is
 * `cancelled` when it ended without being finished. Rejects with `ProviderError` and with the signal's reason.
 */
export async function singleAttempt(
  asked: {
    readonly model: ModelStreamPort;
    readonly clock: ClockPort;
    readonly request: ModelRequest;
    /** For the whole attempt. */
    readonly totalMs: number;
  },
  signal: AbortSignal,
): Promise<AssembledTurn> {
  const { model, clock, request, totalMs } = asked;
  const assembly = new TurnAssembly();
  const clocks = { ...defaultStreamClocks, totalMs };
  const events = underClocks((attempt) => model.stream(request, attempt), { clock, clocks }, signal);
  for await (const event of events) assembly.accept(event);
  return assembly.result();
}
