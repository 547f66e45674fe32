import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { HostListing, HostRecord } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { buildTarget, type TargetSources } from '../../../../src/domain/ssh/buildTarget.ts';
import type { Target } from '../../../../src/domain/ssh/target.ts';

const listing: HostListing = {
  id: newHostId(),
  label: 'web',
  source: 'ssh_config',
  address: 'web.example.com',
  port: 22,
  user: 'deploy',
  group: undefined,
  tags: [],
  tier: 'prod',
  alias: 'web',
};

const record: HostRecord = {
  id: listing.id,
  label: 'web',
  addresses: ['web.example.com'],
  port: undefined,
  user: undefined,
  identity: { kind: 'default' },
  tier: 'prod',
  group: undefined,
  tags: [],
  alias: undefined,
  revision: 1,
};

function sources(options: {
  readonly record?: HostRecord;
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly set?: readonly string[];
  readonly chosenAgent?: string;
}): TargetSources {
  const values = new Map(
    Object.entries({ hostname: ['Web.Example.com'], port: ['22'], user: ['deploy'], ...options.values }),
  );
  return {
    listing,
    record: options.record,
    asked: 'web',
    chosenAgent: options.chosenAgent,
    config: {
      values,
      origin: (keyword) => (options.set?.includes(keyword) === true ? `~/.ssh/config:${keyword}` : undefined),
      asWritten: (keyword) =>
        options.set?.includes(keyword) === true ? values.get(keyword)?.[0] : undefined,
    },
    local: {
      localUser: 'me',
      localHost: 'desk.example.com',
      home: '/home/me',
      userId: 1000,
      environment: { KEYS: '/keys', SOCK: '/run/agent' },
    },
  };
}

