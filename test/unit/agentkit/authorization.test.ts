import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  approvalDigest,
  type ApprovalPort,
  type ApprovalRequest,
  type Decision,
  type PermissionMode,
  type SecurityReviewer,
  type Safety,
} from '../../../src/agentkit/index.ts';
import { secret } from './support/plainRedactor.ts';
import { probeTool, success } from './support/probeTool.ts';
import {
  allowing,
  bodies,
  envelope,
  finished,
  prepare,
  results,
  type PreparedRun,
} from './support/runHarness.ts';
import { answer, asks, call } from './support/scriptedStream.ts';

type Verdict = 'run' | 'user' | 'review' | 'refuse';

interface Asked {
  readonly users: ApprovalPort & { readonly requests: ApprovalRequest[] };
  readonly reviewer: SecurityReviewer & { readonly requests: ApprovalRequest[] };
}

/** A user and a reviewer who allow everything and remember what they were asked. */
function askedOf(): Asked {
  const users: ApprovalRequest[] = [];
  const reviews: ApprovalRequest[] = [];
  return {
    users: {
      requests: users,
      decide: ({ request }) => {
        users.push(request);
        return Promise.resolve({
          verdict: 'allow',
          digest: request.digest,
          ground: { kind: 'user', id: request.id },
        });
      },
    },
    reviewer: {
      requests: reviews,
      review: (request) => {
        reviews.push(request);
        return Promise.resolve({
          allowed: true,
          rationale: 'fits the request',
          risk: 'low',
          authorization: 'high',
          digest: request.digest,
        });
      },
    },
  };
}

interface Attempt extends PreparedRun {
  readonly ran: boolean;
  readonly text: string;
}

async function attempt(setUp: {
  readonly safety: Safety;
  readonly alwaysAskUser?: boolean;
  readonly mode?: PermissionMode;
  readonly planning?: boolean;
  readonly approvals?: ApprovalPort;
  readonly review?: SecurityReviewer;
}): Promise<Attempt> {
  let ran = false;
  const tool = probeTool('act', {
    descriptor: { safety: setUp.safety, alwaysAskUser: setUp.alwaysAskUser ?? false },
    execute: () => {
      ran = true;
      return success({ done: 1 });
    },
  });
  const run = await finished({
    answers: [asks(call('a', 'act', { value: 'x' })), answer('Done.')],
    tools: [tool],
    options: {
      permissionMode: setUp.mode ?? 'ask',
      planning: setUp.planning ?? false,
      ...(setUp.approvals && { approvals: setUp.approvals }),
      ...(setUp.review && { review: setUp.review }),
    },
  });
  return { ...run, ran, text: results(await run.stored())['a'] ?? '' };
}

const table: Readonly<
  Record<string, readonly [ro: Verdict, lc: Verdict, ra: Verdict, always: Verdict, deny: Verdict]>
> = {
  ask: ['run', 'run', 'user', 'user', 'refuse'],
  review: ['run', 'run', 'review', 'user', 'refuse'],
  full: ['run', 'run', 'run', 'run', 'refuse'],
};
const columns: readonly { readonly safety: Safety; readonly alwaysAskUser?: boolean }[] = [
  { safety: 'locallyReadOnly' },
  { safety: 'locallyContained' },
  { safety: 'requiresAuthorization' },
  { safety: 'requiresAuthorization', alwaysAskUser: true },
  { safety: 'deny' },
];

