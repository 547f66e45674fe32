import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { assembleConfig, type ParsedConfig } from '../../../../src/domain/config/assembleConfig.ts';
import { listAliases } from '../../../../src/domain/config/listAliases.ts';
import { parseConfigFile } from '../../../../src/domain/config/parseConfigFile.ts';
import { resolveAlias, type OwnResolution } from '../../../../src/domain/config/resolveAlias.ts';

const parse = (text: string, included: Readonly<Record<string, string>> = {}): ParsedConfig =>
  assembleConfig([
    {
      file: parseConfigFile('/home/op/.ssh/config', text),
      includes: (pattern) =>
        included[pattern] === undefined
          ? []
          : [parseConfigFile(`/home/op/.ssh/${pattern}`, included[pattern])],
    },
  ]);
const ask = (text: string, alias: string, included: Readonly<Record<string, string>> = {}): OwnResolution =>
  resolveAlias(parse(text, included), { alias, localUser: 'op' });
const names = (config: ParsedConfig): readonly string[] =>
  listAliases(config, 'op').aliases.map((entry) => entry.alias);

describe('resolving a name from an OpenSSH configuration', () => {
  it('CFG-1: the first obtained value wins', () => {
    assert.equal(ask('Host *\nUser bob\nHost web\nUser alice', 'web').user, 'bob');
  });

  it('CFG-2: a negated pattern takes the block away', () => {
    const text = 'Host * !web\nUser bob\nHost web\nUser alice';
    assert.equal(ask(text, 'web').user, 'alice');
    assert.equal(ask(text, 'db').user, 'bob');
  });

  it('CFG-4: a trailing comment is not part of the value', () => {
    assert.equal(ask('Host web\nHostName 192.0.2.1 # main', 'web').hostName, '192.0.2.1');
  });

  it('CFG-7: of ProxyCommand and ProxyJump the one set first counts', () => {
    const own = ask('Host web\nProxyCommand nc %h %p\nHost *\nProxyJump jump', 'web');
    assert.deepEqual(own.values.get('proxycommand'), ['nc %h %p']);
    assert.equal(own.values.get('proxyjump'), undefined);
    const other = ask('Host web\nProxyJump jump\nHost *\nProxyCommand nc %h %p', 'web');
    assert.deepEqual(
      [other.values.get('proxyjump'), other.values.get('proxycommand')],
      [['jump'], undefined],
    );
  });

  it('CFG-9: a command keeps its quotes and what looks like a comment', () => {
    const command = String.raw`"C:\foo bar\baz.exe" "arg" # keep`;
    assert.deepEqual(ask(`ProxyCommand ${command}`, 'any').values.get('proxycommand'), [command]);
  });

  it('CFG-12: an include stands where its line stands', () => {
    const text = 'Include inc/a.conf\nHost web\nUser alice';
    const own = ask(text, 'web', { 'inc/a.conf': 'Host web\nUser included' });
    assert.equal(own.user, 'included');
    assert.deepEqual(own.origins.get('user'), [{ path: '/home/op/.ssh/inc/a.conf', line: 2 }]);
  });

  it('CFG-13: an include inside a block is scoped to it, inner Host lines too', () => {
    const text = 'Host other\nInclude inc/scoped.conf\nHost web\nUser alice';
    const included = { 'inc/scoped.conf': 'Port 9999\nHost web\nPort 7777\nHost other\nUser deep' };
    assert.equal(ask(text, 'web', included).port, 22);
    assert.deepEqual([ask(text, 'other', included).port, ask(text, 'other', included).user], [9999, 'deep']);
    assert.deepEqual(names(parse(text, included)), ['other', 'web']);
  });

  it('an include ends with its block: lines behind it belong to the block it stands in', () => {
    const text = 'Host other\nInclude a\nUser after\nHost *\nPort 5';
    const own = ask(text, 'other', { a: 'Host web\nUser no' });
    assert.deepEqual([own.user, own.port], ['after', 5]);
  });

  it('CFG-15: accumulating keywords collect, SetEnv is its first line only', () => {
    const text = [
      'Host web',
      'SendEnv A',
      'IdentityFile ~/.ssh/a',
      'LocalForward 8080 localhost:80',
      'CertificateFile ~/.ssh/a-cert.pub',
      'SetEnv A=1 B=2',
      'Host *',
      'SendEnv B',
      'IdentityFile ~/.ssh/b',
      'IdentityFile ~/.ssh/a',
      'LocalForward [::1]:8081 [2001:db8::1]:80',
      'CertificateFile ~/.ssh/b-cert.pub',
      'SetEnv C=3',
    ].join('\n');
    const { values } = ask(text, 'web');
    assert.deepEqual(values.get('sendenv'), ['A', 'B']);
    assert.deepEqual(values.get('identityfile'), ['~/.ssh/a', '~/.ssh/b']);
    assert.deepEqual(values.get('localforward'), ['8080 [localhost]:80', '[::1]:8081 [2001:db8::1]:80']);
    assert.deepEqual(values.get('certificatefile'), ['~/.ssh/a-cert.pub', '~/.ssh/b-cert.pub']);
    assert.deepEqual(values.get('setenv'), ['A=1', 'B=2']);
  });

  it('CFG-18: a program is never run here; its block does not match and the program is named', () => {
    const own = ask('Match exec "test 1 = 1"\nUser ex', 'any');
    assert.equal(own.user, 'op');
    assert.deepEqual(
      own.programs.map((program) => [program.command, program.at.line]),
      [['test 1 = 1', 1]],
    );
    assert.equal(ask('Match !exec false\nUser ex', 'any').user, 'op');
  });

  it('a program behind a criterion that does not hold is not reached', () => {
    assert.deepEqual(ask('Match host other exec "touch /x"\nUser ex', 'web').programs, []);
  });

  it('a criterion that only ssh can decide is named and does not match', () => {
    const own = ask('Match version OpenSSH_1*\nUser a\nMatch !localnetwork 192.0.2.0/24\nUser b', 'web');
    assert.deepEqual(
      [own.user, own.undecided.map((entry) => entry.kind)],
      ['op', ['version', 'localnetwork']],
    );
  });

  for (const [text, alias, user, why] of [
    ['Match host WEB\nUser a', 'web', 'a', 'host compares without case'],
    ['HostName foo\nMatch host foo\nUser a', 'web', 'a', 'host sees the name as resolved so far'],
    ['HostName %h.example.com\nMatch host web.example.com\nUser a', 'web', 'a', 'with %h expanded'],
    ['HostName foo\nMatch originalhost web\nUser a', 'web', 'a', 'originalhost is the name as typed'],
    ['User q\nMatch user q\nUser r\nMatch all\nUser s', 'web', 'q', 'user is won by its first line'],
    ['Match user op,!root host web\nUser a', 'web', 'a', 'the local user stands in for an unset user'],
    ['Match !host x\nUser a', 'web', 'a', 'negation'],
    ['Match host="web"\nUser a', 'web', 'a', 'an equals sign between criterion and value'],
    ['Match user op # all\nUser a', 'web', 'a', 'a comment ends the line'],
    ['Match localuser o*\nUser a', 'web', 'a', 'localuser'],
    ['Match final host foo\nUser a\nHost web\nHostName foo', 'web', 'a', 'final sees the resolved name'],
    ['Match final\nHost foo\nUser a\nHost web\nHostName foo', 'web', 'a', 'in the second pass Host does too'],
    ['Match canonical\nUser a', 'web', 'op', 'nothing is canonicalised here'],
    ['Host !db\nUser a', 'web', 'op', 'negations alone match nothing'],
    ['Host WEB\nUser a', 'web', 'op', 'Host compares as typed'],
    ['Host web,db\nUser a', 'web', 'op', 'a comma does not separate names of Host'],
    ['Host "w?b"\nUser a', 'web', 'a', 'quoted pattern'],
    ['\tuSeR\t=  "a b" \r', 'web', 'a b', 'keyword without case, equals sign, quotes, tab and CR'],
    [String.raw`User a\ b`, 'web', 'a b', 'an escaped blank'],
    ['User "a"b', 'web', 'ab', 'quotes inside a word'],
    ['User a#b', 'web', 'a#b', 'a number sign inside a word is no comment'],
  ] as const)
    it(`${JSON.stringify(text)} gives user ${user} (${why})`, () => {
      assert.equal(ask(text, alias).user, user);
    });

  for (const [text, address] of [
    ['HostName 127.1', '127.0.0.1'],
    ['HostName ::0001', '::1'],
    ['HostName 2001:DB8::00ff', '2001:db8::ff'],
    ['HostName WEB.Example.com', 'web.example.com'],
    ['HostName a%%b', 'a%b'],
    ['', 'web'],
  ] as const)
    it(`${JSON.stringify(text)} resolves to ${address}`, () => {
      assert.equal(ask(text, 'Web').hostName, address);
    });

  it('a user and port of the command line win and are seen by Match', () => {
    const config = parse('Match user deploy\nHostName deploy.example.com\nPort 1');
    const own = resolveAlias(config, { alias: 'web', user: 'deploy', port: 2200, localUser: 'op' });
    assert.deepEqual([own.hostName, own.port, own.user], ['deploy.example.com', 2200, 'deploy']);
  });

  it('a block that cannot be read takes its lines with it and nothing else', () => {
    const text = 'Host "web\nUser lost\nHost web\nPort 7\nMatch host\nUser lost\nHost web\nUser alice';
    const config = parse(text);
    const own = resolveAlias(config, { alias: 'web', localUser: 'op' });
    assert.deepEqual([own.user, own.port], ['alice', 7]);
    assert.deepEqual(
      config.problems.map((problem) => problem.line),
      [1, 5],
    );
  });

  for (const [line, part] of [
    ['Frobnicate yes', 'is not known'],
    ['Port 70000', 'not a port'],
    ['Port 22 33', 'more than one argument'],
    ['Port', 'no argument'],
    ['User ""', 'no argument'],
    ['Compression maybe', 'not a known word'],
    ['GatewayPorts maybe', 'neither yes nor no'],
    ['ConnectTimeout 5x', 'not a time'],
    ['ServerAliveCountMax x', 'not a number'],
    ['LocalForward a b', 'not a forwarding specification'],
    ['ProxyCommand nc "x', 'not closed'],
    ['Match all host web', 'all stands last'],
  ] as const)
    it(`the line "${line}" is reported with its number and the next host is listed (${part})`, () => {
      const config = parse(`Host first\n${line}\nHost web\nUser alice`);
      assert.deepEqual(names(config), ['first', 'web']);
      assert.equal(resolveAlias(config, { alias: 'web', localUser: 'op' }).user, 'alice');
      assert.deepEqual(
        config.problems.map((problem) => [problem.line, problem.message.includes(part)]),
        [[2, true]],
      );
    });

  it('IgnoreUnknown silences the keywords it names and no others', () => {
    const config = parse('IgnoreUnknown Frob*,useKeychain\nFrobnicate yes\nUseKeychain yes\nOther x');
    assert.deepEqual(
      config.problems.map((problem) => problem.line),
      [4],
    );
  });

  it('an endless chain of includes stops at sixteen and is reported', () => {
    const self = parseConfigFile('/home/op/.ssh/config', 'Include config\nHost web');
    const config = assembleConfig([{ file: self, includes: () => [self] }]);
    assert.deepEqual(names(config), ['web']);
    assert.equal(config.problems.length, 1);
  });
});

