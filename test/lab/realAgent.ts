import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { onProcessEnd } from './cleanUp.ts';
import { mustRun } from './run.ts';

/** OpenSSH's own agent. Whoever starts it stops it. */
export interface RealAgent {
  readonly socket: string;
  /** What `ssh-add` with these words says. Rejects when it fails. */
  add(...words: readonly string[]): Promise<string>;
  stop(): void;
}

/** Starts `ssh-agent` with a socket in `folder` and adds private keys to it; each brings the certificate that lies beside it. */
export async function startRealAgent(folder: string, keys: readonly string[]): Promise<RealAgent> {
  const socket = path.join(folder, `agent-${randomBytes(4).toString('hex')}`);
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
  const takeBack = onProcessEnd(() => agent.kill());
  await new Promise<void>((resolve, reject) => {
    agent.stdout.once('data', () => resolve());
    agent.once('error', reject);
    agent.once('exit', () => reject(new Error('ssh-agent did not start.')));
  });
  const real: RealAgent = {
    socket,
    add: (...words) => mustRun('ssh-add', words, { env: { ...process.env, SSH_AUTH_SOCK: socket } }),
    stop() {
      agent.kill();
      takeBack();
    },
  };
  for (const key of keys) await real.add('-q', key);
  return real;
}
