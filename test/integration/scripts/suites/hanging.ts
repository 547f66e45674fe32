import { describe, it } from 'mocha';

describe('a suite', () => {
  it('fails', () => {
    throw new Error('no moon tonight');
  });

  it('never ends', function () {
    this.timeout(0);
    return new Promise(() => {
      setInterval(() => undefined, 1_000);
    });
  });
});
