import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  approvalDigest,
  type ApprovalPort,
  type ApprovalQuestion,
  type ApprovalRequest,
  type ApprovalRules,
  type Decision,
  type Grant,
  type GrantPort,
  type GrantShape,
  type PermissionMode,
  type Preflight,
  type Revision,
} from '../../../src/agentkit/index.ts';
import { secret } from './support/plainRedactor.ts';
import { probeTool, success, type ProbeInput } from './support/probeTool.ts';
import { allowing, bodies, envelope, finished, prepare, results } from './support/runHarness.ts';
import { answer, asks, call } from './support/scriptedStream.ts';

const never = new AbortController().signal;

function allow({ id, digest }: ApprovalRequest, forConversation = false): Decision {
  return {
    verdict: 'allow',
    digest,
    ground: { kind: 'user', id },
    ...(forConversation && { forConversation }),
  };
}

function shapeOf(value: string): GrantShape {
  return { tool: 'act', targetId: 'h1', key: { value }, action: value, target: 'lab' };
}

/** Runs `act` with what it is given, except that `ls` is proven, `mkfs` is never allowed and `bad host` has no target. */
function classify({ value = '' }: ProbeInput): Preflight {
  if (value === 'bad host') return { refusal: 'There is no host with this id.' };
  const subject = { action: value, target: 'lab', targetId: 'h1', identity: 'root', tier: '', details: [] };
  if (value === 'ls') return { safety: 'locallyReadOnly', subject };
  if (value === 'mkfs') return { safety: 'deny', subject };
  return { subject, reasons: [`${value} is not proven.`], grantable: shapeOf(value) };
}

class MemoryGrants implements GrantPort {
  readonly given: Grant[] = [];

  covering(_conversation: unknown, shape: GrantShape): Promise<Grant | undefined> {
    const found = this.given.find((grant) => JSON.stringify(grant.shape) === JSON.stringify(shape));
    return Promise.resolve(found);
  }

  give(_conversation: unknown, shape: GrantShape): Promise<Grant> {
    const grant = { id: `g${String(this.given.length + 1)}`, shape, givenAt: 1 };
    this.given.push(grant);
    return Promise.resolve(grant);
  }
}

interface SetUp {
  readonly values: readonly string[];
  readonly decide?: (question: ApprovalQuestion) => Promise<Decision>;
  readonly mode?: PermissionMode;
  readonly grants?: GrantPort;
  readonly rules?: ApprovalRules;
  readonly alwaysAskUser?: boolean;
  readonly planning?: boolean;
  readonly preflight?: (args: ProbeInput) => Preflight;
}

/** One turn after the other calls `act` with the next value. */
async function attempt(setUp: SetUp) {
  const ran: string[] = [];
  const asked: ApprovalRequest[] = [];
  const approvals: ApprovalPort = {
    decide: (question) => {
      asked.push(question.request);
      return setUp.decide?.(question) ?? Promise.resolve(allow(question.request));
    },
  };
  const tool = probeTool('act', {
    descriptor: {
      safety: 'requiresAuthorization',
      concurrency: 'parallel',
      alwaysAskUser: setUp.alwaysAskUser ?? false,
      editedArgument: 'value',
    },
    preflight: setUp.preflight ?? classify,
    execute: ({ value = '' }) => {
      ran.push(value);
      return success({ done: value });
    },
  });
  const run = await finished({
    answers: [
      ...setUp.values.map((value, at) => asks(call(`c${String(at)}`, 'act', { value }))),
      answer('Done.'),
    ],
    tools: [tool],
    options: {
      approvals,
      permissionMode: setUp.mode ?? 'ask',
      planning: setUp.planning ?? false,
      ...(setUp.grants && { grants: setUp.grants }),
      ...(setUp.rules && { rules: setUp.rules }),
    },
  });
  return { ran, asked, run, texts: results(await run.stored()) };
}

