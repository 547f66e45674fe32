import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { allowedChannels, groups, type ChannelGroup } from '../../../../src/domain/ssh/channelShares.ts';

type Open = Partial<Record<ChannelGroup, number>>;

/** What each group may have open, as `terminal browse tool transfer`. */
function shares(limit: number, open: Open, wanted: readonly ChannelGroup[] = []): string {
  return groups
    .map((group) =>
      allowedChannels(group, {
        limit,
        open: (of) => open[of] ?? 0,
        isWanted: (of) => wanted.includes(of),
      }).toString(),
    )
    .join(' ');
}

describe('the shares of the channels of a connection', () => {
  for (const [limit, open, expected, reason] of [
    [10, {}, '9 9 8 8', 'one is kept for a terminal, one for browsing; transfers alone get eight'],
    [10, { terminal: 1 }, '9 9 8 4', 'transfers get four beside anything else'],
    [10, { terminal: 1, browse: 1 }, '9 9 8 4', 'nothing has to be kept any more'],
    [10, { tool: 8 }, '1 1 8 0', 'eight commands leave one for a terminal and one for browsing'],
    [10, { transfer: 8 }, '1 1 0 8', 'what transfers leave is for a terminal and browsing'],
    [10, { terminal: 4, browse: 1, tool: 5 }, '4 1 5 0', 'full'],
    [3, {}, '2 2 1 1', 'three: one each'],
    [3, { terminal: 1 }, '2 2 1 1', 'the second terminal takes what nobody needs'],
    [2, {}, '1 1 1 1', 'two: a terminal and one for files or a command'],
    [2, { terminal: 1 }, '1 1 1 1', 'the second is for whoever comes'],
    [2, { browse: 1 }, '1 1 1 0', 'browsing and transfers share one'],
    [2, { transfer: 1 }, '1 0 1 1', 'and the other way round'],
    [2, { terminal: 1, browse: 1 }, '1 1 0 0', 'full'],
    [1, {}, '1 1 1 1', 'one: first come, first served'],
    [1, { terminal: 1 }, '1 0 0 0', 'the terminal keeps it'],
  ] as const)
    it(`${limit.toString()} channels, ${JSON.stringify(open)}: ${expected} (${reason})`, () => {
      assert.equal(shares(limit, open), expected);
    });

  it('transfers give back when somebody waits', () => {
    assert.equal(shares(10, { transfer: 8 }, ['tool']), '1 1 0 4');
  });

  it('never allows more than the limit in all, whatever is open', () => {
    for (let limit = 1; limit <= 12; limit++)
      for (let terminal = 0; terminal <= limit; terminal++)
        for (let tool = 0; terminal + tool <= limit; tool++) {
          const open = new Map<ChannelGroup, number>([
            ['terminal', terminal],
            ['tool', tool],
          ]);
          for (const group of groups) {
            const others = (group === 'terminal' ? 0 : terminal) + (group === 'tool' ? 0 : tool);
            const allowed = allowedChannels(group, {
              limit,
              open: (of) => open.get(of) ?? 0,
              isWanted: () => false,
            });
            assert.ok(allowed >= 0 && allowed + others <= Math.max(limit, others));
          }
        }
  });
});
