import { z } from 'zod';
import { codePoints, nonBlank, utf8Max } from '../../agentkit/index.ts';

const maxCommandBytes = 32_768;
/** Of one write to standard input. */
export const maxInputBytes = 131_072;
const maxEnvBytes = 32_768;

/** An absolute, normalised POSIX path. Source: tools.md, section 1. */
export const remotePath = utf8Max(4_096).refine(isNormalPath, {
  error: 'must be an absolute path without empty, "." or ".." components and without NUL, CR and LF',
});

function isNormalPath(path: string): boolean {
  if (path === '/') return true;
  if (!path.startsWith('/') || /[\0\r\n]/.test(path)) return false;
  return path
    .slice(1)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..');
}

const variable = z.strictObject({
  name: codePoints(256).refine((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name), {
    error: 'must be letters, digits and _, not starting with a digit',
  }),
  value: utf8Max(maxEnvBytes).refine((value) => !value.includes('\0'), { error: 'must not contain NUL' }),
});

export const hostId = nonBlank(64).describe('The host_id from list_hosts.');
export const execId = nonBlank(64).describe('The exec_id from ssh_exec_run.');

/** Arguments of `ssh_exec_run`. Source: tools.md. */
export const execRunInput = z.strictObject({
  host_id: hostId,
  command: nonBlank(maxCommandBytes).describe("One command line for the host's login shell."),
  cwd: remotePath.optional().describe('Absolute folder to run in; when it cannot be entered nothing runs.'),
  env: z
    .array(variable)
    .max(64)
    .refine((env) => env.reduce((sum, { name, value }) => sum + byteLength(name + value), 0) <= maxEnvBytes, {
      error: `must have at most ${maxEnvBytes} bytes in all`,
    })
    .optional()
    .describe('Environment variables.'),
  stdin: z
    .strictObject({
      text: utf8Max(maxInputBytes).optional().describe('Written to standard input as given.'),
      keep_open: z.boolean().optional().describe('Leave standard input open behind the text.'),
    })
    .optional()
    .describe('Standard input is empty and closed when absent.'),
  secret_handle: nonBlank(64)
    .optional()
    .describe(
      'From request_user_secret. A command that begins with sudo gets it at its password prompt, any other as its first line of input.',
    ),
  yield_ms: z
    .int()
    .min(0)
    .max(120_000)
    .optional()
    .describe('Return with status "running" after this time; 10000 when absent.'),
  timeout_ms: z
    .int()
    .min(1_000)
    .max(86_400_000)
    .optional()
    .describe('Cancel the command after this time; never when absent.'),
});
export type ExecRunArguments = z.output<typeof execRunInput>;

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
