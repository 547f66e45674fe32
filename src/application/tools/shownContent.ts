import { decodeText, unifiedDiff, type Redactor } from '../../agentkit/index.ts';
import { showUntrusted, type TextLimits } from '../../domain/ssh/untrustedText.ts';

/** What a person can look through on a card. */
const cardText: TextLimits = { maxCharacters: 16_384, maxLines: 200 };
const contextLines = 3;

/** The beginning of a content for a card, redacted and safe to look at. */
export function shownHead(bytes: Uint8Array, redactor: Redactor): string {
  const text = decodeText(bytes)?.text;
  if (text === undefined) return '(not text)';
  return text === '' ? '(empty)' : shown(redactor.redact(text), redactor);
}

/** What changes between two contents, redacted and safe to look at. */
export function shownDiff(
  {
    before,
    after,
    label,
  }: { readonly before: Uint8Array; readonly after: Uint8Array; readonly label: string },
  redactor: Redactor,
): string {
  if (Buffer.compare(before, after) === 0) return '(nothing)';
  const [old, now] = [decodeText(before)?.text, decodeText(after)?.text];
  if (old === undefined || now === undefined) return '(not text)';
  const diff = unifiedDiff(
    { label, text: redactor.redact(old) },
    { label, text: redactor.redact(now) },
    contextLines,
  );
  if (diff === undefined) return '(too much to be compared)';
  const { content } = diff;
  if (typeof content !== 'string' || content === '')
    return '(only line endings, or what is hidden as a secret)';
  return shown(content, redactor);
}

/** Redacted once more, since the marks of a diff stand in front of the lines. */
function shown(text: string, redactor: Redactor): string {
  return redactor.redact(showUntrusted(text, cardText));
}
