import { describe, it } from 'mocha';

describe('a suite', () => {
  it('takes the process with it', () => {
    process.kill(process.pid, 'SIGKILL');
  });
});