describe('building a target', () => {
  it('takes what the configuration says and names where it came from', () => {
    const target = buildTarget(sources({ values: { port: ['2222'] }, set: ['port'] }));
    assert.deepEqual(
      {
        addresses: target.addresses,
        port: target.port,
        user: target.user,
        trustName: target.trustName,
        tier: target.tier,
        origins: target.origins,
      },
      {
        addresses: ['Web.Example.com'],
        port: 2222,
        user: 'deploy',
        trustName: 'web.example.com',
        tier: 'prod',
        origins: {
          hostname: 'default',
          port: '~/.ssh/config:port',
          user: 'default',
          identityfile: 'default',
          proxyjump: 'default',
          proxycommand: 'default',
        },
      },
    );
  });

  it("lets the record's own fields override the configuration", () => {
    const own: HostRecord = {
      ...record,
      port: 2200,
      user: 'root',
      addresses: ['a.example.com', '192.0.2.7'],
    };
    const target = buildTarget(sources({ record: own, values: { hostname: ['a.example.com'] } }));
    assert.deepEqual(
      [target.addresses, target.port, target.user],
      [['a.example.com', '192.0.2.7'], 2200, 'root'],
    );
    assert.deepEqual(target.origins['port'], 'host record');
  });

  it('tries the default keys where none is configured, and says that nobody chose them', () => {
    const { identities, identitiesOnly } = buildTarget(
      sources({ values: { identityfile: ['~/.ssh/id_rsa'] } }),
    );
    assert.equal(identitiesOnly, false);
    assert.deepEqual(identities[0], { kind: 'agent' });
    assert.ok(identities.slice(1).every((one) => one.kind === 'keyFile' && !one.configured));
  });

  it('expands home, variables and tokens of configured keys, and leaves out what cannot be opened', () => {
    const { identities } = buildTarget(
      sources({
        values: { identityfile: ['~/.ssh/%r@%h', '${KEYS}/%u', '${MISSING}/x', '~other/x'] },
        set: ['identityfile'],
      }),
    );
    assert.deepEqual(identities, [
      { kind: 'agent' },
      { kind: 'keyFile', path: '/home/me/.ssh/deploy@Web.Example.com', configured: true },
      { kind: 'keyFile', path: '/keys/me', configured: true },
    ]);
  });

  for (const [identity, expected] of [
    [
      { kind: 'password', credentialId: undefined },
      { identities: [], identitiesOnly: true },
    ],
    [{ kind: 'agent' }, { identities: [{ kind: 'agent' }], identitiesOnly: false }],
    [
      { kind: 'keyFile', path: '~/k' },
      {
        identities: [{ kind: 'agent' }, { kind: 'keyFile', path: '/home/me/k', configured: true }],
        identitiesOnly: true,
      },
    ],
  ] as const)
    it(`offers nothing but what the record chose: ${identity.kind}`, () => {
      const { identities, identitiesOnly } = buildTarget(sources({ record: { ...record, identity } }));
      assert.deepEqual({ identities, identitiesOnly }, expected);
    });

  for (const [value, expected] of [
    ['SSH_AUTH_SOCK', 'SSH_AUTH_SOCK'],
    ['none', 'none'],
    ['$SOCK', '/run/agent'],
    ['$MISSING', 'none'],
    ['~/agent', '/home/me/agent'],
  ] as const)
    it(`reads IdentityAgent ${value}`, () => {
      assert.equal(buildTarget(sources({ values: { identityagent: [value] } })).identityAgent, expected);
    });

  it('takes the files of known host keys as they are printed, their tokens replaced already', () => {
    const files = ['/k/a%b', '/k/~ ${X}'];
    assert.deepEqual(
      buildTarget(sources({ values: { userknownhostsfile: files } })).userKnownHostsFiles,
      files,
    );
    assert.deepEqual(
      buildTarget(sources({ values: { userknownhostsfile: ['none'] } })).userKnownHostsFiles,
      [],
    );
  });

  it('the token %k is the name as typed where no HostKeyAlias is set', () => {
    const values = { identityfile: ['/k/%k'] };
    const pathOf = (target: Target): readonly unknown[] =>
      target.identities.map((identity) => (identity.kind === 'keyFile' ? identity.path : identity.kind));
    assert.ok(pathOf(buildTarget(sources({ values, set: ['identityfile'] }))).includes('/k/web'));
    const aliased = sources({ values: { ...values, hostkeyalias: ['key'] }, set: ['identityfile'] });
    assert.ok(pathOf(buildTarget(aliased)).includes('/k/key'));
  });

  it('leaves the choice of an agent to the search when nobody made one', () => {
    assert.equal(buildTarget(sources({ values: {} })).identityAgent, undefined);
  });

  it('reads CertificateFile and NumberOfPasswordPrompts', () => {
    const target = buildTarget(
      sources({
        values: { certificatefile: ['~/.ssh/%r-cert.pub', 'none'], numberofpasswordprompts: ['1'] },
      }),
    );
    assert.deepEqual(
      [target.certificateFiles, target.passwordPrompts, target.attemptLimit],
      [['/home/me/.ssh/deploy-cert.pub'], 1, 6],
    );
  });

  for (const [what, values, signIn, expected] of [
    ['nothing', {}, undefined, undefined],
    ['no', { forwardagent: ['no'] }, undefined, undefined],
    ['yes', { forwardagent: ['yes'] }, undefined, { agent: undefined, keys: undefined, confirm: false }],
    [
      'a variable',
      { forwardagent: ['$SOCK'] },
      undefined,
      { agent: '/run/agent', keys: undefined, confirm: false },
    ],
    [
      'yes, but the record says no',
      { forwardagent: ['yes'] },
      { agentForwarding: { isOn: false } },
      undefined,
    ],
    [
      'no, but the record offers one key with confirmation',
      { forwardagent: ['no'] },
      { agentForwarding: { isOn: true, keys: ['SHA256:a'], confirm: true } },
      { agent: undefined, keys: ['SHA256:a'], confirm: true },
    ],
  ] as const)
    it(`forwards an agent for ForwardAgent ${what}`, () => {
      const own: HostRecord = signIn === undefined ? record : { ...record, signIn };
      assert.deepEqual(buildTarget(sources({ record: own, values })).agentForwarding, expected);
    });

  it('a record that is linked to an alias keeps its address, unless it names its own', () => {
    const linked: HostRecord = { ...record, alias: 'web', addresses: [] };
    assert.deepEqual(buildTarget(sources({ record: linked })).addresses, ['Web.Example.com']);
    const own: HostRecord = { ...linked, addresses: ['192.0.2.7', '192.0.2.8'] };
    assert.deepEqual(buildTarget(sources({ record: own })).addresses, ['192.0.2.7', '192.0.2.8']);
  });

  for (const [values, set, expected] of [
    [{}, [], undefined],
    [{ passwordauthentication: ['yes'], pubkeyauthentication: ['true'] }, [], undefined],
    [{ passwordauthentication: ['no'] }, [], ['publickey', 'keyboard-interactive']],
    [
      { preferredauthentications: ['password,publickey'] },
      ['preferredauthentications'],
      ['password', 'publickey'],
    ],
    [
      { preferredauthentications: ['password,publickey'], pubkeyauthentication: ['false'] },
      ['preferredauthentications'],
      ['password'],
    ],
  ] as const)
    it(`methods of ${JSON.stringify(values)} are ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(buildTarget(sources({ values, set })).preferredAuthentications, expected);
    });

  it('sends what SendEnv takes from here and what SetEnv says, which wins', () => {
    const values = { sendenv: ['KEY*', 'SOCK', 'OTHER', '-SO*'], setenv: ['KEYS=/else', 'A=b=c', '=x'] };
    assert.deepEqual(buildTarget(sources({ values })).environment, [
      { name: 'KEYS', value: '/else' },
      { name: 'A', value: 'b=c' },
    ]);
  });

  it('uses the agent chosen for all hosts where the configuration sets none', () => {
    const values = { identityagent: ['~/own'] };
    const chosenAgent = '~/chosen';
    assert.equal(buildTarget(sources({ chosenAgent })).identityAgent, '/home/me/chosen');
    assert.equal(buildTarget(sources({ chosenAgent: 'none' })).identityAgent, 'none');
    assert.equal(
      buildTarget(sources({ chosenAgent, values, set: ['identityagent'] })).identityAgent,
      '/home/me/own',
    );
  });

  it('uses HostKeyAlias as the trust name, as it is written', () => {
    const target = buildTarget(sources({ values: { hostkeyalias: ['Web-Key'] } }));
    assert.deepEqual([target.trustName, target.trustNameIsAlias], ['Web-Key', true]);
  });

  it('takes a printed default of zero for no choice, and a zero of a file for a choice', () => {
    const values = { serveraliveinterval: ['0'] };
    assert.equal(buildTarget(sources({ values })).serverAliveIntervalMs, undefined);
    assert.equal(buildTarget(sources({ values, set: ['serveraliveinterval'] })).serverAliveIntervalMs, 0);
  });

  it('reads StrictHostKeyChecking, and asks where it is unknown', () => {
    const check = (value: string): string =>
      buildTarget(sources({ values: { stricthostkeychecking: [value] } })).strictHostKeyChecking;
    assert.deepEqual(['yes', 'ask', 'accept-new', 'no', 'false', 'odd'].map(check), [
      'yes',
      'ask',
      'accept-new',
      'off',
      'off',
      'ask',
    ]);
  });
});
