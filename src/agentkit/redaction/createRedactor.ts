import type { Json, JsonObject } from '../json.ts';
import type { Redactor } from '../redactor.ts';
import type { KnownSecrets } from './knownSecrets.ts';
import { LiveRedactor } from './liveRedactor.ts';
import { mark } from './mark.ts';
import { LineSequence, RedactionRules } from './redactLines.ts';
import { LineRedactionStream } from './redactionStream.ts';
import { isSensitiveKey, keyWords } from './sensitiveKey.ts';

/**
 * The redactor of a window, over the values it knows. Linear in the text, whatever it holds. Knows of several lines only PEM blocks:
 * a value that a config file spreads over lines is found only when it is a known one.
 * Source: agent runtime contract, section 14; decisions 3.
 */
export function createRedactor(known: KnownSecrets): Redactor {
  const rules = new RedactionRules(known);
  const redact = (text: string): string => new LineSequence(rules).redact(text);
  return {
    redact,
    redactJson: <T>(value: T) => redactValue(value as Json, redact) as T,
    stream: () => new LineRedactionStream(rules),
    live: () => new LiveRedactor(rules),
  };
}

function redactValue(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((item) => redactValue(item, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      redact(key),
      isSecretMember(value, key) ? hidden(member) : redactValue(member, redact),
    ]),
  );
}

/** Under a sensitive key, or the `value` beside a sensitive `name`. */
function isSecretMember(object: JsonObject, key: string): boolean {
  const { name } = object;
  const named = key === 'value' && typeof name === 'string' ? name : key;
  return isSensitiveKey(keyWords(named));
}

/** `null` and `""` say that there is none. */
function hidden(value: Json): Json {
  return value === null || value === '' ? value : mark;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
