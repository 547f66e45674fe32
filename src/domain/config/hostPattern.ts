import { asciiLower } from './asciiCase.ts';

/**
 * Whether `text` matches a pattern of `*` and `?`, which stand for bytes. Linear in the product of both lengths, without regular
 * expressions, so that no pattern of a file can hang the window. Source: OpenSSH `match_pattern`; ssh_config(5), PATTERNS.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  return pattern.includes('?') && /[^\x00-\x7f]/.test(text)
    ? matchesUnits(asBytes(text), asBytes(pattern))
    : matchesUnits(text, pattern);
}

function matchesUnits(text: string, pattern: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starText = 0;
  while (at < text.length) {
    const char = pattern[inPattern];
    if (char === '*') {
      star = inPattern++;
      starText = at;
    } else if (char !== undefined && (char === '?' || char === text[at])) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++starText;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}

/** One character for each byte of UTF-8. */
function asBytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Whether a list that may negate (`!`) matches: a matching negation refuses, otherwise one match suffices. */
export function matchesPatterns(text: string, patterns: readonly string[]): boolean {
  let matched = false;
  for (const pattern of patterns) {
    if (pattern.startsWith('!')) {
      if (matchesPattern(text, pattern.slice(1))) return false;
    } else if (matchesPattern(text, pattern)) matched = true;
  }
  return matched;
}

/** A comma list of host patterns against a host name; case does not count. Source: OpenSSH `match_hostname`. */
export function matchesHostList(host: string, list: string): boolean {
  return matchesPatterns(asciiLower(host), asciiLower(list).split(','));
}

/** True for a name that stands for itself: no wildcard, no negation. */
export function isLiteralPattern(pattern: string): boolean {
  return pattern !== '' && !/^!|[*?]/.test(pattern);
}
