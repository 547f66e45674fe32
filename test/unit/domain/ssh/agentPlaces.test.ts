import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { placeName, placeOf, variableIn, wellKnownPlaces } from '../../../../src/domain/ssh/agentPlaces.ts';

describe('where agents listen', () => {
  it('on Linux: the runtime folder, then the sockets of gpg and password managers at home', () => {
    const surroundings = {
      platform: 'linux',
      environment: { XDG_RUNTIME_DIR: '/run/user/1' },
      home: '/home/me',
    };
    assert.deepEqual(wellKnownPlaces(surroundings, []).map(placeName), [
      '/run/user/1/ssh-agent.socket',
      '/run/user/1/openssh_agent',
      '/run/user/1/gcr/ssh',
      '/run/user/1/keyring/ssh',
      '/run/user/1/gnupg/S.gpg-agent.ssh',
      '/home/me/.gnupg/S.gpg-agent.ssh',
      '/home/me/.1password/agent.sock',
      '/home/me/.bitwarden-ssh-agent.sock',
    ]);
  });

  it('on macOS: the containers of password managers, gpg', () => {
    const places = wellKnownPlaces({ platform: 'darwin', environment: {}, home: '/Users/me' }, []);
    assert.deepEqual(places.map(placeName), [
      '/Users/me/Library/Group Containers/2BUA8C4S2C.com.1password/t/agent.sock',
      '/Users/me/Library/Containers/com.maxgoedjen.Secretive.SecretAgent/Data/socket.ssh',
      '/Users/me/.gnupg/S.gpg-agent.ssh',
      '/Users/me/.1password/agent.sock',
      '/Users/me/.bitwarden-ssh-agent.sock',
    ]);
  });

  it("on Windows: the system's pipe, the pipes of the own Pageant, then Pageant by its windows", () => {
    const surroundings = { platform: 'win32', environment: { USERNAME: 'Me' }, home: 'C:\\Users\\me' };
    const pipes = ['docker_engine', 'pageant.me.0123', 'pageant.somebody.4567'];
    assert.deepEqual(wellKnownPlaces(surroundings, pipes), [
      { k: 'socket', path: '\\\\.\\pipe\\openssh-ssh-agent' },
      { k: 'socket', path: '\\\\.\\pipe\\pageant.me.0123' },
      { k: 'pageant' },
    ]);
  });

  for (const [path, platform, kind] of [
    ['\\\\.\\pipe\\openssh-ssh-agent', 'win32', 'socket'],
    ['//./pipe/openssh-ssh-agent', 'win32', 'socket'],
    ['C:\\Users\\me\\agent', 'win32', 'cygwin'],
    ['/tmp/ssh-x/agent.1', 'win32', 'cygwin'],
    ['/tmp/ssh-x/agent.1', 'linux', 'socket'],
  ] as const)
    it(`${path} on ${platform} is a ${kind}`, () => {
      assert.equal(placeOf(path, platform).k, kind);
    });

  for (const [listing, expected] of [
    ['LANG=C\nSSH_AUTH_SOCK=/run/agent\n', '/run/agent'],
    ["SSH_AUTH_SOCK=$'/run/it\\'s'", "/run/it's"],
    ['SSH_AUTH_SOCK="/run/a b"', '/run/a b'],
    ['SSH_AUTH_SOCK=', undefined],
    ['XSSH_AUTH_SOCK=/x', undefined],
    ['', undefined],
  ] as const)
    it(`reads ${JSON.stringify(listing)} as ${expected ?? 'nothing'}`, () => {
      assert.equal(variableIn(listing, 'SSH_AUTH_SOCK'), expected);
    });
});
