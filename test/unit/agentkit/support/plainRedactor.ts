import type { Redactor } from '../../../../src/agentkit/index.ts';

/** A canary: wherever it comes out, redaction was forgotten. */
export const secret = 'correct-horse-battery';

/** Knows one secret and no shapes, so that a test sees exactly where redaction happens. */
export const plainRedactor: Redactor = {
  redact: (text) => text.replaceAll(secret, '[redacted]'),
  redactJson: (value) => JSON.parse(JSON.stringify(value).replaceAll(secret, '[redacted]')) as typeof value,
  stream: () => {
    let held = '';
    return {
      push: (text) => {
        held += text;
        return '';
      },
      peek: () => plainRedactor.redact(held),
      end: () => plainRedactor.redact(held),
    };
  },
};
