const lowerLetters = 'abcdefghijklmnopqrstuvwxyz';
const ownersOfKey = ['api', 'access', 'private'];
/** `~` stands for any punctuation without a class of its own. */
const wordSeparators = ['', ' ', '_', '-', '.', '/', ':', '~'];

/**
 * Texts of which every shape needs at least one, in lower case. What holds none and no known value holds nothing to redact, so most
 * text is read once and never matched.
 */
export const shapeTriggers: readonly string[] = [
  'passw',
  'passphrase',
  'secret',
  'credential',
  'authorization',
  'cookie',
  'token',
  '://',
  '-begin ',
  '- begin ',
  'akia',
  'asia',
  'aiza',
  'sk-',
  'github_pat_',
  'glpat-',
  'eyj',
  ...Array.from(lowerLetters).flatMap((letter) => [`gh${letter}_`, `xox${letter}-`]),
  ...ownersOfKey.flatMap((owner) => wordSeparators.map((separator) => `${owner}${separator}key`)),
];
