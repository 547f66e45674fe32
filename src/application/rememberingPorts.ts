import type { Disposable, SecretRegistry } from '../agentkit/index.ts';
import type { ConnectionPromptPort, SecretStorePort } from './ports/prompts.ts';

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
    confirm: (question, signal) => prompts.confirm(question, signal),
    signing: (notice, signal) => prompts.signing(notice, signal),
    async secret(question, signal) {
      const answer = await prompts.secret(question, signal);
      if (answer !== undefined && !question.echo) known.add(Buffer.from(answer.text, 'utf8'));
      return answer;
    },
  };
}
