import {
  defineTool,
  parseJsonObject,
  quoteForeign,
  type CallCapture,
  type JsonObject,
  type Preflight,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../../agentkit/index.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostFacts, HostListing } from '../../domain/host/host.ts';
import { proveReadOnly } from '../../domain/shell/proveReadOnly.ts';
import type { Verdict } from '../../domain/shell/verdict.ts';
import { ExecRefusedError, type ExecRefusal } from '../exec/execRefused.ts';
import { shownPrelude } from '../exec/prelude.ts';
import type { CommandSecret } from '../exec/remoteCommand.ts';
import type { ExecRequest, HeldCommand } from '../exec/remoteExecService.ts';
import { commandShape } from './commandShape.ts';
import { execRunInput, type ExecRunArguments } from './execInput.ts';
import { execOutcome, execScope } from './execResult.ts';
import {
  disposeSecret,
  execSecretPurposes,
  secretCommand,
  takeSecret,
  type SecretCommand,
} from './execSecret.ts';
import { sentenceOf } from './failure.ts';
import { changedHost, findHost, hostSubject, isSameHost, unknownHost } from './hostSubject.ts';
import { ToolService } from './keys.ts';
import { termindOutputPolicies } from './outputPolicies.ts';
import { productionRefusal, raisedDetail, wayToProductionRefusal } from './production.ts';
import { showOutput } from './showOutput.ts';
import { trustReason } from './trustReason.ts';
import { waitingForHost } from './waitingForHost.ts';

const defaultYieldMs = 10_000;
const hostFact = 'host';
/** Under this name preflight keeps whether the command is proven read-only. */
export const provenFact = 'proven';
/** Why it asks the person whoever else could decide. */
const trustFact = 'trust';
/** What a command with a secret became. */
const secretFact = 'secret';
/** C0, DEL and C1 without tab and line feed. */
const refusedControls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
/** Characters that make a text look like another one. */
const deceptive = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

/** Starts a command on a host. Source: tools.md, `ssh_exec_run`; ssh.md 1.9. */
export function sshExecRun(): Tool {
  return defineTool({
    input: execRunInput,
    descriptor: {
      name: 'ssh_exec_run',
      summary:
        'Runs one command on a host over SSH, without a terminal, and returns its output (the last lines when long) and exit status. Commands that are proven read-only run at once; others are decided by the user first. A command that runs longer than yield_ms goes on: read it with ssh_exec_output, write to it with ssh_exec_stdin, end it with ssh_exec_cancel. A non-zero exit_code is a normal result; null means that the host told none.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      body: { field: 'output', kind: 'text' },
      volatile: ['exec_id'],
      secretPurposes: execSecretPurposes,
      editedArgument: 'command',
      presentation: {
        symbol: 'terminal',
        activity: 'Running a command',
        presenterId: 'exec',
        actionKind: 'execute',
        groupsWithAdjacent: false,
      },
    },
    preflight: review,
    execute: run,
  });
}

async function review(args: ExecRunArguments, context: ToolContext): Promise<Preflight> {
  const host = await findHost(context.services.get(ToolService.hosts), args.host_id);
  if (host === undefined) return { refusal: unknownHost };
  if (refusedControls.test(args.command))
    return { refusal: new ExecRefusedError('controlCharacters').message };
  const limited = await context.services.get(ToolService.profiles).limited(host);
  if (limited !== undefined) return { refusal: localFault('limited-host', { family: limited }).message };
  const verdict = await proveOn(host, args, context);
  const secret = args.secret_handle === undefined ? undefined : secretCommand(args.command);
  const { command } = secret ?? args;
  const subject = hostSubject(host, command, [...raisedDetail(host, context), ...details(args, secret)]);
  const facts = new Map<string, unknown>([
    [hostFact, host],
    [provenFact, verdict.proof === 'readOnly'],
    [secretFact, secret],
  ]);
  if (verdict.proof === 'readOnly')
    return { safety: 'locallyReadOnly', concurrency: 'parallel', subject, facts };
  const refusal = await closedProduction(host, args, context);
  if (refusal !== undefined) return { refusal };
  const trust = trustReason([args.command, args.stdin?.text ?? ''], args);
  facts.set(trustFact, trust);
  const shape = commandShape(host, args);
  return {
    safety: 'requiresAuthorization',
    concurrency: 'sequential',
    alwaysAskUser: trust.length > 0,
    ...(secret === undefined ? {} : { reviewedArguments: asJson({ ...args, command }) }),
    ...(shape === undefined ? {} : { grantable: shape }),
    reasons: [`Not proven read-only: ${verdict.reason}`, ...trust, ...deceptiveReason(args.command)],
    subject,
    facts,
  };
}

async function closedProduction(
  host: HostListing,
  { command, stdin, env }: ExecRunArguments,
  context: ToolContext,
): Promise<string | undefined> {
  const lines = [command, stdin?.text ?? '', ...(env ?? []).map(({ value }) => value)];
  return productionRefusal(host, context) ?? (await wayToProductionRefusal(lines, context));
}

/**
 * The verdict for this host's own shell. A host whose shell is not known yet is connected to and asked only when the command would
 * be proven on a usual one, so that a command that asks anyway reaches no host before the decision.
 */