describe('the table of permission modes', () => {
  for (const mode of ['ask', 'review', 'full'] as const)
    columns.forEach((column, at) => {
      const expected = table[mode]?.[at];
      const what = `${column.safety}${column.alwaysAskUser === true ? ' that always asks the user' : ''}`;
      it(`${mode}: ${what} → ${String(expected)}`, async () => {
        const { users, reviewer } = askedOf();
        const { ran } = await attempt({ ...column, mode, approvals: users, review: reviewer });
        assert.deepEqual(
          { ran, users: users.requests.length, reviews: reviewer.requests.length },
          {
            ran: expected !== 'refuse',
            users: expected === 'user' ? 1 : 0,
            reviews: expected === 'review' ? 1 : 0,
          },
        );
      });

      it(`${mode}, while planning: ${what} → ${at < 2 ? 'run' : 'refuse'}, and nobody is asked`, async () => {
        const { users, reviewer } = askedOf();
        const { ran } = await attempt({
          ...column,
          mode,
          planning: true,
          approvals: users,
          review: reviewer,
        });
        assert.deepEqual([ran, users.requests.length, reviewer.requests.length], [at < 2, 0, 0]);
      });
    });

  it('full access: deny tools, schema errors and refusals of preflight still stop the call', async () => {
    const run = await finished({
      answers: [
        asks(call('a', 'never'), call('b', 'act', { sudo: true }), call('c', 'careful')),
        answer('Done.'),
      ],
      tools: [
        probeTool('never', { descriptor: { safety: 'deny' }, execute: () => assert.fail('it ran') }),
        probeTool('act', {
          descriptor: { safety: 'requiresAuthorization' },
          execute: () => assert.fail('it ran'),
        }),
        probeTool('careful', {
          preflight: () => ({ refusal: 'The host key has changed.' }),
          execute: () => assert.fail('it ran'),
        }),
      ],
      options: { permissionMode: 'full' },
    });
    assert.deepEqual(results(await run.stored()), {
      a: 'This call is never allowed.',
      b: 'Invalid arguments: Unrecognized key: "sudo"',
      c: 'The host key has changed.',
    });
  });

  it('a mode that became narrower counts at once, a wider one does not', async () => {
    for (const [mode, now, asked] of [
      ['full', 'ask', 1],
      ['ask', 'full', 1],
      ['full', 'full', 0],
    ] as const) {
      const { users } = askedOf();
      await finished({
        answers: [asks(call('a', 'act')), answer('Done.')],
        tools: [probeTool('act', { descriptor: { safety: 'requiresAuthorization' } })],
        options: { permissionMode: mode, currentMode: () => now, approvals: users },
      });
      assert.equal(users.requests.length, asked, `${mode} → ${now}`);
    }
  });
});

