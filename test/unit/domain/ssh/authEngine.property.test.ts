import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  advanceAuth,
  beginAuth,
  type AuthEvent,
  type AuthRules,
  type AuthState,
  type AuthStep,
} from '../../../../src/domain/ssh/authEngine.ts';
import { knownSignatures, usualSignatures } from '../../../../src/domain/ssh/algorithms.ts';
import type { AuthIdentity } from '../../../../src/domain/ssh/authIdentity.ts';

const ours = ['publickey', 'keyboard-interactive', 'password'];
const isAsking = (step: AuthStep): boolean => step.k === 'password' || step.k === 'keyboard-interactive';

/** A server that wants one or more methods and hangs up after too many failures, as sshd counts them. */
interface Server {
  /** Methods that have to succeed, in this order. */
  readonly chain: readonly string[];
  /** Methods that it names too and always refuses. */
  readonly decoys: readonly string[];
  readonly maxTries: number;
  /** What it takes; a plain key and the same key in a certificate are two things. */
  readonly keys: readonly number[];
  readonly algorithms: readonly string[] | undefined;
  readonly hasPrompts: boolean;
}

/** What happens on this side. */
interface Surroundings {
  readonly identities: readonly AuthIdentity[];
  /** Numbers of the identities whose agent declines to sign. */
  readonly declining: readonly number[];
  /** After so many prompts the person closes the next one. */
  readonly patience: number;
  /** After so many wrong answers the person has the right one; more than a server ever asks for never. */
  readonly rightAfter: number;
}

interface Attempted {
  readonly step: AuthStep;
  readonly state: AuthState;
}

/** Plays a sign-in to its end and notes every step. Fails where the server would have hung up. */
function play(server: Server, around: Surroundings, rules: AuthRules): readonly Attempted[] {
  const attempted: Attempted[] = [];
  let state = beginAuth(rules);
  let done = 0;
  let failures = 0;
  let prompts = 0;
  const accepted = new Set<string>();
  for (;;) {
    const { step } = state;
    attempted.push({ step, state });
    assert.ok(attempted.length < 500, 'it goes on and on');
    if (step.k === 'stop') return attempted;
    const event = answer(step);
    if (event === undefined) return attempted;
    if (event.k === 'answered' && !event.isPartial && step.k !== 'none') failures += 1;
    assert.ok(failures < Math.max(2, server.maxTries), 'the server has hung up');
    state = advanceAuth(state, event);
  }

  /** Undefined when the server lets in. */
  function answer(step: Exclude<AuthStep, { k: 'stop' }>): AuthEvent | undefined {
    if (isAsking(step) && !(step.k === 'password' && step.isStored) && ++prompts > around.patience)
      return { k: 'cancelled' };
    const isRight = step.k === server.chain[done] && isTaken(step);
    if (isRight && step.k === 'publickey') {
      const index = around.identities.indexOf(step.identity);
      if (around.declining.includes(index)) return { k: 'skipped', reason: 'declined', wasOffered: true };
      accepted.add(step.identity.fingerprint ?? step.identity.id);
    }
    if (isRight) done += 1;
    const next = server.chain[done];
    return next === undefined
      ? undefined
      : {
          k: 'answered',
          methods: [...new Set([next, ...server.decoys])],
          isPartial: isRight,
          serverTakes: server.algorithms,
          wasAsked: server.hasPrompts,
        };
  }

  function isTaken(step: Exclude<AuthStep, { k: 'stop' }>): boolean {
    if (step.k !== 'publickey') return step.k !== 'none' && prompts > around.rightAfter;
    const isKnown = server.keys.includes(around.identities.indexOf(step.identity));
    const isNew = !accepted.has(step.identity.fingerprint ?? step.identity.id);
    return isKnown && isNew && (server.algorithms?.includes(step.algorithm ?? '') ?? true);
  }
}

const identities = fc
  .array(
    fc.record({
      source: fc.constantFrom('agent' as const, 'keyFile' as const),
      isConfigured: fc.boolean(),
      needsPrompt: fc.boolean(),
      isCertificate: fc.boolean(),
      keyType: fc.constantFrom('ssh-ed25519', 'ssh-rsa', undefined),
      key: fc.integer({ min: 0, max: 8 }),
    }),
    { maxLength: 14 },
  )
  .map((list) =>
    list.map(({ isCertificate, key, keyType, ...rest }, index): AuthIdentity => ({
      ...rest,
      id: `k${String(index)}`,
      fingerprint: keyType === undefined ? undefined : `SHA256:${String(key)}`,
      certificate: isCertificate ? `SHA256:certificate ${String(index)}` : undefined,
      keyType: isCertificate && keyType !== undefined ? `${keyType}-cert-v01@openssh.com` : keyType,
      label: `k${String(index)}`,
      warning: undefined,
    })),
  );