async function proveOn(host: HostListing, args: ExecRunArguments, context: ToolContext): Promise<Verdict> {
  const profiles = context.services.get(ToolService.profiles);
  const known = profiles.known(host);
  if (known !== undefined) return proveUnder(known, args);
  const usual = proveUnder({ loginShell: 'bash', os: 'Linux' }, args);
  if (usual.proof === 'none') return usual;
  return proveUnder(await waitingForHost(context, host.id, () => profiles.learn(host, context.signal)), args);
}

function proveUnder(facts: HostFacts, args: ExecRunArguments): Verdict {
  return proveReadOnly({
    command: args.command,
    cwd: args.cwd,
    hasEnvironment: (args.env ?? []).length > 0,
    hasInput: args.stdin !== undefined || args.secret_handle !== undefined,
    loginShell: facts.loginShell,
    os: facts.os,
  });
}

function details(
  args: ExecRunArguments,
  secret: SecretCommand | undefined,
): readonly { label: string; value: string }[] {
  const prelude = shownPrelude({ cwd: args.cwd, env: args.env ?? [] });
  return [
    ...(prelude === undefined ? [] : [{ label: 'Before it', value: prelude }]),
    ...(secret === undefined ? [] : [{ label: 'Secret', value: secretWords[secret.purpose] }]),
    ...(args.stdin?.text === undefined ? [] : [{ label: 'Standard input', value: args.stdin.text }]),
    ...(args.stdin?.keep_open === true ? [{ label: 'Standard input', value: '(stays open)' }] : []),
    ...(args.timeout_ms === undefined
      ? []
      : [{ label: 'Cancelled after', value: `${args.timeout_ms / 1000} s` }]),
  ];
}

const secretWords = {
  sudo: 'The one you typed goes to sudo, once it asks with the marker above.',
  command_input: 'The one you typed is written to the command as its first line of input.',
} as const;

function deceptiveReason(command: string): readonly string[] {
  return deceptive.test(command)
    ? ['It contains invisible or direction-changing characters, so it may not be what it looks like.']
    : [];
}

async function run(args: ExecRunArguments, context: ToolContext): Promise<ToolOutcome> {
  const { services, signal } = context;
  const reviewed = context.preflightFacts.get(hostFact) as HostListing;
  const host = await findHost(services.get(ToolService.hosts), args.host_id);
  if (host === undefined || !isSameHost(host, reviewed)) return { kind: 'failure', sentence: changedHost };
  const isProven = context.preflightFacts.get(provenFact) === true;
  const refusal = isProven ? undefined : await closedProduction(host, args, context);
  if (refusal !== undefined) return { kind: 'failure', sentence: refusal };
  const yieldMs = args.yield_ms ?? defaultYieldMs;
  let held: HeldCommand;
  let secret: CommandSecret | undefined;
  try {
    const reader = context.preflightFacts.get(secretFact) as SecretCommand | undefined;
    secret = reader && takeSecret(args, reader, { context, host });
    const request = { ...execRequest(args, context, host), ...(secret === undefined ? {} : { secret }) };
    held = await waitingForHost(context, host.id, () =>
      services.get(ToolService.exec).start(request, signal),
    );
  } catch (error) {
    if (secret !== undefined) disposeSecret(secret);
    return { kind: 'failure', sentence: sentenceOf(error, signal) };
  }
  const shown = showOutput(held, context);
  try {
    await held.command.wait({ maxMs: yieldMs, interrupted: context.whenUserInterjects() }, signal);
  } finally {
    shown.dispose();
  }
  const { directoryRefused, sudoFault } = held.command.record();
  if (directoryRefused) return refusedBy('directoryRefused', held, { cwd: args.cwd ?? '' });
  return sudoFault === undefined ? execOutcome(held, host.label) : refusedBy(sudoFault, held);
}

function execRequest(args: ExecRunArguments, context: ToolContext, host: HostListing): ExecRequest {
  const { stdin } = args;
  return {
    scope: execScope(context),
    callId: context.callId,
    host,
    command: args.command,
    cwd: args.cwd,
    env: args.env ?? [],
    stdin: stdin && { text: stdin.text ?? '', keepOpen: stdin.keep_open ?? false },
    timeoutMs: args.timeout_ms,
    channelWaitMs: args.yield_ms ?? defaultYieldMs,
    proven: context.preflightFacts.get(provenFact) === true,
    trust: (context.preflightFacts.get(trustFact) as readonly string[] | undefined) ?? [],
    capture: captureOf(context),
  };
}

/** The cumulative file of this call, where its policy has one. */
function captureOf(context: ToolContext): CallCapture | undefined {
  const { conversationId, runId, toolName } = context;
  const policy = termindOutputPolicies[toolName];
  const owner = { runId, toolName, ...(conversationId === undefined ? {} : { conversationId }) };
  return policy && context.services.get(ToolService.captures).forCall(policy, owner);
}

/** The command was sent, and what stands in front of it kept it from running. */
function refusedBy(
  code: ExecRefusal,
  held: HeldCommand,
  facts: Readonly<Record<string, string>> = {},
): ToolOutcome {
  const { content } = held.output.body();
  const text = quoteForeign(typeof content === 'string' ? content : '');
  return { kind: 'failure', sentence: new ExecRefusedError(code, { ...facts, text }).message };
}

/** Checked arguments as they are shown and digested: what is absent is left out. */
function asJson(args: ExecRunArguments): JsonObject {
  return parseJsonObject(JSON.stringify(args)) ?? {};
}
