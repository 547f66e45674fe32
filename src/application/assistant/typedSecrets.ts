import type {
  ClockPort,
  ConversationId,
  Disposable,
  UserSecretPort,
  UserSecretRequest,
} from '../../agentkit/index.ts';
import type { SecretFieldPort } from '../ports/secretField.ts';

export interface TypedSecretsOptions {
  readonly field: SecretFieldPort;
  readonly clock: ClockPort;
  /** Empty when it has none yet. A rejection counts as none. */
  readonly titleOf: (id: ConversationId) => Promise<string>;
}

/** Secrets that a person types for the tools of a run, one field at a time. Source: agent runtime contract, section 13; decisions 26. */
export function typedSecrets({ field, clock, titleOf }: TypedSecretsOptions): UserSecretPort {
  const titleFor = async ({ conversationId }: UserSecretRequest): Promise<string> =>
    conversationId === undefined ? '' : titleOf(conversationId).catch(() => '');
  return {
    async ask(request, signal) {
      const { host, consumerTool: tool, purpose, prompt: words, timeoutMs } = request;
      const conversation = await titleFor(request);
      const late = new AbortController();
      let timer: Disposable | undefined;
      const shown = (): void => {
        timer = clock.after(timeoutMs, () => late.abort(new Error('nobody typed a secret')));
      };
      try {
        const question = { host, tool, purpose, conversation, words };
        const typed = await field.ask(question, shown, AbortSignal.any([signal, late.signal]));
        if (late.signal.aborted) return 'timedOut';
        return typed === undefined || typed === '' || signal.aborted ? 'cancelled' : ownBytes(typed);
      } finally {
        timer?.dispose();
      }
    },
  };
}

/** In memory of their own: small buffers are otherwise parts of one that everybody shares. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text, 'utf8'));
  bytes.write(text, 'utf8');
  return bytes;
}
