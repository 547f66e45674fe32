import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { canonicalName, type CanonicalRules } from '../../../../src/domain/config/canonicalName.ts';

const rules = (
  known: Readonly<Record<string, string | boolean>>,
  more: Partial<CanonicalRules> = {},
): CanonicalRules => ({
  mode: 'true',
  isDirect: true,
  domains: ['a.example', 'b.example'],
  mostDots: 1,
  fallsBack: true,
  cnames: [],
  lookups: new Map(
    Object.entries(known).map(([name, found]) => [
      name,
      { isFound: found !== false, alias: typeof found === 'string' ? found : undefined },
    ]),
  ),
  ...more,
});
const found = (name: string): object => ({ name, wanted: undefined, isRefused: false });

describe('canonicalising a host name', () => {
  it('takes the first domain in which the name is found', () => {
    assert.deepEqual(
      canonicalName('web', rules({ 'web.a.example.': false, 'web.b.example.': true })),
      found('web.b.example'),
    );
  });

  it('asks for the look-ups it lacks, in order, and counts them as not found until then', () => {
    assert.equal(canonicalName('web', rules({})).wanted, 'web.a.example.');
    assert.equal(canonicalName('web', rules({ 'web.a.example.': false })).wanted, 'web.b.example.');
    assert.deepEqual(
      canonicalName('web', rules({ 'web.a.example.': false, 'web.b.example.': false })),
      found('web'),
    );
  });

  it('looks an anchored name up as it is', () => {
    assert.deepEqual(canonicalName('web.', rules({ 'web.': true })), found('web'));
  });

  for (const [what, name, more] of [
    ['a name with more dots than allowed', 'a.b.c', {}],
    ['a name that a proxy interprets', 'web', { isDirect: false }],
    ['a name behind the domain none', 'web', { domains: ['none', 'a.example'] }],
  ] as const)
    it(`leaves ${what} alone and looks nothing up`, () => {
      assert.deepEqual(canonicalName(name, rules({}, more)), found(name));
    });

  it('canonicalises a name that a proxy interprets when asked to do so always', () => {
    const always = rules({ 'web.a.example.': true }, { isDirect: false, mode: 'always' });
    assert.deepEqual(canonicalName('web', always), found('web.a.example'));
  });

  it('refuses a name that is found nowhere when falling back is forbidden', () => {
    const strict = rules({ 'web.a.example.': false, 'web.b.example.': false }, { fallsBack: false });
    assert.deepEqual(canonicalName('web', strict), { name: 'web', wanted: undefined, isRefused: true });
  });

  for (const [cname, name] of [
    ['*.a.example:*.cdn.example', 'x.cdn.example'],
    ['*.a.example:!*.cdn.example,*', 'web.a.example'],
    ['*.b.example:*', 'web.a.example'],
    ['*:*', 'x.cdn.example'],
  ] as const)
    it(`with ${cname} an alias leads to ${name}`, () => {
      const known = rules({ 'web.a.example.': 'x.cdn.example' }, { cnames: [cname] });
      assert.equal(canonicalName('web', known).name, name);
    });
});
