import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RuledCall } from '../../../../src/agentkit/index.ts';
import { readApprovalRules, type ApprovalRuleSet } from '../../../../src/application/approvalRuleSet.ts';
import { approvalRules } from '../../../../src/application/assistant/approvalRules.ts';
import { approvalRequest } from './approvals.ts';

interface Parts {
  readonly name?: string;
  readonly namespace?: string;
  readonly target?: 'host' | 'user' | 'local';
  readonly command?: string;
  readonly input?: string;
  readonly host?: string;
}

function call({
  name = 'ssh_exec_run',
  namespace,
  target = 'host',
  command,
  input,
  host = 'web-1',
}: Parts): RuledCall {
  const { descriptor, subject } = approvalRequest();
  return {
    descriptor: { ...descriptor, name, target, ...(namespace !== undefined && { namespace }) },
    arguments: { ...(command !== undefined && { command }), ...(input !== undefined && { text: input }) },
    subject: { ...subject, target: host, targetId: host === '' ? '' : 'id-1' },
  };
}

function effectOf(rules: ApprovalRuleSet, parts: Parts): string {
  return approvalRules(() => rules).judge(call(parts))?.effect ?? 'none';
}

describe('a rule of the person', () => {
  for (const [rule, parts, effect, why] of [
    [{ effect: 'ask' }, { command: 'df' }, 'ask', 'it names nothing, so it means every call'],
    [{ tool: 'ssh_exec_run', effect: 'deny' }, { command: 'df' }, 'deny', 'the tool is named'],
    [{ tool: 'ssh_exec', effect: 'deny' }, { command: 'df' }, 'none', 'a name is compared whole'],
    [
      { tool: 'issues.create', effect: 'deny' },
      { name: 'create', namespace: 'issues' },
      'deny',
      'a remote tool',
    ],
    [
      { tool: 'create', effect: 'deny' },
      { name: 'create', namespace: 'issues' },
      'none',
      'without its server',
    ],
    [{ host: 'WEB-1 ', effect: 'deny' }, { command: 'df' }, 'deny', 'a label in any case'],
    [{ host: 'id-1', effect: 'deny' }, { command: 'df' }, 'deny', 'the id of the host'],
    [{ host: 'web-2', effect: 'deny' }, { command: 'df' }, 'none', 'another host'],
    [{ host: 'web-1', effect: 'deny' }, { command: 'df', host: '' }, 'none', 'a call without a host'],
    [{ argv: ['rm'], effect: 'deny' }, { command: 'sudo rm a' }, 'deny', 'the words are there'],
    [{ argv: ['rm'], effect: 'deny' }, { command: "sh -c 'rm a'" }, 'ask', 'the words may be there'],
    [
      { argv: ['rm'], effect: 'deny' },
      { name: 'ssh_exec_stdin', input: 'rm a\n' },
      'deny',
      'what is written',
    ],
    [{ argv: ['rm'], effect: 'deny' }, { name: 'ssh_exec_stdin', input: 'yes\n' }, 'none', 'an answer'],
    [{ argv: ['rm'], effect: 'deny' }, { target: 'local', input: 'rm a' }, 'none', 'words for no host'],
    [{ argv: ['rm'], effect: 'ask' }, { command: 'rm a' }, 'ask', 'the words are there'],
    [{ argv: ['rm'], effect: 'deny' }, { name: 'list_hosts' }, 'none', 'a call without a command'],
    [
      { tool: 'ssh_exec_run', host: 'web-2', argv: ['rm'], effect: 'deny' },
      { command: 'rm a' },
      'none',
      'all must match',
    ],
    [
      { effect: 'deny' },
      { name: 'request_user_input', target: 'user' },
      'none',
      'questions to the person stay',
    ],
  ] as const)
    it(`${JSON.stringify(rule)} → ${effect} (${why})`, () => {
      assert.equal(
        effectOf(
          readApprovalRules([rule], (problem) => assert.fail(problem)),
          parts,
        ),
        effect,
      );
    });

  it('that refuses wins over one that asks, in any order', () => {
    const rules = [{ effect: 'ask' }, { argv: ['rm'], effect: 'deny' }] as const;
    assert.equal(effectOf(rules, { command: 'rm a' }), 'deny');
    assert.equal(effectOf(rules.toReversed(), { command: 'rm a' }), 'deny');
  });

  it('that refuses and may be meant refuses where nobody is asked, also beside one that asks', () => {
    const deny: ApprovalRuleSet = [{ argv: ['rm'], effect: 'deny' }];
    for (const command of ['$(echo rm) a', "sh -c 'rm a'", 'sh -s'])
      for (const rules of [deny, [{ effect: 'ask' } as const, ...deny]])
        assert.equal(approvalRules(() => rules).judge(call({ command }))?.orElse, 'deny', command);
    const ask: ApprovalRuleSet = [{ argv: ['rm'], effect: 'ask' }];
    assert.equal(approvalRules(() => ask).judge(call({ command: 'sh -s' }))?.orElse, undefined);
  });

  it('is named in the reason', () => {
    const verdict = approvalRules(() => [{ argv: ['rm'], effect: 'deny' }]).judge(call({ command: 'rm a' }));
    assert.equal(
      verdict?.reason,
      'A rule of the user refuses this call (termind.approval.rules): {"argv":["rm"],"effect":"deny"}.',
    );
  });

  it('is read as it stands at each call', () => {
    let current: ApprovalRuleSet = [];
    const rules = approvalRules(() => current);
    assert.equal(rules.judge(call({ command: 'rm a' })), undefined);
    current = [{ effect: 'deny' }];
    assert.equal(rules.judge(call({ command: 'rm a' }))?.effect, 'deny');
  });
});

describe('the setting of rules', () => {
  it('is empty when nothing is set', () => {
    assert.deepEqual(
      readApprovalRules(undefined, (problem) => assert.fail(problem)),
      [],
    );
  });

  for (const raw of [
    'ask',
    {},
    [{ effect: 'allow' }],
    [{ effect: 'ask', hosts: 'web-1' }],
    [{ argv: [], effect: 'ask' }],
    [{ argv: 'rm', effect: 'deny' }],
    [{ effect: 'ask' }, { host: '', effect: 'deny' }],
    [{}],
  ])
    it(`asks about everything when it is malformed, and says so: ${JSON.stringify(raw)}`, () => {
      const problems: string[] = [];
      const rules = readApprovalRules(raw, (problem) => problems.push(problem));
      assert.equal(effectOf(rules, { name: 'list_hosts', target: 'local' }), 'ask');
      assert.equal(effectOf(rules, { command: 'df -h' }), 'ask');
      assert.equal(effectOf(rules, { name: 'request_user_input', target: 'user' }), 'none');
      assert.match(
        problems.join(),
        /^termind\.approval\.rules.* is not usable .*: everything is asked about until it is$/,
      );
    });
});
