import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  reachesOthers,
  type ForwardKind,
  type ForwardPlace,
} from '../../../../src/domain/forward/forward.ts';
import { forwardText } from '../../../../src/domain/forward/forwardText.ts';
import { readBind, readDestination, readForward } from '../../../../src/domain/forward/readForward.ts';

describe('a forward as ssh spells it', () => {
  const place = (
    kind: ForwardKind,
    bind: ForwardPlace['bind'],
    destination?: ForwardPlace['destination'],
  ): ForwardPlace => ({ kind, bind, destination });
  const db = { host: 'db.example.com', port: 5432 };
  for (const [text, kind, expected] of [
    ['8080:db.example.com:5432', 'local', place('local', { port: 8080 }, db)],
    ['8080 db.example.com:5432', 'local', place('local', { port: 8080 }, db)],
    ['-L 8080:db.example.com:5432', 'remote', place('local', { port: 8080 }, db)],
    ['-R8080:db.example.com:5432', 'local', place('remote', { port: 8080 }, db)],
    ['LocalForward 8080 db.example.com:5432', 'dynamic', place('local', { port: 8080 }, db)],
    ['127.0.0.1:8080:db.example.com:5432', 'local', place('local', { host: '127.0.0.1', port: 8080 }, db)],
    ['*:8080:db.example.com:5432', 'local', place('local', { host: '', port: 8080 }, db)],
    [':8080:db.example.com:5432', 'local', place('local', { host: '', port: 8080 }, db)],
    [
      '[::1]:8080:[2001:db8::7]:443',
      'local',
      place('local', { host: '::1', port: 8080 }, { host: '2001:db8::7', port: 443 }),
    ],
    ['8080:/run/docker.sock', 'local', place('local', { port: 8080 }, { path: '/run/docker.sock' })],
    ['/tmp/a.sock:/run/b.sock', 'local', place('local', { path: '/tmp/a.sock' }, { path: '/run/b.sock' })],
    ['/tmp/a\\:b.sock:db.example.com:5432', 'local', place('local', { path: '/tmp/a:b.sock' }, db)],
    ['0:db.example.com:5432', 'remote', place('remote', { port: 0 }, db)],
    ['9000', 'remote', place('remote', { port: 9000 })],
    ['/tmp/a.sock:/run/b.sock', 'remote', place('remote', { path: '/tmp/a.sock' }, { path: '/run/b.sock' })],
    ['1080', 'dynamic', place('dynamic', { port: 1080 })],
    ['[::1]:1080', 'dynamic', place('dynamic', { host: '::1', port: 1080 })],
    ['-D 1080', 'local', place('dynamic', { port: 1080 })],
  ] as const)
    it(`reads: ${text} as ${expected.kind}`, () => {
      assert.deepEqual(readForward(text, kind), { ok: true, place: expected });
    });

  for (const [text, kind, problem] of [
    ['', 'local', { k: 'empty' }],
    ['-L ', 'local', { k: 'empty' }],
    ['8080', 'local', { k: 'form', kind: 'local' }],
    ['8080:db', 'local', { k: 'form', kind: 'local' }],
    ['8080:[::1:80', 'local', { k: 'form', kind: 'local' }],
    ['1:2:3:4:5', 'local', { k: 'form', kind: 'local' }],
    ['8080:db:80 and more', 'local', { k: 'form', kind: 'local' }],
    ['${PORT}:db:80', 'local', { k: 'form', kind: 'local' }],
    ['99999:db:80', 'local', { k: 'port', text: '99999', mayBeZero: false }],
    ['0:db:80', 'local', { k: 'port', text: '0', mayBeZero: false }],
    ['x:db:80', 'remote', { k: 'port', text: 'x', mayBeZero: true }],
    ['8080:db:0', 'local', { k: 'port', text: '0', mayBeZero: false }],
    ['8080:-oProxy:80', 'local', { k: 'host', text: '-oProxy' }],
    ['8080::80', 'local', { k: 'host', text: '' }],
    ['a/b.sock:db:80', 'local', { k: 'pathNotAbsolute', text: 'a/b.sock' }],
    [`/${'x'.repeat(108)}:db:80`, 'local', { k: 'pathTooLong', longest: 107 }],
    ['1080:db:80', 'dynamic', { k: 'form', kind: 'dynamic' }],
  ] as const)
    it(`refuses: ${text || 'nothing'} as ${kind}, and says why`, () => {
      assert.deepEqual(readForward(text, kind), { ok: false, problem });
    });

  it('reads back what it prints', () => {
    const port = fc.integer({ min: 1, max: 65_535 });
    const host = fc.constantFrom('db', '192.0.2.7', '::1', '2001:db8::7', 'localhost');
    const path = fc
      .string({ unit: fc.constantFrom('a', '.', '/', ':', '\\', '-'), maxLength: 40 })
      .map((text) => ({ path: `/${text}` }));
    const plain = { noNullPrototype: true };
    const bind = fc.oneof(
      port.map((at) => ({ port: at })),
      fc.record({ host: fc.oneof(host, fc.constant('')), port }, plain),
      path,
    );
    const destination = fc.oneof(fc.record({ host, port }, plain), path);
    const places: fc.Arbitrary<ForwardPlace> = fc
      .tuple(fc.constantFrom('local', 'remote', 'dynamic'), bind, destination)
      .map(([kind, from, to]) => place(kind, from, kind === 'dynamic' ? undefined : to));
    fc.assert(
      fc.property(places, (one) => {
        assert.deepEqual(readForward(forwardText(one), 'local'), { ok: true, place: one });
      }),
    );
  });

  it('never throws, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('local', 'remote', 'dynamic'), (text, kind) => {
        assert.equal(typeof readForward(text, kind).ok, 'boolean');
      }),
    );
  });

  it('reads one end at a time for a form', () => {
    assert.deepEqual(readBind('0', 'remote'), { bind: { port: 0 } });
    assert.deepEqual(readBind('0', 'local'), { k: 'port', text: '0', mayBeZero: false });
    assert.deepEqual(readBind('127.0.0.1:80', 'local'), { bind: { host: '127.0.0.1', port: 80 } });
    assert.deepEqual(readBind('1:2:3', 'local'), { k: 'form', kind: 'dynamic' });
    assert.deepEqual(readDestination('[::1]:80'), { destination: { host: '::1', port: 80 } });
    assert.deepEqual(readDestination('/run/a.sock'), { destination: { path: '/run/a.sock' } });
    assert.deepEqual(readDestination('db'), { k: 'form', kind: 'local' });
    assert.deepEqual(readDestination(' '), { k: 'empty' });
  });

  for (const [host, reaches] of [
    [undefined, false],
    ['localhost', false],
    ['127.0.0.9', false],
    ['::1', false],
    ['', true],
    ['0.0.0.0', true],
    ['192.0.2.7', true],
    ['127.0.0.1.example.com', true],
    ['myself', true],
  ] as const)
    it(`${host ?? 'no address'} ${reaches ? 'lets others in' : 'is for this machine alone'}`, () => {
      assert.equal(reachesOthers(host === undefined ? { port: 1 } : { host, port: 1 }), reaches);
    });
});