describe('a call that the person edits', () => {
  it('is checked and classified again, shown again, and runs as edited', async () => {
    const shown: Revision[] = [];
    const { ran, texts, run } = await attempt({
      values: ['rm -rf /srv'],
      decide: async ({ request, revise }) => {
        assert.deepEqual(request.editable, { argument: 'value', text: 'rm -rf /srv' });
        const revision = await revise?.('rm /srv/a', never);
        assert.ok(revision?.ok);
        shown.push(revision);
        return allow(revision.request);
      },
    });
    assert.deepEqual(ran, ['rm /srv/a']);
    assert.deepEqual(texts, { c0: envelope('{"done":"rm /srv/a","edited_by_user":{"value":"rm /srv/a"}}') });
    const requests = bodies(run.events, 'approvalRequested').map(({ request }) => request);
    assert.deepEqual(
      requests.map(({ subject, reasons, isEdited }) => [subject.action, reasons, isEdited]),
      [
        ['rm -rf /srv', ['rm -rf /srv is not proven.'], false],
        ['rm /srv/a', ['rm /srv/a is not proven.'], true],
      ],
    );
    assert.equal(requests[0]?.id, requests[1]?.id);
    assert.notEqual(requests[0]?.digest, requests[1]?.digest);
    assert.equal(requests[1]?.digest, approvalDigest(requests[1] as ApprovalRequest));
    assert.deepEqual(shown, [{ ok: true, request: requests[1] }]);
    const told = bodies(run.events, 'toolProposed', 'callDecided').map((body) =>
      body.kind === 'toolProposed' ? body.call.subject?.action : body.digest,
    );
    assert.deepEqual(
      told,
      ['rm -rf /srv', 'rm /srv/a', requests[1].digest],
      'a decision is about what was shown',
    );
  });

  it('does not run by the digest of what it was before', async () => {
    const { ran, texts } = await attempt({
      values: ['rm -rf /srv'],
      decide: async ({ request, revise }) => {
        await revise?.('rm /srv/a', never);
        return allow(request);
      },
    });
    assert.deepEqual([ran, texts['c0']], [[], 'This call was not approved, so it did not run.']);
  });

  it('does not run by the digest of an earlier edit', async () => {
    const { ran } = await attempt({
      values: ['rm -rf /srv'],
      decide: async ({ request, revise }) => {
        const first = await revise?.('rm /srv/a', never);
        await revise?.('rm /srv/b', never);
        return allow(first?.ok === true ? first.request : request);
      },
    });
    assert.deepEqual(ran, []);
  });

  it('runs as edited last', async () => {
    const { ran } = await attempt({
      values: ['rm -rf /srv'],
      decide: async ({ request, revise }) => {
        await revise?.('rm /srv/a', never);
        const last = await revise?.('ls', never);
        return allow(last?.ok === true ? last.request : request);
      },
    });
    assert.deepEqual(ran, ['ls']);
  });

  for (const [text, problem] of [
    ['bad host', 'There is no host with this id.'],
    ['mkfs', 'This call is never allowed.'],
    ['forbidden', 'A rule refuses it.'],
    [`echo ${secret}`, /^This call was not run: part of it looks like a secret/],
  ] as const)
    it(`stays as it was when the edit cannot be used: ${text === `echo ${secret}` ? 'a secret' : text}`, async () => {
      const problems: string[] = [];
      const { ran } = await attempt({
        values: ['rm -rf /srv'],
        rules: {
          judge: ({ subject }) =>
            subject.action === 'forbidden' ? { effect: 'deny', reason: 'A rule refuses it.' } : undefined,
        },
        decide: async ({ request, revise }) => {
          const revision = await revise?.(text, never);
          if (revision?.ok === false) problems.push(revision.problem);
          return allow(request);
        },
      });
      assert.deepEqual(ran, ['rm -rf /srv']);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', problem instanceof RegExp ? problem : new RegExp(`^${problem}$`));
    });

  it('is told to the model also where it fails', async () => {
    const tool = probeTool('act', {
      descriptor: { safety: 'requiresAuthorization', editedArgument: 'value' },
      execute: () => ({ kind: 'failure', sentence: 'The disk is full.' }),
    });
    const run = await finished({
      answers: [asks(call('a', 'act', { value: 'one' })), answer('Done.')],
      tools: [tool],
      options: {
        approvals: {
          decide: async ({ request, revise }) => {
            const revision = await revise?.('two', never);
            return allow(revision?.ok === true ? revision.request : request);
          },
        },
      },
    });
    assert.deepEqual(results(await run.stored()), {
      a: 'The disk is full. The user had changed the call to "{\\"value\\":\\"two\\"}".',
    });
  });

  it('can be edited as JSON where its tool names no text, and only as one JSON object', async () => {
    const ran: ProbeInput[] = [];
    const problems: string[] = [];
    await finished({
      answers: [asks(call('a', 'act', { value: 'one' })), answer('Done.')],
      tools: [
        probeTool('act', {
          descriptor: { safety: 'requiresAuthorization' },
          execute: (args) => {
            ran.push(args);
            return success({});
          },
        }),
      ],
      options: {
        approvals: {
          decide: async ({ request, revise }) => {
            assert.deepEqual(request.editable, { text: '{\n  "value": "one"\n}' });
            for (const text of ['[1]', '{"value": 1}', '{"other": "x"}']) {
              const refused = await revise?.(text, never);
              if (refused?.ok === false) problems.push(refused.problem);
            }
            const revision = await revise?.('{"value":"two","number":3}', never);
            return allow(revision?.ok === true ? revision.request : request);
          },
        },
      },
    });
    assert.deepEqual(ran, [{ value: 'two', number: 3 }]);
    assert.deepEqual(problems, [
      'The arguments are not one JSON object.',
      'Invalid arguments: value: Invalid input: expected string, received number',
      'Invalid arguments: Unrecognized key: "other"',
    ]);
  });

  it('cannot be edited where a part of it would be hidden', async () => {
    const subject = { action: 'log in', target: '', targetId: '', identity: '', tier: '', details: [] };
    const offered: unknown[] = [];
    await attempt({
      values: [secret],
      preflight: () => ({ subject }),
      decide: ({ request, revise }) => {
        offered.push(request.editable, revise);
        return Promise.resolve(allow(request));
      },
    });
    assert.deepEqual(offered, [undefined, undefined]);
  });
});

