import { describe, it } from 'mocha';

describe('a suite', () => {
  it('passes', () => undefined);
  it('passes too', () => undefined);
});