describe('listing the names of an OpenSSH configuration', () => {
  it('CFG-27: CRLF, tabs and a byte order mark hide nothing; the mark is reported', () => {
    const lines = Array.from({ length: 2000 }, (_, n) => `Host\th${n}\r\n\tHostName\t192.0.2.${n % 250}\r\n`);
    const config = parse(`\uFEFF${lines.join('')}Host *\r\n\tUser deploy\r\n`);
    const { aliases } = listAliases(config, 'op');
    assert.equal(aliases.length, 2000);
    const last = aliases.at(-1);
    assert.deepEqual(last && [last.alias, last.hostName, last.user], ['h1999', '192.0.2.249', 'deploy']);
    assert.deepEqual(
      config.problems.map((problem) => [problem.line, /byte order mark/.test(problem.message)]),
      [[1, true]],
    );
  });

  it('patterns, negations and second mentions are not names', () => {
    assert.deepEqual(names(parse('Host web *.example.com !db "ci 1"\nHost web db?\nHost ci')), [
      'web',
      'ci 1',
      'ci',
    ]);
  });

  it('a name that begins with a dash is not offered and is reported', () => {
    const { aliases, problems } = listAliases(parse('Host -oProxyCommand=x web'), 'op');
    assert.deepEqual([aliases.map((entry) => entry.alias), problems.length], [['web'], 1]);
  });

  it('no line can hang the reader', () => {
    const text = `Host ${'*a'.repeat(2000)}\nUser x\nHost web`;
    assert.equal(ask(text, 'a'.repeat(4000)).user, 'x');
    assert.equal(ask(text, 'b'.repeat(4000)).user, 'op');
  });
});
