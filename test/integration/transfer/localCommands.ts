import { spawn } from 'node:child_process';
import type { HostCommands } from '../../../src/application/ports/hostCommands.ts';

/** Commands of a host that is this machine. */
export const localCommands: HostCommands = {
  run: ({ script, arguments: words }) =>
    new Promise((resolve, reject) => {
      const child = spawn('sh', ['-c', script, 'sh', ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
      const stdout: Buffer[] = [];
      child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes));
      child.on('error', reject);
      child.on('close', (code) => resolve({ stdout: Buffer.concat(stdout), code: code ?? -1 }));
    }),
};

/** Commands of a host that see other folders than its files: this is the file there. */
export function seesInstead(file: string): HostCommands {
  return {
    run: ({ arguments: [, ...more], ...command }, signal) =>
      localCommands.run({ ...command, arguments: [file, ...more] }, signal),
  };
}
