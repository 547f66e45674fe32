import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isPermitted, readPermittedOpens } from '../../../../src/domain/forward/permittedOpens.ts';

describe('PermitRemoteOpen', () => {
  const db = { host: 'db.example.com', port: 5432 };
  for (const [values, expected, reason] of [
    [undefined, true, 'without one everything is permitted'],
    [['any'], true, 'as it says'],
    [['none'], false, 'as it says'],
    [['db.example.com:5432'], true, 'host and port'],
    [['db.example.com:5433'], false, 'another port'],
    [['db.example.com:*'], true, 'every port'],
    [['*:5432'], true, 'every host'],
    [['*.example.com:5432'], false, 'no other pattern'],
    [['DB.example.com:5432'], false, 'names are compared as written'],
    [['[db.example.com]:5432'], true, 'brackets are taken off'],
    [['db.example.com/5432'], true, 'the other separator'],
    [['192.0.2.1:5432', 'db.example.com:5432'], true, 'one of several'],
    [['db.example.com'], false, 'unreadable permits nothing'],
    [[''], false, 'unreadable permits nothing'],
  ] as const)
    it(`${values?.join(' ') ?? '(not set)'}: ${expected ? 'permitted' : 'refused'}, ${reason}`, () => {
      assert.equal(isPermitted(readPermittedOpens(values), db), expected);
    });

  it('takes addresses in brackets', () => {
    const permitted = readPermittedOpens(['[2001:db8::1]:443']);
    assert.equal(isPermitted(permitted, { host: '2001:db8::1', port: 443 }), true);
    assert.equal(isPermitted(permitted, { host: '2001:db8::2', port: 443 }), false);
  });
});
