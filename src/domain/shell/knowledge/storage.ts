import { noOperands, rule, type ProgramRule } from '../programRule.ts';

/** Programs that tell about disks, buses and mounts. */
export const storage: readonly ProgramRule[] = [
  rule({
    names: ['lsblk'],
    table: {
      flags: 'aAbdDfilJmMnOpPrsStz',
      valued: 'oIexE',
      long: [
        'all',
        'bytes',
        'fs',
        'json',
        'list',
        'noheadings',
        'nodeps',
        'output-all',
        'pairs',
        'paths',
        'perms',
        'raw',
        'scsi',
        'topology',
        'inverse',
        'tree',
      ],
      longValued: ['output', 'include', 'exclude', 'sort'],
    },
  }),
  rule({
    names: ['lscpu'],
    table: {
      flags: 'abcJy',
      optional: 'epC',
      long: ['all', 'online', 'offline', 'json', 'extended', 'parse', 'caches'],
    },
    operands: noOperands,
  }),
  rule({
    names: ['lsmem'],
    table: {
      flags: 'abJnPr',
      valued: 'oS',
      long: ['all', 'bytes', 'json', 'noheadings', 'raw'],
      longValued: ['output', 'split', 'summary'],
    },
    operands: noOperands,
  }),
  rule({ names: ['lsusb'], table: { flags: 'tv', valued: 'sd' }, operands: noOperands }),
  rule({ names: ['lspci'], table: { flags: 'vnktmD', valued: 'sd' }, operands: noOperands }),
  rule({ names: ['lsmod'], table: {}, operands: noOperands }),
  rule({
    names: ['findmnt'],
    table: {
      flags: 'aAbcCdDefiJklmnPrRsuUv',
      valued: 'dMnoOSTtN',
      long: [
        'all',
        'df',
        'json',
        'kernel',
        'list',
        'noheadings',
        'pairs',
        'raw',
        'real',
        'submounts',
        'fstab',
        'bytes',
      ],
      longValued: ['output', 'source', 'target', 'types', 'mountpoint'],
      refused: { '-p': 'findmnt -p never ends.', '--poll': 'findmnt --poll never ends.' },
    },
  }),
  rule({
    names: ['mount'],
    table: { flags: 'l', valued: 't' },
    operands: (read) => (read.operands.length === 0 ? undefined : 'mount with a place mounts it.'),
  }),
  rule({
    names: ['swapon'],
    table: { flags: 's', long: ['show', 'summary', 'noheadings', 'raw', 'bytes'] },
    operands: (read) =>
      read.operands.length === 0 &&
      (read.given.has('--show') || read.given.has('-s') || read.given.has('--summary'))
        ? undefined
        : 'swapon without --show changes swap.',
  }),
];