describe('a decision', () => {
  const gate = (decide: ApprovalPort['decide']): ApprovalPort => ({ decide });
  const allow = (digest: string): Decision => ({
    verdict: 'allow',
    digest,
    ground: { kind: 'user', id: 'x' },
  });

  it('that allows exactly what was shown lets it run', async () => {
    const run = await attempt({ safety: 'requiresAuthorization', approvals: allowing });
    assert.deepEqual([run.ran, run.text], [true, envelope('{"done":1}')]);
  });

  const mistakes: readonly (readonly [string, ApprovalPort['decide']])[] = [
    ['a rejection', () => Promise.reject(new Error('the queue broke'))],
    [
      'an exception',
      () => {
        throw new Error('at once');
      },
    ],
    ['no answer at all', () => Promise.resolve(new Map<string, Decision>().get('none') as Decision)],
    ['a digest that is empty', () => Promise.resolve(allow(''))],
    [
      'the digest of another question',
      ({ request }) =>
        Promise.resolve(allow(approvalDigest({ ...request, id: 'other' as typeof request.id }))),
    ],
    [
      'the digest of other arguments',
      ({ request }) =>
        Promise.resolve(
          allow(approvalDigest({ ...request, invocation: { name: 'act', arguments: { value: 'y' } } })),
        ),
    ],
  ];
  for (const [name, decide] of mistakes)
    it(`is a denial when it is ${name}`, async () => {
      const run = await attempt({ safety: 'requiresAuthorization', approvals: gate(decide) });
      assert.deepEqual([run.ran, run.text], [false, 'This call was not approved, so it did not run.']);
      assert.equal(bodies(run.events, 'toolFinished')[0]?.outcome, 'denied');
    });

  for (const [reason, text] of [
    ['', 'The user denied this call.'],
    ['  ', 'The user denied this call.'],
    ['not on\nproduction', 'The user denied this call: "not on production".'],
    [`it shows ${secret}`, 'The user denied this call: "it shows [redacted]".'],
  ] as const)
    it(`that denies with ${JSON.stringify(reason)} reaches the model as one sentence`, async () => {
      const decide = (): Promise<Decision> => Promise.resolve({ verdict: 'deny', reason, by: 'user' });
      assert.equal((await attempt({ safety: 'requiresAuthorization', approvals: gate(decide) })).text, text);
    });

  it('is asked with everything that is shown, redacted, and the digest covers it', async () => {
    const { users } = askedOf();
    const subject = {
      action: 'echo hello',
      target: 'lab',
      targetId: 'h1',
      identity: 'root',
      tier: 'prod',
      details: [{ label: 'Folder', value: '/srv' }],
    };
    const run = await finished({
      prompt: 'Clean up.',
      answers: [asks(call('a', 'act', { value: secret })), answer('Done.')],
      tools: [
        probeTool('act', {
          descriptor: { safety: 'requiresAuthorization' },
          preflight: (args) => ({
            reviewedArguments: { value: `${args.value ?? ''}!` },
            reasons: ['rm deletes files'],
            subject,
          }),
        }),
      ],
      options: { approvals: users },
    });
    const [request] = users.requests;
    assert.ok(request);
    const { id, descriptor, digest, ...shown } = request;
    assert.deepEqual(shown, {
      runId: run.runId,
      conversationId: run.conversationId,
      callId: 'a',
      invocation: { name: 'act', arguments: { value: '[redacted]!' } },
      subject,
      userIntent: 'Clean up.',
      reasons: ['rm deletes files'],
      alwaysAskUser: false,
      mode: 'ask',
      canGrant: false,
      isEdited: false,
    });
    assert.equal(descriptor.name, 'act');
    assert.equal(digest, approvalDigest(request));
    for (const other of [
      { ...request, reasons: [] },
      { ...request, subject: { ...request.subject, identity: 'deploy' } },
      { ...request, invocation: { ...request.invocation, arguments: {} } },
      { ...request, id: `${id}x` as typeof id },
    ])
      assert.notEqual(approvalDigest(other), digest);
    assert.deepEqual(bodies(run.events, 'approvalRequested'), [{ kind: 'approvalRequested', request }]);
  });

  for (const mode of ['ask', 'review'] as const)
    it(`is not asked about an action that redaction would hide in part (${mode})`, async () => {
      const { users, reviewer } = askedOf();
      const run = await finished({
        answers: [asks(call('a', 'act')), answer('Done.')],
        tools: [
          probeTool('act', {
            descriptor: { safety: 'requiresAuthorization' },
            preflight: () => ({
              subject: {
                action: `echo ${secret}; rm -rf /`,
                target: 'lab',
                targetId: 'h1',
                identity: 'root',
                tier: '',
                details: [],
              },
            }),
            execute: () => assert.fail('it ran'),
          }),
        ],
        options: { approvals: users, review: reviewer, permissionMode: mode },
      });
      assert.deepEqual([users.requests.length, reviewer.requests.length], [0, 0]);
      assert.match(
        results(await run.stored())['a'] ?? '',
        /^This call was not run: part of it looks like a secret/,
      );
    });

  it('does not let arguments run that were changed while it was made', async () => {
    const args: { value: string } = { value: 'small' };
    const run = await finished({
      answers: [asks(call('a', 'act')), answer('Done.')],
      tools: [
        probeTool('act', {
          descriptor: { safety: 'requiresAuthorization' },
          preflight: () => ({ reviewedArguments: args }),
          execute: () => assert.fail('it ran'),
        }),
      ],
      options: {
        approvals: gate(({ request }) => {
          args.value = 'everything';
          return Promise.resolve(allow(request.digest));
        }),
      },
    });
    assert.deepEqual(results(await run.stored()), {
      a: 'This call was changed after it was shown, so it did not run.',
    });
  });

  it('is waited for visibly, and Stop answers the call as not run', async () => {
    const run = await prepare({
      answers: [asks(call('a', 'act'))],
      tools: [probeTool('act', { descriptor: { safety: 'requiresAuthorization' } })],
      options: { approvals: gate(() => new Promise(() => {})) },
    });
    const ended = run.runtime.run();
    await run.next('approvalRequested');
    assert.equal(run.runtime.state, 'waitingForApproval');
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    assert.deepEqual(results(await run.stored()), { a: 'Cancelled before it ran.' });
  });

  it('can be asked for again in mid-call, under the same rules', async () => {
    const { users } = askedOf();
    const decisions: Decision[] = [];
    const tool = probeTool('fetch', {
      execute: async (_args, context) => {
        decisions.push(
          await context.authorize({
            subject: {
              action: 'GET http://192.0.2.1/',
              target: '',
              targetId: '',
              identity: '',
              tier: '',
              details: [],
            },
            reasons: ['redirected to a restricted address'],
            alwaysAskUser: false,
          }),
        );
        return success({ ok: 1 });
      },
    });
    const answers = [asks(call('a', 'fetch')), answer('Done.')];
    await finished({ answers, tools: [tool], options: { approvals: users } });
    await finished({ answers, tools: [tool], options: { approvals: users, planning: true } });
    assert.equal(users.requests.length, 1);
    assert.deepEqual(users.requests[0]?.reasons, ['redirected to a restricted address']);
    assert.deepEqual(
      decisions.map((decision) => decision.verdict),
      ['allow', 'deny'],
    );
  });

  for (const [mode, ground] of [
    ['ask', 'user'],
    ['review', 'review'],
    ['full', 'fullAccess'],
  ] as const)
    it(`in mid-call tells what it is about, redacted, and one about the call itself does not (${mode})`, async () => {
      const { users, reviewer } = askedOf();
      const details = [{ label: 'Redirected from', value: 'https://example.com/' }];
      const step = { target: '192.0.2.1', targetId: '', identity: '', tier: '', details };
      const tool = probeTool('fetch', {
        descriptor: { safety: 'requiresAuthorization' },
        execute: async (_args, context) => {
          const action = `GET http://192.0.2.1/${mode === 'full' ? secret : ''}`;
          await context.authorize({ subject: { ...step, action }, reasons: [], alwaysAskUser: false });
          return success({ ok: 1 });
        },
      });
      const run = await finished({
        answers: [asks(call('a', 'fetch')), answer('Done.')],
        tools: [tool],
        options: { approvals: users, review: reviewer, permissionMode: mode },
      });
      const shown = { ...step, action: `GET http://192.0.2.1/${mode === 'full' ? '[redacted]' : ''}` };
      assert.deepEqual(
        bodies(run.events, 'callDecided').map(({ further, answer: given }) => [
          further,
          given.allowed && given.ground.kind,
        ]),
        [
          [undefined, ground],
          [shown, ground],
        ],
      );
    });

  it('in mid-call that a rule takes tells what it is about', async () => {
    const subject = {
      action: 'GET http://192.0.2.1/',
      target: '',
      targetId: '',
      identity: '',
      tier: '',
      details: [],
    };
    const tool = probeTool('fetch', {
      execute: async (_args, context) => {
        await context.authorize({ subject, reasons: [], alwaysAskUser: false });
        return success({ ok: 1 });
      },
    });
    const run = await finished({
      answers: [asks(call('a', 'fetch')), answer('Done.')],
      tools: [tool],
      options: {
        permissionMode: 'full',
        rules: {
          judge: (ruled) =>
            ruled.subject.action === subject.action
              ? { effect: 'deny', reason: 'A rule refuses it.' }
              : undefined,
        },
      },
    });
    const reason = 'A rule refuses it.';
    assert.deepEqual(bodies(run.events, 'callDecided'), [
      {
        kind: 'callDecided',
        callId: 'a',
        mode: 'full',
        further: subject,
        answer: { allowed: false, by: 'rule', reason },
      },
    ]);
  });
});

