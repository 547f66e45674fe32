import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { checkLink } from '../../../../src/features/assistant/screen/checkLink.ts';

const folders = ['/home/me/project'];

describe('links of a model', () => {
  for (const [link, opened] of [
    ['https://example.com/a?b#c', { kind: 'external', url: 'https://example.com/a?b#c' }],
    ['http://example.com', { kind: 'external', url: 'http://example.com/' }],
    [
      'termind-scratch:/c1/outputs/ssh-exec-1.txt',
      { kind: 'resource', uri: 'termind-scratch:/c1/outputs/ssh-exec-1.txt' },
    ],
    ['termind-sftp://h1/etc/fstab', { kind: 'resource', uri: 'termind-sftp://h1/etc/fstab' }],
    [
      'file:///home/me/project/a.ts#L12,3',
      { kind: 'file', path: '/home/me/project/a.ts', line: 12, column: 3 },
    ],
    [
      'file:///home/me/project/a%20b.ts',
      { kind: 'file', path: '/home/me/project/a b.ts', line: 1, column: 1 },
    ],
  ] as const)
    it(`opens: ${link}`, () => {
      assert.deepEqual(checkLink(link, folders), opened);
    });

  for (const [link, reason] of [
    ['javascript:alert(1)', 'a script'],
    ['data:text/html,x', 'a document'],
    ['command:workbench.action.terminal.new', 'a command of the editor'],
    ['vscode://extension', 'another program of the editor'],
    ['vscode-remote://ssh-remote/x', 'another scheme'],
    ['mailto:a@example.com', 'another scheme'],
    ['ssh://example.com', 'another scheme'],
    ['https://user:secret@example.com/', 'credentials in the address'],
    ['https://bank.example.com@192.0.2.1/', 'a user that looks like a host'],
    ['/etc/passwd', 'no address'],
    ['file:///etc/passwd', 'outside of the open folders'],
    ['file:///home/me/project-two/a.ts', 'a folder whose name only begins alike'],
    ['file:///home/me/project/%2e%2e/secret', 'leaves the folder'],
    ['file:///home/me/project/a%00.ts', 'a NUL'],
    ['file:///home/me/project/%E0%A4%A', 'broken escapes'],
    ['file://192.0.2.1/share/home/me/project/a.ts', 'another machine'],
    ['', 'nothing'],
  ] as const)
    it(`refuses: ${link} (${reason})`, () => {
      assert.equal(checkLink(link, folders), undefined);
    });
});
