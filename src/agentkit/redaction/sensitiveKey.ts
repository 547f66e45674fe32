const sensitiveEndings = [
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passphrases',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'authorization',
  'cookie',
  'cookies',
  'apikey',
  'accesskey',
  'privatekey',
];
const keyOwners: ReadonlySet<string> = new Set(['api', 'access', 'private']);
/** Tokens that only say where to read on. */
const positions = ['page', 'next', 'continuation', 'cursor', 'sync'];

/** Words of a key, split at case and punctuation, in lower case: `DBPassword` and `db_password` are `db`, `password`. */
export function keyWords(key: string): readonly string[] {
  return (key.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

/**
 * True when the value under this key is a secret: password, passwd, passphrase, secret, credential, authorization, cookie, api key,
 * access key or private key anywhere in it, or a final `token` that is no reading position. Words run together count too
 * (`PGPASSWORD`, `accesstoken`). Source: agent runtime contract, section 14.
 */
export function isSensitiveKey(words: readonly string[]): boolean {
  const named = words.some(
    (word, index) =>
      sensitiveEndings.some((ending) => word.endsWith(ending)) ||
      (word === 'key' && keyOwners.has(words[index - 1] ?? '')),
  );
  return named || endsInToken(words);
}

function endsInToken(words: readonly string[]): boolean {
  const last = words.findLastIndex((word) => !/^\d/.test(word));
  const word = words[last] ?? '';
  if (!word.endsWith('token')) return false;
  const before = word === 'token' ? (words[last - 1] ?? '') : word.slice(0, -'token'.length);
  return !positions.some((position) => before.endsWith(position));
}

/** `Authorization`, `Cookie` and their kin: the whole value counts, with its spaces. */
export function isHeaderKey(words: readonly string[]): boolean {
  return words.at(-1) === 'authorization' || words.at(-1) === 'cookie';
}