describe('a grant', () => {
  it('lets calls of exactly its shape run without asking, and is their ground', async () => {
    const grants = new MemoryGrants();
    const { ran, asked, run } = await attempt({
      values: ['restart app', 'restart app', 'restart db', 'restart app'],
      grants,
      decide: ({ request }) => Promise.resolve(allow(request, request.subject.action === 'restart app')),
    });
    assert.deepEqual(ran, ['restart app', 'restart app', 'restart db', 'restart app']);
    assert.deepEqual(
      asked.map(({ subject, canGrant }) => [subject.action, canGrant]),
      [
        ['restart app', true],
        ['restart db', true],
      ],
    );
    assert.deepEqual(
      bodies(run.events, 'toolStarted').map(({ ground }) => ground),
      [
        { kind: 'user', id: asked[0]?.id },
        { kind: 'grant', id: 'g1' },
        { kind: 'user', id: asked[1]?.id },
        { kind: 'grant', id: 'g1' },
      ],
    );
    assert.deepEqual(bodies(run.events, 'grantGiven'), [
      { kind: 'grantGiven', callId: 'c0', grant: { id: 'g1', shape: shapeOf('restart app'), givenAt: 1 } },
    ]);
  });

  it('spares the security review as well', async () => {
    const grants = new MemoryGrants();
    grants.given.push({ id: 'g1', shape: shapeOf('restart app'), givenAt: 1 });
    const { ran, asked } = await attempt({ values: ['restart app'], grants, mode: 'review' });
    assert.deepEqual([ran, asked], [['restart app'], []]);
  });

  it('counts no more once it is revoked, within the same run', async () => {
    const grants = new MemoryGrants();
    grants.given.push({ id: 'g1', shape: shapeOf('restart app'), givenAt: 1 });
    const { asked } = await attempt({
      values: ['restart app', 'restart db', 'restart app'],
      grants,
      decide: ({ request }) => {
        grants.given.length = 0;
        return Promise.resolve(allow(request));
      },
    });
    assert.deepEqual(
      asked.map(({ subject }) => subject.action),
      ['restart db', 'restart app'],
    );
  });

  it('neither covers nor is offered for a call that always asks the user', async () => {
    const grants = new MemoryGrants();
    grants.given.push({ id: 'g1', shape: shapeOf('restart app'), givenAt: 1 });
    const { asked } = await attempt({
      values: ['restart app'],
      grants,
      alwaysAskUser: true,
      decide: ({ request }) => Promise.resolve(allow(request, true)),
    });
    assert.deepEqual(
      asked.map(({ canGrant }) => canGrant),
      [false],
    );
    assert.equal(grants.given.length, 1);
  });

  it('is neither offered nor given for a call without a shape', async () => {
    const grants = new MemoryGrants();
    const { asked, ran } = await attempt({
      values: ['restart app'],
      grants,
      preflight: () => ({}),
      decide: ({ request }) => Promise.resolve(allow(request, true)),
    });
    assert.deepEqual([asked[0]?.canGrant, grants.given, ran], [false, [], ['restart app']]);
  });

  it('is given for the version that the person wrote', async () => {
    const grants = new MemoryGrants();
    await attempt({
      values: ['restart everything'],
      grants,
      decide: async ({ request, revise }) => {
        const revision = await revise?.('restart app', never);
        return allow(revision?.ok === true ? revision.request : request, true);
      },
    });
    assert.deepEqual(
      grants.given.map(({ shape }) => shape.action),
      ['restart app'],
    );
  });

  it('does not reach past planning or a call that is never allowed', async () => {
    const grants = new MemoryGrants();
    grants.given.push({ id: 'g1', shape: shapeOf('restart app'), givenAt: 1 });
    const { ran } = await attempt({ values: ['restart app'], grants, planning: true });
    assert.deepEqual(ran, []);
  });

  it('covers nothing while the store cannot be read', async () => {
    const broken: GrantPort = {
      covering: () => Promise.reject(new Error('locked')),
      give: () => Promise.reject(new Error('locked')),
    };
    const { ran, asked, run } = await attempt({
      values: ['restart app'],
      grants: broken,
      decide: ({ request }) => Promise.resolve(allow(request, true)),
    });
    assert.deepEqual([ran, asked.length], [['restart app'], 1]);
    assert.deepEqual(run.logged, [
      'the grants of a conversation could not be read',
      'a grant could not be stored',
    ]);
  });
});

