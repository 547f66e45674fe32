import { contentOperands } from '../contentPath.ts';
import { exactly, isPlain, noOperands, rule, withVerbs, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const report = {
  flags: 'av',
  valued: 'o',
  long: ['all', 'noheadings', 'segments'],
  longValued: ['options', 'units'],
};
const device = /^\/dev\/[\w/.-]+$/;

/** Disks, buses, sensors and firmware, looked at. */
export const hardware: readonly ProgramRule[] = [
  rule({
    names: ['smartctl'],
    table: {
      flags: 'aiHAxc',
      valued: 'dl',
      long: ['all', 'info', 'health', 'attributes', 'xall', 'json', 'scan'],
      longValued: ['device'],
      refused: {
        '-s': 'smartctl -s changes the device.',
        '-t': 'smartctl -t starts a test.',
        '-X': 'smartctl -X ends a test.',
      },
    },
    operands: (read) =>
      read.values.every(({ name, value }) => name !== '-l' || /^x?(error|selftest)$/.test(value.text))
        ? onlyDevices('smartctl', read.operands)
        : 'smartctl -l may set a timer.',
  }),
  withVerbs({
    names: ['nvme'],
    verbs: {
      list: { valued: 'o', longValued: ['output-format'] },
      'list-subsys': {},
      'smart-log': {},
      'id-ctrl': {},
      'id-ns': {},
    },
  }),
  {
    names: ['mdadm'],
    system: 'linux',
    check: ([mode, ...rest]) =>
      /^(-D|-E|-Q|--detail|--examine|--query)$/.test(mode?.text ?? '') &&
      rest.every(
        (word) =>
          !word.hasPattern && (word.text === '--scan' || word.text === '--brief' || device.test(word.text)),
      )
        ? undefined
        : 'Only mdadm --detail, --examine and --query are known to be read-only.',
  },
  rule({
    names: ['pvs', 'vgs', 'lvs', 'pvdisplay', 'vgdisplay', 'lvdisplay'],
    table: report,
    operands: plainNames,
  }),
  withVerbs({
    names: ['zpool'],
    // -c runs scripts.
    verbs: { status: { flags: 'vxLP' }, list: { flags: 'HvpLP', valued: 'o' }, iostat: { flags: 'vlHpLP' } },
    operands: (_verb, read) =>
      read.operands.some((word) => /^\d/.test(word.text)) ? 'zpool with an interval never ends.' : undefined,
  }),
  withVerbs({
    names: ['zfs'],
    verbs: { list: { flags: 'Hrp', valued: 'otsSd' }, get: { flags: 'Hrp', valued: 'otsd' } },
  }),
  withVerbs({
    names: ['btrfs'],
    verbs: {
      'filesystem usage': { flags: 'h' },
      'filesystem df': { flags: 'h' },
      'filesystem show': {},
      'fi usage': { flags: 'h' },
      'fi df': { flags: 'h' },
      'fi show': {},
      'subvolume list': { flags: 'p' },
      'device stats': {},
    },
  }),
  {
    names: ['tune2fs'],
    system: 'linux',
    check: ([mode, ...devices]) =>
      mode?.text === '-l' ? onlyDevices('tune2fs', devices) : 'tune2fs without -l changes the file system.',
  },
  {
    names: ['fdisk', 'sfdisk'],
    system: 'linux',
    check: ([mode, ...devices]) =>
      mode?.text === '-l' ? onlyDevices('fdisk', devices) : 'fdisk without -l changes the partitions.',
  },
  rule({
    names: ['dmidecode'],
    table: {
      flags: 'q',
      valued: 'ts',
      long: ['quiet'],
      longValued: ['type', 'string'],
      refused: { '--dump-bin': 'dmidecode --dump-bin writes a file.' },
    },
    operands: noOperands,
  }),
  rule({ names: ['modinfo'], table: { flags: 'adlpn', valued: 'F' }, operands: contentOperands }),
  exactly(
    ['ipmitool'],
    [
      'sensor',
      'sensor list',
      'sdr',
      'sdr list',
      'sel list',
      'sel elist',
      'sel info',
      'fru',
      'fru print',
      'lan print',
      'mc info',
      'chassis status',
      'power status',
      'chassis power status',
    ],
    'ipmitool may change the machine.',
  ),
  exactly(['nvidia-smi'], ['', '-L', '-q'], 'nvidia-smi may change the card.'),
  exactly(['sensors'], ['', '-u'], 'sensors -s sets limits.'),
  exactly(['hwclock'], ['-r', '--show'], 'hwclock may set a clock.'),
  exactly(['efibootmgr'], ['', '-v'], 'efibootmgr may change what is booted.'),
];

function onlyDevices(program: string, words: readonly ShellWord[]): string | undefined {
  const odd = words.find((word) => word.hasPattern || !device.test(word.text));
  return odd === undefined ? undefined : `${program} ${odd.text} is not known to be a device.`;
}

function plainNames(read: { readonly operands: readonly ShellWord[] }): string | undefined {
  const odd = read.operands.find((word) => !isPlain(word));
  return odd === undefined ? undefined : `${odd.text} is not a plain name.`;
}
