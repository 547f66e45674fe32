import { contentOperands } from '../contentPath.ts';
import { noOperands, rule, type ProgramRule } from '../programRule.ts';

/** Programs that list, measure and name files. They look at entries and do not open what they are given. */
export const files: readonly ProgramRule[] = [
  rule({
    names: ['ls', 'dir', 'vdir'],
    table: {
      words: 'anyText',
      flags: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
      valued: 'ITw',
      long: [
        'all',
        'almost-all',
        'author',
        'escape',
        'classify',
        'color',
        'directory',
        'dereference',
        'file-type',
        'format',
        'full-time',
        'group-directories-first',
        'human-readable',
        'indicator-style',
        'inode',
        'no-group',
        'numeric-uid-gid',
        'quote-name',
        'recursive',
        'reverse',
        'si',
        'size',
        'sort',
        'time',
        'time-style',
        'zero',
      ],
      longValued: ['block-size', 'hide', 'ignore', 'quoting-style', 'tabsize', 'width'],
    },
  }),
  rule({
    names: ['df'],
    table: {
      flags: 'ahHiklPT',
      valued: 'Btx',
      long: [
        'all',
        'human-readable',
        'si',
        'inodes',
        'local',
        'portability',
        'print-type',
        'output',
        'total',
        'no-sync',
      ],
      longValued: ['block-size', 'type', 'exclude-type'],
      refused: { '--sync': 'df --sync flushes buffers.' },
    },
  }),
  rule({
    names: ['du'],
    table: {
      words: 'anyPattern',
      flags: '0abcDhHklLmPsSx',
      valued: 'Bdt',
      long: [
        'all',
        'apparent-size',
        'bytes',
        'count-links',
        'dereference',
        'dereference-args',
        'human-readable',
        'inodes',
        'no-dereference',
        'null',
        'one-file-system',
        'separate-dirs',
        'si',
        'summarize',
        'time',
        'time-style',
        'total',
      ],
      longValued: ['block-size', 'exclude', 'max-depth', 'threshold'],
    },
  }),
  rule({
    names: ['stat'],
    table: {
      words: 'anyText',
      flags: 'fLt',
      valued: 'c',
      long: ['cached', 'dereference', 'file-system', 'terse'],
      longValued: ['format', 'printf'],
    },
  }),
  rule({
    names: ['file'],
    table: {
      flags: 'bhiLNv0',
      valued: 'F',
      long: ['brief', 'dereference', 'mime', 'mime-encoding', 'mime-type', 'no-dereference', 'no-pad'],
      refused: {
        '-C': 'file -C writes a compiled magic file.',
        '-p': 'file -p changes access times.',
        '-s': 'file -s reads devices.',
        '-z': 'file -z runs decompressors.',
      },
    },
    operands: contentOperands,
  }),
  rule({
    names: ['readlink'],
    table: {
      words: 'anyText',
      flags: 'efmnqsvz',
      long: ['canonicalize', 'canonicalize-existing', 'canonicalize-missing', 'no-newline', 'zero'],
    },
  }),
  rule({
    names: ['realpath'],
    table: {
      flags: 'eEmLPqsz',
      long: [
        'canonicalize-existing',
        'canonicalize-missing',
        'logical',
        'physical',
        'quiet',
        'strip',
        'no-symlinks',
        'zero',
      ],
      longValued: ['relative-to', 'relative-base'],
    },
  }),
  rule({
    names: ['basename'],
    system: 'posix',
    table: { flags: 'az', valued: 's', long: ['multiple', 'zero'], longValued: ['suffix'] },
  }),
  rule({ names: ['dirname'], system: 'posix', table: { flags: 'z', long: ['zero'] } }),
  rule({ names: ['pwd'], system: 'posix', table: { flags: 'LP' }, operands: noOperands }),
  rule({
    names: ['cd'],
    system: 'posix',
    table: { flags: 'LP' },
    operands: (read, machine) => {
      const [folder, ...more] = read.operands;
      if (more.length > 0 || folder?.hasPattern === true || folder?.text === '-' || folder?.text === '')
        return 'cd is not given exactly one folder.';
      return contentOperands(read, machine);
    },
  }),
  rule({
    names: ['namei'],
    table: { flags: 'lmnovx', long: ['long', 'modes', 'mountpoints', 'nosymlinks', 'owners', 'vertical'] },
  }),
];
