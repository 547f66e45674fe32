import { before, describe, it } from 'mocha';
import { skipBecause } from '../../../skip.ts';

describe('a suite', () => {
  it('passes', () => undefined);
  it('is skipped with a reason', function () {
    skipBecause(this, 'no moon tonight');
  });
  it('is skipped without a reason', function () {
    this.skip();
  });
  describe('behind a hook', () => {
    before(function () {
      skipBecause(this, 'no stars either');
    });
    it('is skipped by its hook', () => undefined);
  });
});
