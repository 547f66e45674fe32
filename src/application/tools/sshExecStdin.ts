import { z } from 'zod';
import {
  defineTool,
  nonBlank,
  utf8Max,
  type Preflight,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../../agentkit/index.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { takeInputMs, type InputOutcome } from '../exec/commandInput.ts';
import type { ExecRecord } from '../exec/execRecord.ts';
import type { InputPart } from '../exec/remoteCommand.ts';
import { execId, maxInputBytes } from './execInput.ts';
import { execPresentation, execScope, heldHost, notHeld } from './execResult.ts';
import { consumeSecret } from './execSecret.ts';
import { sentenceOf } from './failure.ts';
import { findHost, hostSubject, unknownHost } from './hostSubject.ts';
import { ToolService } from './keys.ts';
import { productionRefusal, raisedDetail, wayToProductionRefusal } from './production.ts';
import { trustReason } from './trustReason.ts';

/** sudo has its prompt and its password from the start of a command, so what is written later is never for it. */
const purpose = 'command_input';

const input = z
  .strictObject({
    exec_id: execId,
    text: utf8Max(maxInputBytes)
      .optional()
      .describe('Written as given: put a line feed at the end of a line. May be empty.'),
    secret_handle: nonBlank(64)
      .optional()
      .describe(
        'From request_user_secret, for ssh_exec_stdin and command_input; written with a line feed behind it. Not together with text.',
      ),
    eof: z.boolean().optional().describe('Close standard input behind it.'),
  })
  .refine(({ text, secret_handle }) => text === undefined || secret_handle === undefined, {
    error: 'text and secret_handle cannot be given together',
  })
  .refine(
    ({ text, secret_handle, eof }) => text !== undefined || secret_handle !== undefined || eof === true,
    { error: 'one of text, secret_handle and eof must be given' },
  );
type Arguments = z.output<typeof input>;

/** Writes to a running command. Source: tools.md, `ssh_exec_stdin`. */
export function sshExecStdin(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'ssh_exec_stdin',
      summary:
        'Writes to the standard input of a running command that was started by ssh_exec_run in this conversation with stdin.keep_open, and can close it. The user decides first and sees the text. written_bytes is null for a secret.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      secretPurposes: [purpose],
      presentation: {
        symbol: 'terminal',
        activity: 'Writing to a command',
        presenterId: 'execStdin',
        actionKind: 'execute',
        groupsWithAdjacent: false,
      },
    },
    preflight: review,
    execute: write,
  });
}

async function review(args: Arguments, context: ToolContext): Promise<Preflight> {
  const held = context.services.get(ToolService.exec).get(execScope(context), args.exec_id);
  if (held === undefined) return { refusal: notHeld };
  const record = held.command.record();
  const closed = closedSentence(record);
  if (closed !== undefined) return { refusal: closed };
  const host = await findHost(context.services.get(ToolService.hosts), record.hostId);
  if (host === undefined) return { refusal: unknownHost };
  const refusal = await closedProduction(host, args, context);
  if (refusal !== undefined) return { refusal };
  const trust = [...new Set([...record.trust, ...trustReason([args.text ?? ''], {})])];
  return {
    alwaysAskUser: trust.length > 0,
    subject: hostSubject(host, `Write to standard input of: ${record.command}`, [
      ...raisedDetail(host, context),
      ...details(args),
    ]),
    reasons: ['What a running command does with its input cannot be proven.', ...trust],
  };
}

async function closedProduction(
  host: HostListing,
  { text }: Arguments,
  context: ToolContext,
): Promise<string | undefined> {
  return productionRefusal(host, context) ?? (await wayToProductionRefusal([text ?? ''], context));
}

function details(args: Arguments): readonly { label: string; value: string }[] {
  return [
    ...(args.text === undefined ? [] : [{ label: 'Standard input', value: args.text }]),
    ...(args.secret_handle === undefined
      ? []
      : [
          { label: 'Secret', value: 'The one you typed is written to the command as one line of its input.' },
        ]),
    ...(args.eof === true ? [{ label: 'Standard input', value: '(is closed behind it)' }] : []),
  ];
}

async function write(args: Arguments, context: ToolContext): Promise<ToolOutcome> {
  const { services, signal } = context;
  const held = services.get(ToolService.exec).get(execScope(context), args.exec_id);
  if (held === undefined) return { kind: 'failure', sentence: notHeld };
  const { command } = held;
  const label = await heldHost(held, context);
  const { hostId } = command.record();
  const host = await findHost(services.get(ToolService.hosts), hostId);
  const refusal = host === undefined ? unknownHost : await closedProduction(host, args, context);
  if (refusal !== undefined) return { kind: 'failure', sentence: refusal };
  const { secret_handle: handle, text = '' } = args;
  const take = (): InputPart =>
    handle === undefined
      ? { kind: 'bytes', bytes: Buffer.from(text, 'utf8') }
      : {
          kind: 'secret',
          secret: consumeSecret(handle, purpose, { context, host: { id: hostId, label } }),
        };
  try {
    const outcome = await command.write({ take, closes: args.eof === true }, signal);
    const record = command.record();
    if (outcome.kind !== 'written')
      return { kind: 'failure', sentence: problem(outcome, { record, isSecret: handle !== undefined }) };
    return {
      kind: 'success',
      fields: {
        exec_id: record.execId,
        status: record.status,
        written_bytes: handle === undefined ? outcome.bytes : null,
        stdin_open: record.stdinOpen,
      },
      presentation: execPresentation(record),
    };
  } catch (error) {
    return { kind: 'failure', sentence: sentenceOf(error, signal) };
  }
}

function problem(
  outcome: Exclude<InputOutcome, { kind: 'written' }>,
  { record, isSecret }: { readonly record: ExecRecord; readonly isSecret: boolean },
): string {
  const seconds = String(takeInputMs / 1_000);
  switch (outcome.kind) {
    case 'closed':
      return closedSentence(record) ?? inputClosed;
    case 'busy':
      return `Nothing was written: for ${seconds} seconds something else still had the standard input of this command, an earlier write or a question of sudo. Look at it with ssh_exec_output.`;
    case 'notTaken': {
      const amount = isSecret ? 'only a part of the secret was' : `${String(outcome.bytes)} bytes were`;
      return `The command did not read all of its input within ${seconds} seconds: ${amount} handed over, and the rest was not written. Its standard input is still open.`;
    }
    case 'brokenOff':
      return 'The command ended or stopped reading while its input was being written; how much of it was read is unknown. Look at it with ssh_exec_output.';
  }
}

const inputClosed =
  'The standard input of this command is closed, so nothing was written. Only a command that was started with stdin.keep_open takes input later.';

/** Undefined while the input can be written to. */
function closedSentence({ status, exitCode, stdinOpen }: ExecRecord): string | undefined {
  if (status !== 'running') {
    const code = exitCode === undefined ? '' : `, exit code ${String(exitCode)}`;
    return `The command has ended (${status}${code}), so nothing was written.`;
  }
  return stdinOpen ? undefined : inputClosed;
}
