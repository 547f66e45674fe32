import { describe, it } from 'mocha';

describe('a suite', () => {
  it('never ends', function () {
    this.timeout(0);
    return new Promise(() => {
      setInterval(() => undefined, 1_000);
    });
  });
});
