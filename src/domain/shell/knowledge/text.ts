import { contentOperands, mayBeKernelFolder, recursiveOperands } from '../contentPath.ts';
import { atMost, rule, type Machine, type ProgramRule, type ReadOptions } from '../programRule.ts';

/** Programs that read text and print it. What they are given is opened for reading. */
export const text: readonly ProgramRule[] = [
  rule({
    names: ['cat'],
    system: 'posix',
    table: {
      words: 'anyPattern',
      flags: 'AbeEnstTuv',
      long: [
        'show-all',
        'number-nonblank',
        'show-ends',
        'number',
        'squeeze-blank',
        'show-tabs',
        'show-nonprinting',
      ],
    },
    operands: contentOperands,
  }),
  rule({
    names: ['head'],
    table: {
      words: 'anyPattern',
      flags: 'qvz',
      valued: 'cn',
      long: ['quiet', 'silent', 'verbose', 'zero-terminated'],
      longValued: ['bytes', 'lines'],
      numeric: true,
    },
    operands: contentOperands,
  }),
  rule({
    names: ['tail'],
    table: {
      words: 'anyPattern',
      flags: 'qvz',
      valued: 'cn',
      long: ['quiet', 'silent', 'verbose', 'zero-terminated'],
      longValued: ['bytes', 'lines'],
      numeric: true,
      refused: {
        '-f': 'tail -f never ends.',
        '-F': 'tail -F never ends.',
        '--follow': 'tail --follow never ends.',
      },
    },
    operands: contentOperands,
  }),
  rule({
    names: ['wc'],
    table: { flags: 'clLmw', long: ['bytes', 'chars', 'lines', 'words', 'max-line-length', 'total'] },
    operands: contentOperands,
  }),
  rule({
    names: ['tac'],
    table: { flags: 'br', valued: 's', long: ['before', 'regex'], longValued: ['separator'] },
    operands: contentOperands,
  }),
  rule({ names: ['nl'], table: { flags: 'p', valued: 'bdfhilnsvw' }, operands: contentOperands }),
  rule({ names: ['rev'], table: {}, operands: contentOperands }),
  rule({ names: ['fold'], table: { flags: 'bs', valued: 'w', numeric: true }, operands: contentOperands }),
  rule({ names: ['expand', 'unexpand'], table: { flags: 'ai', valued: 't' }, operands: contentOperands }),
  rule({ names: ['paste'], table: { flags: 'sz', valued: 'd' }, operands: contentOperands }),
  rule({
    names: ['column'],
    table: { flags: 'tnex', valued: 'scoN', long: ['table'] },
    operands: contentOperands,
  }),
  rule({ names: ['join'], table: { flags: 'iz', valued: 'aeoftv12j' }, operands: contentOperands }),
  rule({
    names: ['cut'],
    system: 'posix',
    table: {
      flags: 'nsz',
      valued: 'bcdf',
      long: ['complement', 'only-delimited', 'zero-terminated'],
      longValued: ['bytes', 'characters', 'delimiter', 'fields', 'output-delimiter'],
    },
    operands: contentOperands,
  }),
  rule({
    names: ['tr'],
    system: 'posix',
    table: { flags: 'cCdst', long: ['complement', 'delete', 'squeeze-repeats', 'truncate-set1'] },
  }),
  rule({
    names: ['grep', 'egrep', 'fgrep'],
    table: {
      flags: 'EFGPivwxycloqsbHhnTZzaIrLU',
      valued: 'emABCd',
      long: [
        'extended-regexp',
        'fixed-strings',
        'basic-regexp',
        'perl-regexp',
        'ignore-case',
        'no-ignore-case',
        'invert-match',
        'word-regexp',
        'line-regexp',
        'count',
        'color',
        'colour',
        'files-with-matches',
        'files-without-match',
        'only-matching',
        'quiet',
        'silent',
        'no-messages',
        'byte-offset',
        'with-filename',
        'no-filename',
        'line-number',
        'initial-tab',
        'null',
        'null-data',
        'text',
        'recursive',
        'line-buffered',
        'binary',
      ],
      longValued: [
        'regexp',
        'max-count',
        'after-context',
        'before-context',
        'context',
        'directories',
        'include',
        'exclude',
        'exclude-dir',
        'binary-files',
        'label',
      ],
      numeric: true,
      refused: {
        '-R': 'grep -R follows links, which may lead to devices.',
        '--dereference-recursive': 'grep --dereference-recursive follows links, which may lead to devices.',
        '-D': 'grep -D may read devices.',
        '--devices': 'grep --devices may read devices.',
        '-f': 'grep -f opens one more file.',
        '--file': 'grep --file opens one more file.',
      },
    },
    operands: grepOperands,
  }),
  rule({
    names: ['sort'],
    table: {
      flags: 'bcCdfghimMnrRsuVz',
      valued: 'ktS',
      long: [
        'ignore-leading-blanks',
        'check',
        'dictionary-order',
        'ignore-case',
        'general-numeric-sort',
        'human-numeric-sort',
        'ignore-nonprinting',
        'merge',
        'month-sort',
        'numeric-sort',
        'random-sort',
        'reverse',
        'stable',
        'unique',
        'version-sort',
        'zero-terminated',
        'sort',
      ],
      longValued: ['key', 'field-separator', 'buffer-size', 'parallel'],
      refused: {
        '-o': 'sort -o writes a file.',
        '--output': 'sort --output writes a file.',
        '-T': 'sort -T writes into the folder it is given.',
        '--temporary-directory': 'sort --temporary-directory writes into the folder it is given.',
        '--compress-program': 'sort --compress-program runs a program.',
      },
    },
    operands: contentOperands,
  }),
  rule({
    names: ['uniq'],
    table: {
      flags: 'cdDiuz',
      valued: 'fsw',
      long: ['count', 'repeated', 'all-repeated', 'group', 'ignore-case', 'unique', 'zero-terminated'],
      longValued: ['skip-fields', 'skip-chars', 'check-chars'],
    },
    operands: (read, machine) =>
      read.behindOperands.length > 0
        ? 'Some take an option behind the file for the second file of uniq, which is written.'
        : (atMost(1, 'The second file of uniq is written.')(read) ?? contentOperands(read, machine)),
  }),
  rule({
    names: ['comm'],
    table: {
      flags: '123z',
      long: ['check-order', 'nocheck-order', 'total', 'zero-terminated'],
      longValued: ['output-delimiter'],
    },
    operands: contentOperands,
  }),
  rule({
    names: ['cmp'],
    table: {
      flags: 'bls',
      valued: 'in',
      long: ['print-bytes', 'verbose', 'quiet', 'silent'],
      longValued: ['bytes', 'ignore-initial'],
    },
    operands: contentOperands,
  }),
  rule({
    names: ['diff'],
    table: {
      flags: 'abBcdeEiNpqrsStTuwyZ',
      valued: 'UCWIxF',
      long: [
        'brief',
        'report-identical-files',
        'side-by-side',
        'ignore-case',
        'ignore-all-space',
        'ignore-space-change',
        'ignore-blank-lines',
        'recursive',
        'new-file',
        'text',
        'color',
        'unified',
        'context',
        'suppress-common-lines',
        'minimal',
        'strip-trailing-cr',
        'no-dereference',
      ],
      longValued: ['width', 'exclude', 'label', 'ignore-matching-lines'],
      refused: { '-l': 'diff -l runs pr.', '--paginate': 'diff --paginate runs pr.' },
    },
    // Of a folder it opens what is named like the other file.
    operands: (read, machine) =>
      read.given.has('-r') || read.given.has('--recursive')
        ? recursiveOperands(read.operands, machine)
        : (contentOperands(read, machine) ??
          (read.operands.some((word) => mayBeKernelFolder(word, machine))
            ? 'diff of a folder of the kernel may open devices.'
            : undefined)),
  }),
  rule({
    names: ['md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum', 'b2sum', 'cksum', 'sum'],
    table: {
      flags: 'btwz',
      long: ['binary', 'tag', 'text', 'zero', 'ignore-missing', 'quiet', 'status', 'strict', 'warn'],
      refused: {
        '-c': 'A list that is checked names files which are opened.',
        '--check': 'A list that is checked names files which are opened.',
      },
    },
    operands: contentOperands,
  }),
  rule({
    names: ['base64', 'base32'],
    table: { flags: 'di', valued: 'w', long: ['decode', 'ignore-garbage'], longValued: ['wrap'] },
    operands: contentOperands,
  }),
  rule({
    names: ['od'],
    table: {
      flags: 'bcdfilosvx',
      valued: 'ANStj',
      optional: 'w',
      longValued: ['address-radix', 'skip-bytes', 'read-bytes', 'format'],
    },
    operands: contentOperands,
  }),
  rule({ names: ['hexdump', 'hd'], table: { flags: 'bcCdovx', valued: 'ens' }, operands: contentOperands }),
  rule({
    names: ['strings'],
    table: {
      flags: 'af',
      valued: 'nte',
      long: ['all', 'print-file-name'],
      longValued: ['bytes', 'radix', 'encoding'],
      numeric: true,
    },
    operands: (read, machine) =>
      read.operands.some((word) => word.text.startsWith('@'))
        ? 'strings reads its options from such a file.'
        : contentOperands(read, machine),
  }),
  rule({
    names: ['seq'],
    system: 'posix',
    table: {
      flags: 'w',
      valued: 'fs',
      long: ['equal-width'],
      longValued: ['format', 'separator'],
      numeric: true,
    },
  }),
];

/** The first operand is the pattern unless -e gave it. */
function grepOperands(read: ReadOptions, machine: Machine): string | undefined {
  const patternGiven = ['-e', '--regexp'].some((name) => read.given.has(name));
  const [pattern, ...rest] = read.operands;
  if (!patternGiven && pattern?.hasPattern === true)
    return `${pattern.text} may expand to file names; quote it.`;
  const paths = patternGiven ? read.operands : rest;
  const recursive = ['-r', '--recursive'].some((name) => read.given.has(name));
  if (recursive || read.given.has('-d') || read.given.has('--directories'))
    return recursiveOperands(paths, machine);
  return contentOperands({ ...read, operands: paths }, machine);
}
