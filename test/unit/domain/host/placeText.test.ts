import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { bracketed, placeText } from '../../../../src/domain/host/placeText.ts';

describe('the text of a place', () => {
  it('is the host and its port', () => assert.equal(placeText('db.example.com', 22), 'db.example.com:22'));

  it('keeps the port of an IPv6 literal apart from it', () =>
    assert.equal(placeText('2001:db8::7', 22), '[2001:db8::7]:22'));

  it('puts nothing else into brackets', () =>
    assert.deepEqual(['192.0.2.7', '*', '2001:db8::7'].map(bracketed), ['192.0.2.7', '*', '[2001:db8::7]']));
});