describe('approve for me', () => {
  it('without a reviewer denies and records it as a review failure', async () => {
    const run = await attempt({ safety: 'requiresAuthorization', mode: 'review' });
    assert.deepEqual(
      [run.ran, run.text],
      [false, 'This call needs a security review and no reviewer is set up, so it did not run.'],
    );
    assert.deepEqual(bodies(run.events, 'reviewStarted', 'reviewFinished', 'reviewFailed'), [
      { kind: 'reviewStarted', callId: 'a' },
      { kind: 'reviewFailed', callId: 'a', code: 'noReviewer', reason: 'no reviewer is set up' },
    ]);
  });

  const reviews: readonly (readonly [string, SecurityReviewer['review'], string, string])[] = [
    [
      'a denial',
      (request) =>
        Promise.resolve({
          allowed: false,
          rationale: `deletes "all"`,
          risk: 'critical',
          authorization: 'unknown',
          digest: request.digest,
        }),
      'The security review denied this call: "deletes \\"all\\"".',
      'reviewFinished',
    ],
    [
      'no verdict',
      () => Promise.reject(new Error('the provider said something')),
      'This call needs a security review and the review failed, so it did not run.',
      'reviewFailed',
    ],
    [
      'a verdict about something else',
      () =>
        Promise.resolve({
          allowed: true,
          rationale: '',
          risk: 'low',
          authorization: 'high',
          digest: 'other',
        }),
      'This call needs a security review and the reviewer gave no valid verdict, so it did not run.',
      'reviewFailed',
    ],
  ];
  for (const [name, review, text, recorded] of reviews)
    it(`${name} keeps the call from running`, async () => {
      const run = await attempt({ safety: 'requiresAuthorization', mode: 'review', review: { review } });
      assert.deepEqual([run.ran, run.text], [false, text]);
      const kinds = bodies(run.events, 'reviewStarted', 'reviewFinished', 'reviewFailed').map(
        (body) => body.kind,
      );
      assert.deepEqual(kinds, ['reviewStarted', recorded]);
    });
});
