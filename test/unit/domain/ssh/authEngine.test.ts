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
import { signatureAlgorithms, type AuthIdentity } from '../../../../src/domain/ssh/authIdentity.ts';
import { authFacts } from '../../../../src/domain/ssh/describeAuth.ts';
import { isPasswordRound } from '../../../../src/domain/ssh/passwordPrompt.ts';

const identity = (id: string, change: Partial<AuthIdentity> = {}): AuthIdentity => ({
  id,
  source: 'keyFile',
  isConfigured: true,
  needsPrompt: false,
  fingerprint: `SHA256:${id}`,
  keyType: 'ssh-ed25519',
  label: id,
  ...change,
});
const agentKey = (id: string, change: Partial<AuthIdentity> = {}): AuthIdentity =>
  identity(id, { source: 'agent', isConfigured: false, ...change });
const rules = (change: Partial<AuthRules> = {}): AuthRules => ({
  identities: [],
  identitiesOnly: false,
  preferred: undefined,
  hasStoredPassword: false,
  attemptLimit: 6,
  passwordRounds: 3,
  lastSucceeded: undefined,
  ...change,
});

const all = ['publickey', 'keyboard-interactive', 'password'];
const refusal = (
  methods: readonly string[] = all,
  change: Partial<AuthEvent & { k: 'answered' }> = {},
): AuthEvent => ({
  k: 'answered',
  methods,
  isPartial: false,
  serverTakes: ['rsa-sha2-512', 'rsa-sha2-256'],
  wasAsked: true,
  ...change,
});
const show = (step: AuthStep): string => {
  if (step.k === 'publickey')
    return step.algorithm === 'ssh-ed25519'
      ? step.identity.id
      : `${step.identity.id} ${step.algorithm ?? '?'}`;
  if (step.k === 'password') return step.isStored ? 'stored password' : 'password';
  return step.k === 'stop' ? `stop: ${step.why}` : step.k;
};
/** Every step until the engine stops, with the same answer to each. */
const run = (
  start: AuthRules,
  answer: (step: AuthStep) => AuthEvent = () => refusal(),
): readonly string[] => {
  let state = beginAuth(start);
  const steps: string[] = [];
  for (;;) {
    steps.push(show(state.step));
    if (state.step.k === 'stop') return steps;
    state = advanceAuth(state, answer(state.step));
  }
};
const drive = (start: AuthRules, ...events: readonly AuthEvent[]): AuthState =>
  events.reduce((state, event) => advanceAuth(state, event), beginAuth(start));

