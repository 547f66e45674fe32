import type { Context, Runnable, Suite } from 'mocha';

const reasons = new WeakMap<Runnable | Suite, string>();

/**
 * Skips the running test, or from a hook every test the hook is for, and records why. The runner prints the reason and
 * fails a run whose tests are skipped without one. Never returns.
 */
export function skipBecause(context: Context, reason: string): never {
  const runnable = context.test;
  if (runnable === undefined) throw new Error('skipBecause needs the context of a running test or hook');
  const isHook = (runnable as { type?: string }).type === 'hook';
  const skipped = !isHook ? runnable : (context.currentTest ?? runnable.parent);
  if (skipped !== undefined) reasons.set(skipped, reason);
  return context.skip();
}

/** Why a test was skipped: its own reason, or that of a suite around it. */
export function skipReason(test: Runnable): string | undefined {
  for (let at: Runnable | Suite | undefined = test; at !== undefined; at = at.parent) {
    const reason = reasons.get(at);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
