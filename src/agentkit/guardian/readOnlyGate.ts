import type { AuthorizationStage } from '../authorization.ts';

/** The authorization of calls that a review makes itself: what is proven to only read runs, everything else does not, and nobody is asked. */
export const readOnlyGate: Pick<AuthorizationStage, 'authorize' | 'decide'> = {
  authorize: (action) =>
    Promise.resolve(
      action.safety === 'locallyReadOnly'
        ? { allowed: true, ground: { kind: 'proof' }, mode: 'review' }
        : { allowed: false, by: 'runtime', sentence: 'A review only looks, so this call did not run.' },
    ),
  decide: () => Promise.resolve({ verdict: 'deny', reason: 'A review asks nobody.', by: 'runtime' }),
};
