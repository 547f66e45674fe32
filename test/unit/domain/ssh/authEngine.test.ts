import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  advanceAuth,
  beginAuth,
  type AuthEvent,
  type AuthRules,
  type AuthState,
  type AuthStep,
} from '../../../../src/domain/ssh/authEngine.ts';
import {
  plainAlgorithm,
  signatureAlgorithms,
  type AuthIdentity,
} from '../../../../src/domain/ssh/authIdentity.ts';
import { knownSignatures, usualSignatures } from '../../../../src/domain/ssh/algorithms.ts';
import { authFacts, authFault, type AuthCircumstances } from '../../../../src/domain/ssh/describeAuth.ts';
import { roundMeaning } from '../../../../src/domain/ssh/passwordPrompt.ts';

const identity = (id: string, change: Partial<AuthIdentity> = {}): AuthIdentity => ({
  id,
  source: 'keyFile',
  isConfigured: true,
  needsPrompt: false,
  fingerprint: `SHA256:${id}`,
  certificate: undefined,
  keyType: 'ssh-ed25519',
  label: id,
  warning: undefined,
  ...change,
});
const certificate = (id: string, change: Partial<AuthIdentity> = {}): AuthIdentity =>
  identity(id, {
    certificate: `SHA256:certificate ${id}`,
    keyType: 'ssh-ed25519-cert-v01@openssh.com',
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
  accepted: knownSignatures.filter((name) => !name.startsWith('ssh-rsa')),
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
    return step.algorithm?.startsWith('ssh-ed25519')
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
    assert.equal(authFacts(state)['leftOut'], 'a3, a4, a5, a6, a7, a8, 23 more');
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
  });

  for (const [keyType, serverTakes, takesSha1, expected] of [
    ['ecdsa-sha2-nistp256', undefined, false, ['ecdsa-sha2-nistp256']],
    ['sk-ssh-ed25519@openssh.com', ['ssh-rsa'], false, ['sk-ssh-ed25519@openssh.com']],
    ['ssh-rsa', undefined, true, ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']],
    ['ssh-rsa', ['ssh-rsa', 'rsa-sha2-256'], true, ['rsa-sha2-256', 'ssh-rsa']],
    ['ssh-rsa', ['rsa-sha2-512'], true, ['rsa-sha2-512']],
    [
      'ssh-rsa-cert-v01@openssh.com',
      undefined,
      false,
      ['rsa-sha2-512-cert-v01@openssh.com', 'rsa-sha2-256-cert-v01@openssh.com'],
    ],
    ['ssh-rsa-cert-v01@openssh.com', ['rsa-sha2-256'], false, ['rsa-sha2-256-cert-v01@openssh.com']],
    [
      'ssh-rsa-cert-v01@openssh.com',
      ['rsa-sha2-512-cert-v01@openssh.com'],
      false,
      ['rsa-sha2-512-cert-v01@openssh.com'],
    ],
    ['ssh-rsa-cert-v01@openssh.com', ['ssh-rsa'], true, ['ssh-rsa-cert-v01@openssh.com']],
  ] as const)
    it(`TRAP-8: ${keyType} is offered as ${expected.join(', ')} to a server that takes ${serverTakes?.join(', ') ?? 'what it does not say'}${takesSha1 ? ', with the legacy switch' : ''}`, () => {
      assert.deepEqual(
        signatureAlgorithms(keyType, {
          serverTakes,
          accepted: takesSha1 ? knownSignatures : usualSignatures,
        }),
        expected,
      );
    });

  it('a key whose algorithms PubkeyAcceptedAlgorithms leaves out is not offered', () => {
    const identities = [identity('a'), identity('rsa', { keyType: 'ssh-rsa' }), certificate('cert')];
    const steps = run(rules({ identities, accepted: ['rsa-sha2-256'] }), () => refusal(['publickey']));
    assert.deepEqual(steps, ['none', 'rsa rsa-sha2-256', 'stop: failed']);
  });

  for (const [algorithm, expected] of [
    ['rsa-sha2-512-cert-v01@openssh.com', 'rsa-sha2-512'],
    ['ssh-ed25519-cert-v01@openssh.com', 'ssh-ed25519'],
    ['sk-ssh-ed25519-cert-v01@openssh.com', 'sk-ssh-ed25519@openssh.com'],
    ['ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp384'],
  ] as const)
    it(`a signature for ${algorithm} is named ${expected}`, () => {
      assert.equal(plainAlgorithm(algorithm), expected);
    });

  it('certificates whose key is at hand go first, before configured agent keys; one behind a passphrase goes with its key', () => {
    const identities = [
      certificate('locked-cert', { needsPrompt: true, fingerprint: 'SHA256:locked' }),
      certificate('agent-cert', { source: 'agent', isConfigured: false }),
      certificate('cert', { fingerprint: 'SHA256:plain' }),
      agentKey('configured-agent', { isConfigured: true }),
      identity('plain'),
      identity('locked', { needsPrompt: true }),
    ];
    assert.deepEqual(
      run(rules({ identities, attemptLimit: 99 }), () => refusal(['publickey'])),
      ['none', 'cert', 'agent-cert', 'configured-agent', 'plain', 'locked-cert', 'locked', 'stop: failed'],
    );
  });

  it('a certificate that is refused leaves its plain key, and two certificates of one key are two', () => {
    const identities = [
      certificate('first', { fingerprint: 'SHA256:same' }),
      certificate('second', { fingerprint: 'SHA256:same' }),
      identity('plain', { fingerprint: 'SHA256:same' }),
    ];
    assert.deepEqual(
      run(rules({ identities }), () => refusal(['publickey'])),
      ['none', 'first', 'second', 'plain', 'stop: failed'],
    );
  });

  it('a key that was accepted in a certificate is not offered again as a plain key', () => {
    const identities = [
      certificate('cert', { fingerprint: 'SHA256:same' }),
      identity('plain', { fingerprint: 'SHA256:same' }),
    ];
    const state = drive(
      rules({ identities }),
      refusal(['publickey']),
      refusal(['publickey'], { isPartial: true }),
    );
    assert.equal(show(state.step), 'stop: failed');
  });

  it('a value of the host overrides the limit of six attempts; with one attempt there is one', () => {
    const identities = Array.from({ length: 9 }, (_, n) => identity(`k${String(n)}`));
    const steps = (attemptLimit: number, methods: readonly string[]): readonly string[] =>
      run(rules({ identities, attemptLimit }), () => refusal(methods));
    assert.deepEqual(steps(3, ['publickey']), ['none', 'k0', 'k1', 'stop: budget']);
    assert.deepEqual(steps(3, all), ['none', 'k0', 'keyboard-interactive', 'stop: budget']);
    assert.deepEqual(steps(1, all), ['none', 'keyboard-interactive', 'stop: budget']);
    assert.deepEqual(steps(1, ['publickey']), ['none', 'k0', 'stop: budget']);
  });

  it('NumberOfPasswordPrompts bounds password and keyboard-interactive each', () => {
    assert.deepEqual(run(rules({ passwordRounds: 1 })), [
      'none',
      'keyboard-interactive',
      'password',
      'stop: failed',
    ]);
  });

  for (const offered of [['gssapi-with-mic'], ['hostbased', 'gssapi-keyex']])
    it(`a server that offers only ${offered.join(' and ')} needs the system's ssh`, () => {
      const state = drive(rules({ identities: [identity('a')] }), refusal(offered));
      assert.equal(show(state.step), 'stop: needsSystemSsh');
    });

  it("a method of the system's ssh is no reason to stop while another one is offered", () => {
    const identities = [identity('a')];
    const steps = run(rules({ identities }), () => refusal(['gssapi-with-mic', 'publickey']));
    assert.deepEqual(steps, ['none', 'a', 'stop: failed']);
  });

  it("a configuration that wants only GSSAPI needs the system's ssh where the server offers it", () => {
    const state = drive(rules({ preferred: ['gssapi-with-mic'] }), refusal([...all, 'gssapi-with-mic']));
    assert.equal(show(state.step), 'stop: needsSystemSsh');
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

  it('a server that offers nothing we know stops at once', () => {
    const state = drive(rules({ identities: [identity('a')] }), refusal(['telepathy']));
    assert.equal(show(state.step), 'stop: failed');
    assert.deepEqual(authFacts(state), { tried: 'nothing', offered: 'telepathy' });
  });

  it('keyboard-interactive that said nothing may ask once another method was accepted', () => {
    const state = drive(
      rules({ identities: [identity('a')], preferred: ['keyboard-interactive', 'publickey'] }),
      refusal(['publickey', 'keyboard-interactive']),
      refusal(['publickey', 'keyboard-interactive'], { wasAsked: false }),
      refusal(['keyboard-interactive'], { isPartial: true }),
    );
    assert.equal(show(state.step), 'keyboard-interactive');
  });
});
describe('the fault of a sign-in', () => {
  const nothing: AuthCircumstances = {
    keyProblems: [],
    certificateProblems: [],
    wantsAgent: false,
    agent: { endpoint: '/run/agent', missing: undefined, refusal: undefined },
    passwordChange: undefined,
  };
  const refused = drive(
    rules({ identities: [identity('a')] }),
    refusal(['publickey']),
    refusal(['publickey']),
  );
  const empty = drive(rules(), refusal(['publickey']));
  const spent = drive(
    rules({ identities: [identity('a'), identity('b')], attemptLimit: 2 }),
    refusal(['publickey']),
    refusal(['publickey']),
  );
  const mistyped = drive(rules({ passwordRounds: 1 }), refusal(['password']), refusal(['password']));
  const closed = drive(rules(), refusal(['password']), { k: 'cancelled' });
  const foreign = drive(rules(), refusal(['hostbased']));
  const problem = { path: '~/k\u202e', reason: 'damaged' };
  const agentRefuses = { ...nothing.agent, refusal: 'locked' };
  const agentMissing = { ...nothing.agent, missing: 'no agent' };
  for (const [what, state, circumstances, expected] of [
    ['a refusal', refused, {}, ['auth-failed', undefined]],
    ['a spent budget', spent, {}, ['auth-budget', undefined]],
    ['a closed prompt', closed, { keyProblems: [problem] }, ['auth-cancelled', undefined]],
    ['a method that only ssh has', foreign, {}, ['needs-system-ssh', undefined]],
    ['an unreadable key', empty, { keyProblems: [problem] }, ['key-unreadable', 'damaged']],
    ['an unreadable key beside a refusal', refused, { keyProblems: [problem] }, ['auth-failed', undefined]],
    ['a missing agent', empty, { wantsAgent: true, agent: agentMissing }, ['agent-missing', 'no agent']],
    ['a missing agent that nobody wanted', empty, { agent: agentMissing }, ['auth-failed', undefined]],
    ['an agent that does not sign', empty, { agent: agentRefuses }, ['agent-refused', 'locked']],
    [
      'an agent that does not sign, and a refusal',
      refused,
      { agent: agentRefuses },
      ['auth-failed', undefined],
    ],
    [
      'a certificate that was not offered, where nothing else worked',
      refused,
      { certificateProblems: [problem] },
      ['user-cert-unusable', 'damaged'],
    ],
    [
      'a certificate that was not offered beside a password that was refused',
      mistyped,
      { certificateProblems: [problem] },
      ['auth-failed', undefined],
    ],
    [
      'a new password that was refused',
      refused,
      { passwordChange: 'too short' },
      ['password-change-failed', 'too short'],
    ],
  ] as const)
    it(`${what} is ${expected[0]}`, () => {
      const { code, facts } = authFault(state, { ...nothing, ...circumstances });
      assert.deepEqual([code, facts['reason']], expected);
      assert.ok(facts['path'] === undefined || facts['path'] === '~/k\\u202e');
    });
});

describe('what a round of keyboard-interactive asks for', () => {
  for (const [prompt, expected] of [
    ['Password: ', 'password'],
    ["deploy@db1's password:", 'password'],
    ['Passwort:', 'password'],
    ['パスワード:', 'password'],
    ['Verification code: ', 'other'],
    ['One-time password: ', 'other'],
    ['One-time password (OATH) for deploy: ', 'other'],
    ['Password + token: ', 'other'],
    ['Password & verification code: ', 'other'],
    ['Enter PIN password', 'other'],
    ['Einmalpasswort: ', 'other'],
    ['Current password: ', 'other'],
    ['(current) UNIX password: ', 'other'],
    ['Old password: ', 'other'],
    ['New password: ', 'newPassword'],
    ['Enter new UNIX password: ', 'newPassword'],
    ['Retype new password: ', 'newPasswordAgain'],
    ['Re-enter new password: ', 'newPasswordAgain'],
    ['Neues Passwort: ', 'newPassword'],
    ['Neues Passwort wiederholen: ', 'newPasswordAgain'],
    ['Answer:', 'other'],
    ['Your password will expire in 3 days.\nPassword: ', 'password'],
    ['You are required to change your password.\nCurrent password: ', 'other'],
    ['BAD PASSWORD: it is too short\nNew password: ', 'newPassword'],
    ['A code was sent to your phone.\nPassword: ', 'other'],
    ['Password:\nAnswer: ', 'other'],
  ] as const)
    it(`${JSON.stringify(prompt)} alone and hidden: ${expected}`, () => {
      assert.equal(roundMeaning([{ prompt, echo: false }]), expected);
    });
  for (const [what, prompts] of [
    ['no prompt at all', []],
    ['an echoed prompt', [{ prompt: 'Password: ', echo: true }]],
    [
      'two prompts',
      [
        { prompt: 'Password: ', echo: false },
        { prompt: 'Code: ', echo: true },
      ],
    ],
  ] as const)
    it(`${what}: other`, () => {
      assert.equal(roundMeaning(prompts), 'other');
    });
});