const game = fc.record({
  server: fc.record({
    chain: fc.array(fc.constantFrom(...ours), { minLength: 1, maxLength: 4 }),
    decoys: fc.subarray([...ours, 'hostbased', 'gssapi-with-mic']),
    maxTries: fc.integer({ min: 1, max: 10 }),
    keys: fc.array(fc.integer({ min: 0, max: 13 }), { maxLength: 3 }),
    algorithms: fc.constantFrom(undefined, ['ssh-ed25519', 'rsa-sha2-512'], ['ssh-rsa']),
    hasPrompts: fc.boolean(),
  }),
  identities,
  declining: fc.array(fc.integer({ min: 0, max: 13 }), { maxLength: 4 }),
  patience: fc.integer({ min: 0, max: 8 }),
  rightAfter: fc.integer({ min: 0, max: 9 }),
  identitiesOnly: fc.boolean(),
  preferred: fc.option(fc.shuffledSubarray(ours), { nil: undefined }),
  hasStoredPassword: fc.boolean(),
  passwordRounds: fc.integer({ min: 1, max: 5 }),
  accepted: fc.constantFrom(knownSignatures, usualSignatures, ['ssh-ed25519', 'rsa-sha2-256']),
});

const holds = (check: (attempted: readonly Attempted[], start: AuthRules, server: Server) => void): void => {
  fc.assert(
    fc.property(game, ({ server, identities: list, declining, patience, rightAfter, ...rest }) => {
      const start: AuthRules = {
        ...rest,
        identities: list,
        attemptLimit: server.maxTries,
        lastSucceeded: 'SHA256:3',
      };
      check(play(server, { identities: list, declining, patience, rightAfter }, start), start, server);
    }),
    { numRuns: 1000 },
  );
};

describe('a sign-in at any server', () => {
  it('ends, and the server never hangs up for too many attempts', () => {
    holds((attempted) => assert.equal(attempted[0]?.step.k, 'none'));
  });

  it('never repeats what was refused, wherever the key is kept, and never goes on with a key that was accepted', () => {
    holds((attempted) => {
      const refused = new Set<string>();
      const over = new Set<string>();
      for (const [at, { step }] of attempted.entries()) {
        if (step.k !== 'publickey') continue;
        const { identity, algorithm } = step;
        const key = identity.fingerprint ?? identity.id;
        const offer = `${identity.certificate ?? key} ${algorithm ?? identity.id}`;
        assert.ok(!refused.has(offer), `${offer} is tried again`);
        assert.ok(!over.has(key) && !over.has(identity.id), `${key} is tried again`);
        const result = attempted[at + 1]?.state.reports.at(-1)?.result;
        if (result === 'refused') refused.add(offer);
        if (result === 'partial') over.add(key);
        if (result === 'skipped') over.add(identity.id);
      }
    });
  });

  it('asks for a password and for keyboard-interactive no more often than allowed', () => {
    holds((attempted, { passwordRounds }) => {
      for (const method of ['password', 'keyboard-interactive']) {
        const asked = attempted.filter(
          ({ step }) => step.k === method && !(step.k === 'password' && step.isStored),
        );
        assert.ok(asked.length <= passwordRounds, method);
      }
      assert.ok(attempted.filter(({ step }) => step.k === 'password' && step.isStored).length <= 1);
    });
  });

  it('keeps one attempt for a method that asks, wherever the server offers one', () => {
    holds((attempted, { preferred }, { decoys }) => {
      const last = attempted.at(-1)?.step;
      if (last?.k !== 'stop' || last.why !== 'budget') return;
      const alwaysOffered = decoys.filter((method) => method !== 'publickey' && ours.includes(method));
      if (alwaysOffered.some((method) => preferred?.includes(method) ?? true))
        assert.ok(
          attempted.some(({ step }) => isAsking(step)),
          'nobody was asked',
        );
    });
  });

  it('uses only methods that the server offers and the configuration allows', () => {
    holds((attempted, { preferred }) => {
      for (const { step, state } of attempted) {
        if (step.k === 'none' || step.k === 'stop') continue;
        assert.ok(state.allowed?.includes(step.k));
        assert.ok(preferred?.includes(step.k) ?? true);
      }
    });
  });

  it('with IdentitiesOnly never offers an agent key that is not configured', () => {
    holds((attempted, { identitiesOnly }) => {
      for (const { step } of attempted)
        if (identitiesOnly && step.k === 'publickey')
          assert.ok(step.identity.isConfigured || step.identity.source === 'keyFile');
    });
  });

  it('says what it left out when it stops before the limit', () => {
    holds((attempted) => {
      const last = attempted.at(-1)?.step;
      if (last?.k === 'stop' && last.why === 'budget') assert.ok(last.leftOut.length > 0);
    });
  });
});
