import type { ApprovalRules, JsonObject, RuledCall, RuleVerdict } from '../../agentkit/index.ts';
import { runsArgv } from '../../domain/shell/runsArgv.ts';
import type { ApprovalRule, ApprovalRuleSet } from '../approvalRuleSet.ts';

type Match = 'yes' | 'no' | 'maybe';

const setting = 'termind.approval.rules';

/**
 * The person's rules as they stand. A rule that may be meant asks, and one that refuses does so where nobody is asked; one that is meant does what it says, and rules that cannot be read ask
 * about everything. Source: agent runtime contract, section 11.
 */
export function approvalRules(current: () => ApprovalRuleSet): ApprovalRules {
  return { judge: (call) => judge(call, current()) };
}

function judge(call: RuledCall, rules: ApprovalRuleSet): RuleVerdict | undefined {
  // Questions of the model to the person are a way to them, not around them.
  if (call.descriptor.target === 'user') return undefined;
  if (rules === 'unreadable')
    return { effect: 'ask', reason: `The setting ${setting} cannot be read, so everything is asked about.` };
  const matches = rules.map((rule) => ({ rule, match: matchOf(rule, call) }));
  const denying = matches.find(({ rule, match }) => rule.effect === 'deny' && match === 'yes');
  if (denying !== undefined)
    return {
      effect: 'deny',
      reason: `A rule of the user refuses this call (${setting}): ${inWords(denying.rule)}.`,
    };
  const denial = matches.find(({ rule, match }) => rule.effect === 'deny' && match === 'maybe');
  const asking = denial ?? matches.find(({ match }) => match !== 'no');
  if (asking === undefined) return undefined;
  const how = asking.match === 'yes' ? 'A rule of the user asks about it' : 'A rule of the user may be meant';
  const reason = `${how} (${setting}): ${inWords(asking.rule)}.`;
  return { effect: 'ask', reason, ...(denial !== undefined && { orElse: 'deny' }) };
}

function matchOf(rule: ApprovalRule, { descriptor, arguments: args, subject }: RuledCall): Match {
  const { namespace, name } = descriptor;
  const qualified = namespace === undefined ? name : `${namespace}.${name}`;
  if (rule.tool !== undefined && rule.tool !== qualified) return 'no';
  if (rule.host !== undefined && !isHost(rule.host, subject)) return 'no';
  if (rule.argv === undefined) return 'yes';
  if (descriptor.target !== 'host') return 'no';
  const { argv } = rule;
  const matches = linesOf(args).map((line) => runsArgv(line, argv));
  return matches.find((match) => match === 'yes') ?? matches.find((match) => match === 'maybe') ?? 'no';
}

/** The command of a call on a host, and what goes into the input of one, which may be a shell. */
function linesOf({ command, text, stdin }: JsonObject): readonly string[] {
  const input = typeof stdin === 'object' && stdin !== null && 'text' in stdin ? stdin['text'] : undefined;
  return [command, text, input].filter((line) => typeof line === 'string');
}

/** By label, in any case of letters, or by id. */
function isHost(written: string, { target, targetId }: RuledCall['subject']): boolean {
  if (targetId === '') return false;
  const wanted = written.trim().toLowerCase();
  return wanted === target.toLowerCase() || wanted === targetId.toLowerCase();
}

function inWords({ tool, host, argv, effect }: ApprovalRule): string {
  const parts = { ...(tool && { tool }), ...(host && { host }), ...(argv && { argv }), effect };
  return JSON.stringify(parts);
}
