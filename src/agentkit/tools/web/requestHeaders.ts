import { WebError } from './webError.ts';

export interface WebHeader {
  readonly name: string;
  readonly value: string;
}

/** Of the connection, not of the request (RFC 9110, section 7.6.1), and what the request itself determines. */
const refusedNames: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'content-length',
]);

/** Source: RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** One byte a character, no controls but the tab. Source: RFC 9110, section 5.5. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Throws `WebError` `headerRefused` for the first header that may not be sent; never quotes a value. Source: agent runtime contract, section 19. */
export function checkHeaders(headers: readonly WebHeader[]): readonly WebHeader[] {
  return headers.map(({ name, value }) => {
    const shown = token.test(name) ? name : JSON.stringify(name);
    const refuse = (reason: string): WebError => new WebError('headerRefused', { name: shown, reason });
    if (!token.test(name)) throw refuse('this is no name of a header');
    if (refusedNames.has(name.toLowerCase())) throw refuse('it belongs to the connection');
    const trimmed = value.trim();
    if (!fieldValue.test(trimmed)) throw refuse('its value has characters that a header cannot have');
    return { name, value: trimmed };
  });
}
