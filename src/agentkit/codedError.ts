import { AgentError } from './agentError.ts';

/** What an error of ours says: a code, facts, and a sentence fit for the model. */
export interface CodedError {
  readonly code: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly sentence: string;
}

/**
 * Recognises the errors whose message is ours: `AgentError`, and errors of the editor side that carry a `fault` with code and
 * facts. Everything else is foreign text and undefined here.
 */
export function codedError(error: unknown): CodedError | undefined {
  if (error instanceof AgentError) return { code: error.code, facts: error.facts, sentence: error.message };
  if (!(error instanceof Error) || !('fault' in error)) return undefined;
  const { fault } = error;
  if (typeof fault !== 'object' || fault === null || !('code' in fault) || typeof fault.code !== 'string')
    return undefined;
  const facts = 'facts' in fault ? stringFacts(fault.facts) : {};
  return { code: fault.code, facts, sentence: error.message };
}

function stringFacts(facts: unknown): Readonly<Record<string, string>> {
  if (typeof facts !== 'object' || facts === null) return {};
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Foreign text inside a sentence of ours: quoted, on one line, at most 500 characters. The caller redacts. Source: section 8.2. */
export function quoteForeign(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return JSON.stringify(line.length > foreignLimit ? `${line.slice(0, foreignLimit - 1)}…` : line);
}

const foreignLimit = 500;