describe('the sequence of authentication methods', () => {
  it('asks with none, then goes through the steps: agent and configured, plain files, other agent keys, default files, files that ask, methods that ask, encrypted defaults', () => {
    const identities = [
      identity('default-encrypted', { isConfigured: false, needsPrompt: true }),
      identity('configured-encrypted', { needsPrompt: true }),
      identity('default', { isConfigured: false }),
      agentKey('other-agent'),
      identity('configured'),
      agentKey('configured-agent', { isConfigured: true }),
    ];
    assert.deepEqual(run(rules({ identities, attemptLimit: 99 })), [
      'none',
      'configured-agent',
      'configured',
      'other-agent',
      'default',
      'configured-encrypted',
      ...Array<string>(3).fill('keyboard-interactive'),
      ...Array<string>(3).fill('password'),
      'default-encrypted',
      'stop: failed',
    ]);
  });

  it('AG-1: with IdentitiesOnly only the agent keys that are configured are offered', () => {
    const identities = [
      ...Array.from({ length: 30 }, (_, n) => agentKey(`a${n}`)),
      agentKey('chosen', { isConfigured: true }),
    ];
    assert.deepEqual(
      run(rules({ identities, identitiesOnly: true }), () => refusal(['publickey'])),
      ['none', 'chosen', 'stop: failed'],
    );
  });

  it('AG-2: stops one short of the limit, keeps one attempt for a method that asks, and says what it left out', () => {
    const identities = [identity('mine'), ...Array.from({ length: 30 }, (_, n) => agentKey(`a${n}`))];
    assert.deepEqual(run(rules({ identities })), [
      'none',
      'mine',
      'a0',
      'a1',
      'a2',
      'keyboard-interactive',
      'stop: budget',
    ]);
    const state = drive(rules({ identities }), ...Array<AuthEvent>(6).fill(refusal()));
    assert.match(authFacts(state)['leftOut'] ?? '', /^a3, a4, .*a29, keyboard-interactive, password$/);
    assert.match(
      authFacts(state)['tried'] ?? '',
      /^publickey mine SHA256:mine: refused; .*; keyboard-interactive: refused$/,
    );
  });

  it('without a method that asks all but one attempt go to keys', () => {
    const identities = Array.from({ length: 9 }, (_, n) => identity(`k${n}`));
    assert.deepEqual(
      run(rules({ identities }), () => refusal(['publickey'])),
      ['none', 'k0', 'k1', 'k2', 'k3', 'k4', 'stop: budget'],
    );
  });

  it('AG-6: an agent key comes before the encrypted default file of the same key, which is then not asked for', () => {
    const identities = [
      identity('file', { isConfigured: false, needsPrompt: true, fingerprint: 'SHA256:same' }),
      agentKey('agent', { fingerprint: 'SHA256:same' }),
    ];
    assert.deepEqual(
      run(rules({ identities }), () => refusal(['publickey'])),
      ['none', 'agent', 'stop: failed'],
    );
  });

  it('AG-5: an agent that declines makes the next method, and the file of the same key is still tried', () => {
    const identities = [
      identity('file', { fingerprint: 'SHA256:same' }),
      agentKey('agent', { isConfigured: true, fingerprint: 'SHA256:same' }),
    ];
    const state = drive(rules({ identities }), refusal(['publickey']), {
      k: 'skipped',
      reason: 'declined',
      wasOffered: true,
    });
    assert.equal(show(state.step), 'file');
    assert.equal(state.failures, 1);
  });

  it('TRAP-8: RSA is offered with SHA-2 only: both when the server is silent about it, else what it takes', () => {
    const identities = [identity('rsa', { keyType: 'ssh-rsa' })];
    const silent = run(rules({ identities }), () => refusal(['publickey'], { serverTakes: undefined }));
    assert.deepEqual(silent, ['none', 'rsa rsa-sha2-512', 'rsa rsa-sha2-256', 'stop: failed']);
    const told = run(rules({ identities }), () =>
      refusal(['publickey'], { serverTakes: ['rsa-sha2-256', 'ssh-rsa'] }),
    );
    assert.deepEqual(told, ['none', 'rsa rsa-sha2-256', 'stop: failed']);
    const old = run(rules({ identities }), () => refusal(['publickey'], { serverTakes: ['ssh-rsa'] }));
    assert.deepEqual(old, ['none', 'stop: failed']);
    assert.deepEqual(signatureAlgorithms('ecdsa-sha2-nistp256', undefined), ['ecdsa-sha2-nistp256']);
  });

  it('TRAP-10: partial success replaces the list of methods and costs nothing', () => {
    const identities = [identity('a'), identity('b')];
    let state = drive(
      rules({ identities, hasStoredPassword: true }),
      refusal(['publickey']),
      refusal(['password', 'publickey'], { isPartial: true }),
    );
    assert.deepEqual([show(state.step), state.failures], ['b', 0]);
    state = advanceAuth(state, refusal(['password'], { isPartial: true }));
    assert.deepEqual([show(state.step), state.failures], ['stored password', 0]);
  });

  it('AG-7: publickey, then keyboard-interactive, then password', () => {
    const state = drive(
      rules({ identities: [identity('a')] }),
      refusal(['publickey']),
      refusal(['keyboard-interactive'], { isPartial: true }),
      refusal(['password'], { isPartial: true, wasAsked: false }),
    );
    assert.equal(show(state.step), 'password');
    assert.deepEqual(
      state.reports.map((report) => report.result),
      ['partial', 'partial'],
    );
  });

  it('keyboard-interactive that fails without a prompt is not repeated', () => {
    const steps = run(rules(), () => refusal(all, { wasAsked: false }));
    assert.deepEqual(steps, [
      'none',
      'keyboard-interactive',
      'password',
      'password',
      'password',
      'stop: failed',
    ]);
  });

  it('a stored password is used once, then a person is asked', () => {
    const steps = run(rules({ hasStoredPassword: true }), () => refusal(['password']));
    assert.deepEqual(steps, ['none', 'stored password', 'password', 'password', 'password', 'stop: failed']);
  });

  it('PreferredAuthentications moves and removes whole methods', () => {
    const preferred = ['password', 'publickey'];
    const identities = [identity('late', { isConfigured: false, needsPrompt: true }), identity('a')];
    assert.deepEqual(run(rules({ identities, preferred })), [
      'none',
      'password',
      'password',
      'password',
      'a',
      'late',
      'stop: failed',
    ]);
  });

  it('the key that opened the host last goes first inside its step', () => {
    const identities = [identity('a'), identity('b'), agentKey('c')];
    const steps = run(rules({ identities, lastSucceeded: 'SHA256:b' }), () => refusal(['publickey']));
    assert.deepEqual(steps, ['none', 'b', 'a', 'c', 'stop: failed']);
  });

  it('closing a password prompt ends the sign-in; closing a passphrase prompt only skips the key', () => {
    const password = drive(rules(), refusal(['password']), { k: 'cancelled' });
    assert.equal(show(password.step), 'stop: cancelled');
    const identities = [identity('a', { needsPrompt: true })];
    const key = drive(rules({ identities }), refusal(['publickey', 'password']), { k: 'cancelled' });
    assert.equal(show(key.step), 'password');
    const alone = drive(rules({ identities }), refusal(['publickey']), { k: 'cancelled' });
    assert.equal(show(alone.step), 'stop: cancelled');
  });

  it('a key that is only known once it is unlocked is tried once', () => {
    const identities = [
      identity('old.pem', { needsPrompt: true, fingerprint: undefined, keyType: undefined }),
    ];
    assert.deepEqual(
      run(rules({ identities }), () => refusal(['publickey'])),
      ['none', 'old.pem ?', 'stop: failed'],
    );
  });

  it('a server that offers nothing we can do stops at once', () => {
    const state = drive(rules({ identities: [identity('a')] }), refusal(['gssapi-with-mic']));
    assert.equal(show(state.step), 'stop: failed');
    assert.deepEqual(authFacts(state), { tried: 'nothing', offered: 'gssapi-with-mic' });
  });

  it('whatever the server and the person do, it ends, never reaches the limit and never repeats a key', () => {
    const anyIdentity = fc.record({
      source: fc.constantFrom('agent' as const, 'keyFile' as const),
      isConfigured: fc.boolean(),
      needsPrompt: fc.boolean(),
      keyType: fc.constantFrom('ssh-ed25519', 'ssh-rsa', undefined),
      fingerprint: fc.constantFrom('SHA256:1', 'SHA256:2', 'SHA256:3', undefined),
    });
    const anyEvent = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          k: fc.constant('answered' as const),
          methods: fc.subarray([...all, 'hostbased']),
          isPartial: fc.oneof(
            { weight: 5, arbitrary: fc.constant(false) },
            { weight: 1, arbitrary: fc.constant(true) },
          ),
          serverTakes: fc.constantFrom(undefined, ['rsa-sha2-512'], ['ssh-rsa']),
          wasAsked: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          k: fc.constant('skipped' as const),
          reason: fc.constant('x'),
          wasOffered: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ k: 'cancelled' as const }) },
    );
    fc.assert(
      fc.property(
        fc.array(anyIdentity, { maxLength: 12 }),
        fc.infiniteStream(anyEvent),
        fc.boolean(),
        (list, events, identitiesOnly) => {
          const identities = list.map((change, n) => identity(`k${n}`, change));
          let state = beginAuth(rules({ identities, identitiesOnly, hasStoredPassword: true }));
          let failures = 0;
          const tried = new Set<string>();
          for (let count = 0; state.step.k !== 'stop'; count++) {
            assert.ok(count < 100, 'it goes on and on');
            if (state.step.k === 'publickey') {
              const attempt = show(state.step);
              assert.ok(!tried.has(attempt), `${attempt} is tried again`);
              tried.add(attempt);
            }
            const { value: event } = events.next() as IteratorYieldResult<AuthEvent>;
            if (event.k === 'answered' && !event.isPartial && state.step.k !== 'none') failures += 1;
            state = advanceAuth(state, event);
            assert.ok(failures < 6, 'the server has closed the connection');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a stored password and a prompt', () => {
  for (const [prompts, expected] of [
    [[{ prompt: 'Password: ', echo: false }], true],
    [[{ prompt: "deploy@db1's password:", echo: false }], true],
    [[{ prompt: 'Passwort:', echo: false }], true],
    [[{ prompt: 'Password: ', echo: true }], false],
    [[{ prompt: 'Verification code: ', echo: false }], false],
    [[{ prompt: 'One-time password: ', echo: false }], false],
    [[{ prompt: 'Password + token: ', echo: false }], false],
    [[{ prompt: 'Enter PIN password', echo: false }], false],
    [[{ prompt: 'New password: ', echo: false }], false],
    [[{ prompt: 'Answer:', echo: false }], false],
    [
      [
        { prompt: 'Password: ', echo: false },
        { prompt: 'Code: ', echo: true },
      ],
      false,
    ],
    [[], false],
  ] as const)
    it(`${expected ? 'may' : 'may not'} meet ${JSON.stringify(prompts)}`, () => {
      assert.equal(isPasswordRound(prompts), expected);
    });
});
