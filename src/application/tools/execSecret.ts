import { randomBytes } from 'node:crypto';
import type { ConsumedSecret, ToolContext } from '../../agentkit/index.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { withSudoPrompt } from '../../domain/shell/sudoCommand.ts';
import { ExecRefusedError } from '../exec/execRefused.ts';
import type { CommandSecret } from '../exec/remoteCommand.ts';
import type { ExecRunArguments } from './execInput.ts';
import { ToolService } from './keys.ts';

/** What a secret of a command is for. Source: agent runtime contract, section 13. */
export const execSecretPurposes = ['sudo', 'command_input'] as const;
type SecretPurpose = (typeof execSecretPurposes)[number];

/** How long a person has for another password. */
const againMs = 300_000;

/** The command as it will run and what its secret is for: a plain sudo at its start gets a prompt that we recognise. Source: decisions 5. */
export interface SecretCommand {
  readonly command: string;
  readonly purpose: SecretPurpose;
  /** What sudo will ask with; undefined for any other reader. */
  readonly marker: string | undefined;
}

export function secretCommand(command: string): SecretCommand {
  const marker = `termind-sudo-${randomBytes(16).toString('hex')}`;
  const withPrompt = withSudoPrompt(command, marker);
  return withPrompt === undefined
    ? { command, purpose: 'command_input', marker: undefined }
    : { command: withPrompt, purpose: 'sudo', marker };
}

/**
 * Uses the handle up. Throws `ExecRefusedError` when there is none like it, or when it is for something else, which leaves it. The
 * caller disposes the secret unless a command takes it over.
 */
export function takeSecret(
  args: Pick<ExecRunArguments, 'secret_handle'>,
  { purpose, marker }: SecretCommand,
  place: Place,
): CommandSecret | undefined {
  if (args.secret_handle === undefined) return undefined;
  const secret = consumeSecret(args.secret_handle, purpose, place);
  if (marker === undefined) return { kind: 'input', secret };
  const again = askAgain(purpose, place);
  return { kind: 'sudo', password: { marker, first: secret, ...(again === undefined ? {} : { again }) } };
}

export function disposeSecret(secret: CommandSecret): void {
  (secret.kind === 'sudo' ? secret.password.first : secret.secret)?.dispose();
}

interface Place {
  readonly context: ToolContext;
  readonly host: Pick<HostListing, 'id' | 'label'>;
}

/** Uses a handle up for this call. Throws `ExecRefusedError` as `takeSecret` does. The caller disposes the secret. */
export function consumeSecret(
  handle: string,
  purpose: SecretPurpose,
  { context, host }: Place,
): ConsumedSecret {
  const use = { runId: context.runId, tool: context.toolName, hostId: host.id, purpose };
  const taken = context.secrets.consume(handle, use);
  switch (taken.kind) {
    case 'consumed':
      return taken.secret;
    case 'notFound':
      throw new ExecRefusedError('secretNotFound');
    case 'mismatch':
      throw new ExecRefusedError('secretMismatch', { purpose });
  }
}

/** A person is asked for another password the way the first one was; undefined where nobody can be asked. */
function askAgain(
  purpose: SecretPurpose,
  place: Place,
): ((signal: AbortSignal) => Promise<ConsumedSecret | undefined>) | undefined {
  const { context, host } = place;
  const field = context.services.get(ToolService.secretField);
  if (field === undefined) return undefined;
  return async (ended) => {
    const { runId, conversationId, callId, toolName, secrets, signal } = context;
    const waiting = context.waiting('user');
    try {
      const given = await field.ask(
        {
          runId,
          ...(conversationId === undefined ? {} : { conversationId }),
          callId,
          prompt: 'sudo refused the password. Type it again.',
          host: host.label,
          consumerTool: toolName,
          purpose,
          timeoutMs: againMs,
        },
        AbortSignal.any([ended, signal]),
      );
      if (typeof given === 'string' || given.length === 0) return undefined;
      // By way of the broker, so that the redactor knows it and somebody overwrites it.
      return consumeSecret(
        secrets.issue(given, { tool: toolName, hostId: host.id, purpose }),
        purpose,
        place,
      );
    } finally {
      waiting.dispose();
    }
  };
}
