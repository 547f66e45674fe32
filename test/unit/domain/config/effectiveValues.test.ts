import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { assembleConfig } from '../../../../src/domain/config/assembleConfig.ts';
import { compareWithSsh } from '../../../../src/domain/config/compareWithSsh.ts';
import { effectiveValues, type EffectiveValues } from '../../../../src/domain/config/effectiveValues.ts';
import { parseConfigFile } from '../../../../src/domain/config/parseConfigFile.ts';
import { readPrinted } from '../../../../src/domain/config/printedConfig.ts';
import { parseRelease } from '../../../../src/domain/config/release.ts';
import { resolveAlias } from '../../../../src/domain/config/resolveAlias.ts';

const environment = { DIR: '/run/%h' };
const local = { localHost: 'desk.example.com', home: '/home/op', userId: 7, environment };

function effective(text: string, release?: number): EffectiveValues {
  const file = parseConfigFile('/c', text, { release, environment });
  assert.deepEqual(file.problems, []);
  const config = assembleConfig([{ file, includes: () => [] }]);
  const own = resolveAlias(config, { alias: 'web', localUser: 'op' });
  return effectiveValues(own, { ...local, localUser: 'op', alias: 'web', release });
}

describe('the effective values of a resolution', () => {
  for (const [text, keyword, values, why] of [
    ['ControlPath ~/%r@%h:%p-%n-%L-%i', 'controlpath', ['/home/op/op@web:22-web-desk-7'], 'tokens'],
    ['ControlPath ${DIR}/s', 'controlpath', ['/run/%h/s'], 'a variable is not expanded a second time'],
    ['ControlPath none', 'controlpath', undefined, 'none is nothing'],
    ['RemoteCommand echo %% %n', 'remotecommand', ['echo % web'], 'a command'],
    ['HostKeyAlias KEY', 'hostkeyalias', ['key'], 'lower case'],
    ['RekeyLimit 1G\nRekeyLimit 2G 1h', 'rekeylimit', ['1073741824', '3600'], 'each half by its first line'],
    ['ForwardAgent no\nForwardAgent ~/a', 'forwardagent', ['/home/op/a'], 'a socket counts beside a flag'],
    ['ClearAllForwardings yes\nLocalForward 1 a:2', 'localforward', undefined, 'forwards are cleared'],
    ['ProxyJump a\nProxyUseFdpass yes', 'proxyusefdpass', ['no'], 'a jump passes no descriptor'],
    ['UserKnownHostsFile /k', 'updatehostkeys', ['false'], 'own files of host keys'],
    ['UserKnownHostsFile NONE', 'userknownhostsfile', ['none'], 'no file'],
    ['UpdateHostKeys ask\nRemoteCommand x', 'updatehostkeys', ['false'], 'nobody can be asked'],
    ['Host other\nStreamLocalBindMask 0', 'streamlocalbindmask', ['00'], 'obeyed in any block'],
    ['LocalForward /run/%n b:1', 'localforward', ['/run/web [b]:1'], 'tokens in paths of sockets'],
    ['SetEnv A=1 A=2 B=3\nSetEnv C=4', 'setenv', ['A=1', 'B=3'], 'the first line, each name once'],
    ['SendEnv A LC_X\nSendEnv -LC_* B', 'sendenv', ['A', 'B'], 'a minus takes away'],
    ['ConnectTimeout none\nConnectTimeout 5', 'connecttimeout', ['5'], 'none leaves it open'],
  ] as const)
    it(`${JSON.stringify(text)} gives ${keyword} ${JSON.stringify(values)} (${why})`, () => {
      assert.deepEqual(effective(text).values.get(keyword), values);
    });

  for (const text of [
    'ControlPath %z',
    'UserKnownHostsFile ${NONE}/k',
    'HostName %n',
    'RefuseConnection "go away"',
  ])
    it(`${text} is refused by ssh for this name`, () => {
      assert.notEqual(effective(text).refusal, undefined);
    });
});

describe('the comparison with ssh', () => {
  const defaults = readPrinted(['port 22', 'ciphers a,b,c', 'hashknownhosts yes']);

  it('takes what the same ssh prints without a file for what no line sets', () => {
    const printed = readPrinted(['host web', 'port 22', 'ciphers a,b,c', 'hashknownhosts yes']);
    assert.deepEqual(compareWithSsh(new Map([['port', ['22']]]), { printed, defaults }), []);
  });

  for (const [written, printed] of [
    ['+d,a', 'a,b,c,d'],
    ['-b,c*', 'a'],
    ['^c,d', 'c,d,a,b'],
    ['x', 'x'],
  ] as const)
    it(`applies the list ${written} to the default`, () => {
      const ssh = { printed: readPrinted(['port 22', `ciphers ${printed}`, 'hashknownhosts yes']), defaults };
      assert.deepEqual(compareWithSsh(new Map([['ciphers', [written]]]), ssh), []);
    });

  it('tells both sides of each difference', () => {
    const printed = readPrinted(['port 2222', 'ciphers a,b,c', 'hashknownhosts yes', 'tag x']);
    assert.deepEqual(compareWithSsh(new Map([['port', ['22']]]), { printed, defaults }), [
      { keyword: 'port', own: ['22'], ssh: ['2222'] },
      { keyword: 'tag', own: [], ssh: ['x'] },
    ]);
  });

  it('does not take the second print of a forward to a socket for a forward', () => {
    const printed = readPrinted(['dynamicforward 80', 'dynamicforward 80', 'localforward 80 /run/x']);
    assert.deepEqual(printed.get('dynamicforward'), ['80']);
  });
});

describe('the release of an ssh', () => {
  for (const [text, release] of [
    ['OpenSSH_9.2p1 Debian-2+deb12u10, OpenSSL 3.0.19', 902],
    ['OpenSSH_for_Windows_9.5p1, LibreSSL 3.8.2', 905],
    ['OpenSSH_10.2p1', 1002],
    ['dropbear', undefined],
    ['', undefined],
  ] as const)
    it(`${JSON.stringify(text)} is ${String(release)}`, () => {
      assert.equal(parseRelease(text), release);
    });
});

describe('a Match line by release', () => {
  const problems = (text: string, release: number | undefined): readonly string[] =>
    parseConfigFile('/c', `Match ${text}`, { release, environment: {} }).problems.map(
      ({ message }) => message,
    );

  for (const [text, on902, on1000, why] of [
    ['tagged x', false, true, 'newer'],
    ['sessiontype shell', false, true, 'newer'],
    ['command ""', false, true, 'an empty argument'],
    ["exec 'a b'", false, true, 'single quotes'],
    ['host = web', true, false, 'an equals sign between blanks'],
    ['host=web', true, true, 'an equals sign'],
    ['host web all', true, true, 'all behind one criterion'],
    ['host web user x all', false, false, 'all behind two'],
    ['frob x', false, false, 'not known'],
  ] as const)
    it(`${text} is read by OpenSSH ${on902 ? '9.2' : ''} ${on1000 ? '10.0' : ''} (${why})`, () => {
      assert.deepEqual(
        [problems(text, 902).length === 0, problems(text, 1000).length === 0],
        [on902, on1000],
      );
      assert.equal(problems(text, undefined).length === 0, on902 || on1000);
    });
});