describe('rules of the person', () => {
  const ruled = (effect: 'ask' | 'deny'): ApprovalRules => ({
    judge: ({ descriptor, subject }) =>
      descriptor.name === 'act' && subject.targetId === 'h1'
        ? { effect, reason: `A rule says ${effect}.` }
        : undefined,
  });

  for (const mode of ['ask', 'review'] as const)
    it(`put a proven call to the user, with the reason (${mode})`, async () => {
      const { ran, asked } = await attempt({ values: ['ls'], mode, rules: ruled('ask') });
      assert.deepEqual(ran, ['ls']);
      assert.deepEqual(
        asked.map(({ reasons, alwaysAskUser }) => [reasons, alwaysAskUser]),
        [[['A rule says ask.'], true]],
      );
    });

  it('ask nothing in full access', async () => {
    const { ran, asked } = await attempt({ values: ['rm a'], mode: 'full', rules: ruled('ask') });
    assert.deepEqual([ran, asked], [['rm a'], []]);
  });

  for (const mode of ['ask', 'review', 'full'] as const)
    it(`refuse a call, proven or not (${mode})`, async () => {
      const { ran, asked, texts, run } = await attempt({
        values: ['ls', 'rm a'],
        mode,
        rules: ruled('deny'),
      });
      assert.deepEqual([ran, asked], [[], []]);
      assert.deepEqual(texts, { c0: 'A rule says deny.', c1: 'A rule says deny.' });
      assert.deepEqual(
        bodies(run.events, 'callDecided').map((decided) => decided.answer),
        ['c0', 'c1'].map(() => ({ allowed: false, by: 'rule', reason: 'A rule says deny.' })),
      );
    });

  it('that may refuse do so in full access, where nobody is asked', async () => {
    const rules: ApprovalRules = { judge: () => ({ effect: 'ask', orElse: 'deny', reason: 'It may be.' }) };
    const full = await attempt({ values: ['ls', 'rm a'], mode: 'full', rules });
    assert.deepEqual([full.ran, full.asked, full.texts], [[], [], { c0: 'It may be.', c1: 'It may be.' }]);
    const { ran, asked } = await attempt({ values: ['rm a'], mode: 'ask', rules });
    assert.deepEqual([ran, asked.length], [['rm a'], 1]);
  });

  it('that ask keep a call from running while planning, and say why', async () => {
    const { ran, texts } = await attempt({ values: ['ls'], planning: true, rules: ruled('ask') });
    assert.deepEqual(ran, []);
    assert.match(texts['c0'] ?? '', /^A rule of the user wants them to be asked/);
  });

  it('that ask make the whole turn wait its turn', async () => {
    const order: string[] = [];
    await finished({
      answers: [asks(call('a', 'act', { value: 'ls' }), call('b', 'probe', { value: 'x' })), answer('Done.')],
      tools: [
        probeTool('act', {
          preflight: classify,
          execute: () => {
            order.push('act');
            return success({});
          },
        }),
        probeTool('probe', {
          execute: () => {
            order.push('probe');
            return success({});
          },
        }),
      ],
      options: {
        rules: ruled('ask'),
        approvals: {
          decide: ({ request }) => {
            order.push('asked');
            return Promise.resolve(allow(request));
          },
        },
      },
    });
    assert.deepEqual(order, ['asked', 'act', 'probe']);
  });

  it('are asked again when the call is authorized', async () => {
    let effect: 'ask' | 'deny' = 'ask';
    const { ran } = await attempt({
      values: ['rm a', 'rm b'],
      rules: { judge: () => ({ effect, reason: 'A rule.' }) },
      decide: ({ request }) => {
        effect = 'deny';
        return Promise.resolve(allow(request));
      },
    });
    assert.deepEqual(ran, ['rm a']);
  });
});

