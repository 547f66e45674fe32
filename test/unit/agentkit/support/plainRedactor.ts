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
  live: () => {
    let held = '';
    return {
      push: (text) => {
        held = plainRedactor.redact(held + text);
        const kept = Array.from(secret, (_, length) => length).findLast((length) =>
          held.endsWith(secret.slice(0, length)),
        );
        const shown = held.slice(0, held.length - (kept ?? 0));
        held = held.slice(shown.length);
        return shown;
      },
      end: () => plainRedactor.redact(held),
    };
  },
};
