import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { sshExecRun } from '../../../../src/application/tools/sshExecRun.ts';

const tool = sshExecRun();
const accepts = (args: object): boolean => tool.validate({ host_id: 'h', command: 'df', ...args }).ok;

describe('the arguments of ssh_exec_run', () => {
  for (const [args, reason] of [
    [{}, 'host and command are enough'],
    [{ cwd: '/' }, 'the root is a folder'],
    [{ cwd: '/srv/a b/ä' }, 'names may hold anything but a slash'],
    [{ cwd: null, env: null, stdin: null }, 'null is as good as absent'],
    [{ env: [{ name: '_A1', value: '' }] }, 'an empty value is a value'],
    [{ stdin: { text: '', keep_open: true } }, 'input may stay open'],
    [{ yield_ms: 0, timeout_ms: 1000 }, 'the lower bounds'],
    [{ yield_ms: 120_000, timeout_ms: 86_400_000 }, 'the upper bounds'],
    [{ command: 'a\n\tb' }, 'a command may have several lines'],
  ] as const)
    it(`take ${JSON.stringify(args)}: ${reason}`, () => assert.equal(accepts(args), true));

  for (const [args, reason] of [
    [{ command: ' ' }, 'blank'],
    [{ command: 'x'.repeat(32_769) }, 'above 32,768 bytes'],
    [{ command: 'ä'.repeat(16_385) }, 'above 32,768 bytes, counted in UTF-8'],
    [{ cwd: 'tmp' }, 'relative'],
    [{ cwd: '/a//b' }, 'an empty component'],
    [{ cwd: '/a/' }, 'a slash at the end'],
    [{ cwd: '/a/../b' }, 'goes up'],
    [{ cwd: '/a/./b' }, 'a dot component'],
    [{ cwd: '/a\nb' }, 'a line feed'],
    [{ cwd: `/${'x'.repeat(4_096)}` }, 'above 4,096 bytes'],
    [{ env: [{ name: '1A', value: '' }] }, 'a name starts with a digit'],
    [{ env: [{ name: 'A B', value: '' }] }, 'a name with a blank'],
    [{ env: [{ name: 'A', value: 'a\0' }] }, 'NUL in a value'],
    [{ env: Array.from({ length: 65 }, () => ({ name: 'A', value: '' })) }, 'more than 64 variables'],
    [{ env: [{ name: 'A', value: 'x'.repeat(32_768) }] }, 'more than 32,768 bytes of variables'],
    [{ stdin: { text: 'x'.repeat(131_073) } }, 'more than 131,072 bytes of input'],
    [{ stdin: { eof: true } }, 'an unknown member'],
    [{ yield_ms: 120_001 }, 'waits too long'],
    [{ yield_ms: 1.5 }, 'no whole number'],
    [{ timeout_ms: 999 }, 'too short'],
    [{ pty: true }, 'an unknown argument'],
  ] as const)
    it(`refuse ${JSON.stringify(args).slice(0, 40)}: ${reason}`, () => assert.equal(accepts(args), false));
});
