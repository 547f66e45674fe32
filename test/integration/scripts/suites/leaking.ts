import { createServer } from 'node:net';
import { describe, it } from 'mocha';

describe('a suite', () => {
  it('leaves a listener open', () => {
    createServer().listen(0, '127.0.0.1');
  });
});
