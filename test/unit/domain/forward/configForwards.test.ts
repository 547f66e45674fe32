import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { configForwards } from '../../../../src/domain/forward/configForwards.ts';

describe('the forwards of a configuration', () => {
  it('are read as ssh -G prints them, with where they stand', () => {
    const values = new Map([
      ['localforward', ['[*]:8080 [db]:80', '[]:8081 [db]:81', '/tmp/a /tmp/b', '8082 [2001:db8::1]:82']],
      ['remoteforward', ['0 [db]:80', '9000 [socks]:0']],
      ['dynamicforward', ['[::1]:1080']],
      ['gatewayports', ['yes']],
      ['exitonforwardfailure', ['yes']],
      ['streamlocalbindunlink', ['yes']],
      ['streamlocalbindmask', ['0117']],
    ]);
    const origin = (keyword: string): string | undefined => (keyword === 'localforward' ? '/c:7' : undefined);
    const local = (bind: object, destination: object): object => ({
      kind: 'local',
      bind,
      destination,
      origin: '/c:7',
    });
    const rest = { destination: undefined, origin: undefined };
    assert.deepEqual(configForwards({ values, origin }), {
      forwards: [
        local({ host: '', port: 8080 }, { host: 'db', port: 80 }),
        local({ host: '', port: 8081 }, { host: 'db', port: 81 }),
        local({ path: '/tmp/a' }, { path: '/tmp/b' }),
        local({ port: 8082 }, { host: '2001:db8::1', port: 82 }),
        { kind: 'remote', bind: { port: 0 }, destination: { host: 'db', port: 80 }, origin: undefined },
        { kind: 'remote', bind: { port: 9000 }, ...rest },
        { kind: 'dynamic', bind: { host: '::1', port: 1080 }, ...rest },
      ],
      isForEverybody: true,
      failsTheConnection: true,
      permittedOpens: 'any',
      sockets: { replaces: true, mask: 0o117 },
    });
  });

  it('are left out when they cannot be read', () => {
    const values = new Map([
      ['localforward', ['8080', 'x [db]:80', '8080 [db]:80 more', '8080 80']],
      ['streamlocalbindmask', ['999']],
    ]);
    assert.deepEqual(configForwards({ values, origin: () => undefined }), {
      forwards: [],
      isForEverybody: false,
      failsTheConnection: false,
      permittedOpens: 'any',
      sockets: { replaces: false, mask: 0o177 },
    });
  });
});
