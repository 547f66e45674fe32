import type { PageDocument, PageLine } from '../../../src/domain/page/pageDocument.ts';

const open: PageLine = [{ linkText: '~/.ssh/config:12', action: '["open","~/.ssh/config",12]' }];
const long = 'ssh-ed25519-cert-v01@openssh.com,'.repeat(12);

/** Every kind of block, with texts that are long, odd and empty. */
export const everyBlock: PageDocument = {
  title: 'Effective SSH configuration of web-1',
  subtitle: 'The values are those of ssh -G for the name web-1.',
  notices: [
    {
      tone: 'bad',
      text: 'The server did not answer.',
      buttons: [{ label: 'Edit Host', action: 'edit', isPrimary: true }],
    },
    { tone: 'warning', text: 'ssh itself refuses this configuration because of 2 line(s).' },
    { tone: 'good', text: 'Everything is as it should be.' },
    { tone: 'plain', text: 'Something to know.', buttons: [{ label: 'Show', action: 'show' }] },
  ],
  sections: [
    {
      title: 'Where it comes from',
      blocks: [
        {
          k: 'facts',
          rows: [
            { name: 'Address', lines: [[{ code: '2001:db8::1' }]] },
            { name: 'Blocks that hold', lines: [open, [{ quiet: 'none' }]] },
          ],
        },
        { k: 'text', line: [{ badge: 'equal', tone: 'good' }, 'Both readings give the same values.'] },
      ],
    },
    {
      title: 'Values',
      blocks: [
        {
          k: 'table',
          caption: 'Values',
          columns: ['Keyword', 'Value', 'Set by', 'In Termind'],
          filter: 'Filter values',
          showQuiet: 'Show 240 that nothing sets',
          rows: [
            {
              cells: [
                [['HostKeyAlgorithms']],
                [[{ quiet: 'written as' }, { code: '+ssh-rsa' }], [{ code: long }]],
                [open, [{ quiet: 'came too late:' }, ...open]],
                [
                  [{ badge: 'honoured with difference', tone: 'warning' }],
                  ["Applied to Termind's own list."],
                ],
              ],
            },
            {
              cells: [
                [['User']],
                [[{ code: 'deploy' }]],
                [[{ badge: 'host record', tone: 'plain' }]],
                [[{ badge: 'honoured', tone: 'good' }]],
              ],
            },
            ...Array.from({ length: 240 }, (_, index) => ({
              cells: [
                [[`Keyword${String(index)}`]],
                [[{ code: `value <b>${String(index)}</b>` }]],
                [[{ quiet: 'default' }]],
                [[{ badge: 'not honoured', tone: 'bad' } as const]],
              ],
              isQuiet: true,
            })),
          ],
        },
      ],
    },
    {
      title: 'What happened',
      blocks: [
        {
          k: 'steps',
          steps: [
            { state: 'done', word: 'Done', line: ['TCP to', { code: '192.0.2.1:22' }], time: '12 ms' },
            {
              state: 'failed',
              word: 'Failed',
              line: ['Key exchange'],
              time: '3 ms',
              blocks: [{ k: 'code', label: 'Server said', text: `no matching cipher\n${long}` }],
            },
            { state: 'skipped', word: 'Skipped', line: ['Sign-in'] },
            { state: 'running', word: 'Running', line: ['Waiting'] },
            { state: 'note', word: 'Note', line: [{ quiet: 'nothing more' }] },
          ],
        },
        { k: 'details', summary: 'Both lists', blocks: [{ k: 'code', label: 'Ours', text: 'aes128-ctr' }] },
      ],
    },
  ],
};
