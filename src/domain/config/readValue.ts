import { forwardSpec } from './forwardSpec.ts';
import type { KeywordKind } from './keywords.ts';
import { splitArguments } from './splitLine.ts';

/** The values of a line, or why OpenSSH would refuse it. */
export type ReadValue =
  { readonly ok: true; readonly values: readonly string[] } | { readonly ok: false; readonly why: string };

const good = (...values: readonly string[]): ReadValue => ({ ok: true, values });
const bad = (why: string): ReadValue => ({ ok: false, why });

/**
 * Reads what stands behind a keyword into values in the spelling of `ssh -G` (flags `yes`/`no`, times in seconds). Whole words stay as
 * written. Source: ssh.md 4.2; OpenSSH `process_config_line_depth`.
 */
export function readValue(kind: KeywordKind, rest: string): ReadValue {
  if (rest === '') return bad('it has no argument');
  const words = splitArguments(rest);
  if (words === undefined) return bad('a quote is not closed');
  const [first] = words;
  if (kind === 'verbatim') return good(rest.replace(/^[\s=]+/, ''));
  if (kind === 'ignored') return good();
  if (first === undefined) return bad('it has no argument');
  switch (kind) {
    case 'jump':
      return good(/^[^\s#]*/.exec(rest)?.[0] ?? first);
    case 'words':
    case 'appendAll':
      return words.includes('') ? bad('an argument is empty') : good(...words);
    case 'localForward':
    case 'remoteForward':
    case 'dynamicForward': {
      const spec = forwardSpec(kind, words);
      return spec === undefined ? bad('it is not a forwarding specification') : good(spec);
    }
    default:
      return words.length > 1 ? bad('it has more than one argument') : readWord(kind, first);
  }
}

function readWord(kind: 'word' | 'append' | 'flag' | 'number' | 'time' | 'port', word: string): ReadValue {
  if (word === '') return bad('its argument is empty');
  switch (kind) {
    case 'flag':
      return readFlag(word);
    case 'number':
      return /^-?\d{1,9}$/.test(word) ? good(String(Number(word))) : bad('it is not a number');
    case 'time':
      return readTime(word);
    case 'port':
      return readPort(word);
    case 'word':
    case 'append':
      return good(word);
  }
}

function readFlag(word: string): ReadValue {
  const lower = word.toLowerCase();
  if (lower === 'yes' || lower === 'true') return good('yes');
  if (lower === 'no' || lower === 'false') return good('no');
  return lower === 'clientspecified' ? good(lower) : bad('it is neither yes nor no');
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Seconds, or a sum like `1h30m`. Source: sshd_config(5), TIME FORMATS. */
function readTime(word: string): ReadValue {
  if (word === 'none') return good(word);
  if (!/^(?:\d{1,9}[smhdwSMHDW]?)+$/.test(word)) return bad('it is not a time');
  let seconds = 0;
  for (const [, digits = '0', unit = ''] of word.matchAll(/(\d+)([smhdw]?)/gi))
    seconds += Number(digits) * (unitSeconds[unit.toLowerCase()] ?? 1);
  return good(String(seconds));
}

function readPort(word: string): ReadValue {
  if (word === 'ssh') return good('22');
  const port = /^\d{1,5}$/.test(word) ? Number(word) : 0;
  return port >= 1 && port <= 65535 ? good(String(port)) : bad('it is not a port');
}
