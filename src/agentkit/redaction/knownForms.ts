import { mark } from './mark.ts';

/** Shorter values would mark half of every text. Source: agent runtime contract, section 14. */
export const shortestKnown = 6;
/** A longer form is cut into pieces of this many UTF-16 units; a stream's carry holds the longest. */
export const longestForm = 16_384;

/**
 * The forms in which a known value may appear in one line, as UTF-16LE bytes: as it is, base64 (standard and URL-safe, at each of
 * the three alignments inside a longer text), URL-encoded and JSON-escaped, also twice: a log line in JSON in which a program put JSON.
 * A value of several lines is known by its lines; armour lines are not secret. Empty for a value of less than 6 bytes. The caller wipes
 * the buffers.
 */
export function knownForms(value: Uint8Array): readonly Buffer[] {
  if (value.length < shortestKnown) return [];
  const text = Buffer.from(value).toString('utf8');
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  const forms = [
    ...text.split('\n').filter((line) => !line.startsWith('-----')),
    json,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    url.replaceAll('%20', '+'),
    ...base64Forms(value),
  ];
  const parts = forms.flatMap((form) => form.split(mark)).map((form) => form.replace(/\r$/, ''));
  return [...new Set(parts)]
    .filter((form) => Buffer.byteLength(form, 'utf8') >= shortestKnown)
    .flatMap(pieces)
    .map((form) => Buffer.from(form, 'utf16le'));
}

function base64Forms(value: Uint8Array): readonly string[] {
  const whole = Buffer.from(value).toString('base64');
  const standard = [whole, whole.replace(/=+$/, ''), ...[0, 1, 2].map((shift) => base64Inside(value, shift))];
  return [...standard, ...standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** The characters of base64 that depend on the value alone when `shift` bytes stand in front of it. */
function base64Inside(value: Uint8Array, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), value]).toString('base64');
  return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + value.length) * 8) / 6));
}

function pieces(form: string): readonly string[] {
  const count = Math.ceil(form.length / longestForm);
  return Array.from({ length: count }, (_, index) =>
    form.slice(index * longestForm, (index + 1) * longestForm),
  );
}
