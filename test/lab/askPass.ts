import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Environment for `ssh` in which every question is answered with `answer`, through a program written to `folder`
 * (0700, so the answer is in no process list). Source: ssh(1), SSH_ASKPASS and SSH_ASKPASS_REQUIRE.
 */
export function answeringEnvironment(folder: string, answer: string): NodeJS.ProcessEnv {
  const program = path.join(folder, 'askpass');
  const quoted = `'${answer.replaceAll("'", `'\\''`)}'`;
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' ${quoted}\n`, { mode: 0o700 });
  chmodSync(program, 0o700);
  return { ...process.env, SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force' };
}
