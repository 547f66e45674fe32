/** Who shares the counted channels of a connection, in the order in which they are served. */
export const groups = ['terminal', 'browse', 'tool', 'transfer'] as const;
export type ChannelGroup = (typeof groups)[number];

/** What is open and wanted on one connection. `open` includes what is being opened. */
export interface ChannelUse {
  readonly limit: number;
  readonly open: (group: ChannelGroup) => number;
  readonly isWanted: (group: ChannelGroup) => boolean;
}

/** With so few channels nothing can be reserved beside a share of one. */
const smallLimit = 2;

/**
 * How many channels a group may have open, those it has included. One is kept for a terminal and one for browsing; tools get at most
 * limit − 2; transfers at most 4, or 8 when nothing else runs or waits. Of one or two channels every group gets at most one, and browsing
 * and transfers one together. Source: ssh.md 1.5.
 */
export function allowedChannels(group: ChannelGroup, use: ChannelUse): number {
  const others = groups.reduce((sum, other) => (other === group ? sum : sum + use.open(other)), 0);
  const free = Math.max(0, use.limit - others);
  if (use.limit <= smallLimit) return Math.min(free, shareOfTwo(group, use));
  const keeps = (other: ChannelGroup): number => (other !== group && use.open(other) === 0 ? 1 : 0);
  const open = Math.max(0, free - keeps('terminal') - keeps('browse'));
  switch (group) {
    case 'terminal':
    case 'browse':
      return open;
    case 'tool':
      return Math.min(open, use.limit - 2);
    case 'transfer':
      return Math.min(open, isAlone(use) ? 8 : 4);
  }
}

function shareOfTwo(group: ChannelGroup, use: ChannelUse): number {
  switch (group) {
    case 'terminal':
    case 'tool':
      return 1;
    case 'browse':
      return use.open('transfer') > 0 ? 0 : 1;
    case 'transfer':
      return use.open('browse') > 0 ? 0 : 1;
  }
}

function isAlone(use: ChannelUse): boolean {
  return groups.every((group) => group === 'transfer' || (use.open(group) === 0 && !use.isWanted(group)));
}