describe('content that a call carries', () => {
  const contentful = (now: () => string) =>
    probeTool('push', {
      descriptor: { safety: 'requiresAuthorization' },
      preflight: () => ({ content: { sha256: 'aa', digestNow: () => Promise.resolve(now()) } }),
      execute: () => success({ pushed: 1 }),
    });

  for (const mode of ['ask', 'full'] as const)
    it(`is approved by its digest, which counts when it is dispatched (${mode})`, async () => {
      for (const [now, text] of [
        ['aa', envelope('{"pushed":1}')],
        ['bb', 'What this call would send was changed after it was shown, so it did not run.'],
      ] as const) {
        const run = await finished({
          answers: [asks(call('a', 'push')), answer('Done.')],
          tools: [contentful(() => now)],
          options: { approvals: allowing, permissionMode: mode },
        });
        assert.deepEqual(results(await run.stored()), { a: text });
      }
    });

  it('is part of what a decision is bound to', async () => {
    const run = await prepare({
      answers: [asks(call('a', 'push')), answer('Done.')],
      tools: [contentful(() => 'aa')],
      options: { approvals: allowing },
    });
    const ended = run.runtime.run();
    const { request } = await run.next('approvalRequested');
    await ended;
    assert.equal(request.contentSha256, 'aa');
    assert.notEqual(approvalDigest({ ...request, contentSha256: 'bb' }), request.digest);
  });
});

describe('the ground of a call', () => {
  for (const [value, mode, ground] of [
    ['ls', 'ask', { kind: 'proof' }],
    ['ls', 'full', { kind: 'proof' }],
    ['rm a', 'full', { kind: 'fullAccess' }],
  ] as const)
    it(`${value} in ${mode}: ${ground.kind}`, async () => {
      const { run } = await attempt({ values: [value], mode });
      assert.deepEqual(
        bodies(run.events, 'toolStarted').map((started) => [started.ground, started.mode]),
        [[ground, mode]],
      );
    });

  it('is told with the question it answers, before the call starts', async () => {
    const { run, asked } = await attempt({ values: ['rm a'] });
    const told = bodies(run.events, 'callDecided', 'toolStarted');
    const ground = { kind: 'user', id: asked[0]?.id };
    const digest = asked[0]?.digest;
    assert.deepEqual(told, [
      { kind: 'callDecided', callId: 'c0', mode: 'ask', digest, answer: { allowed: true, ground } },
      { kind: 'toolStarted', callId: 'c0', toolName: 'act', ground, mode: 'ask', digest },
    ]);
  });
});
