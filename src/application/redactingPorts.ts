import type { Disposable, Redactor, SecretRegistry } from '../agentkit/index.ts';
import type { ConnectionPromptPort, LogPort, SecretStorePort } from './ports/prompts.ts';

/** The log with the redactor in front of it, also of the causes, whose text is foreign. Source: vscode.md 10. */
export function redactingLog(log: LogPort, redactor: Redactor): LogPort {
  const line =
    (level: 'trace' | 'info' | 'warn'): LogPort['info'] =>
    (component, message) =>
      log[level](component, redactor.redact(message));
  return {
    trace: line('trace'),
    info: line('info'),
    warn: line('warn'),
    error: (component, message, cause) =>
      log.error(
        component,
        redactor.redact(message),
        cause === undefined ? undefined : redactedCause(cause, redactor),
      ),
  };
}

const causesKept = 5;

/** An error with the redacted texts of the chain of causes, and nothing else of them. */
function redactedCause(cause: unknown, redactor: Redactor, depth = 1): Error {
  const text = cause instanceof Error ? cause.message : String(cause);
  const inner =
    cause instanceof Error && cause.cause !== undefined && depth < causesKept
      ? { cause: redactedCause(cause.cause, redactor, depth + 1) }
      : {};
  const redacted = new Error(redactor.redact(text), inner);
  redacted.name = cause instanceof Error ? cause.name : 'Error';
  return redacted;
}

/** The secret store; what is read from it or written to it is known to the redactor from then on. Source: contract, section 14. */
export function rememberingSecrets(secrets: SecretStorePort, known: SecretRegistry): SecretStorePort {
  const registered = new Map<string, Disposable>();
  const remember = (key: string, value: string): void => {
    const before = registered.get(key);
    registered.set(key, known.add(Buffer.from(value, 'utf8')));
    before?.dispose();
  };
  return {
    async get(key) {
      const value = await secrets.get(key);
      if (value !== undefined) remember(key, value);
      return value;
    },
    async set(key, value) {
      remember(key, value);
      await secrets.set(key, value);
    },
    delete: (key) => secrets.delete(key),
  };
}

/** The questions of connections; what was typed without an echo is known to the redactor while the window lives. */
export function rememberingPrompts(
  prompts: ConnectionPromptPort,
  known: SecretRegistry,
): ConnectionPromptPort {
  return {
    hostKey: (question, signal) => prompts.hostKey(question, signal),
    changedKey: (question, signal) => prompts.changedKey(question, signal),
    async secret(question, signal) {
      const answer = await prompts.secret(question, signal);
      if (answer !== undefined && !question.echo) known.add(Buffer.from(answer.text, 'utf8'));
      return answer;
    },
  };
}
