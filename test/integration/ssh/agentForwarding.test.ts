import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Connection } from 'ssh2';
import { systemClock } from '../../../src/agentkit/index.ts';
import { agentKeys } from '../../../src/infrastructure/ssh/agentKeys.ts';
import { AgentSearch } from '../../../src/infrastructure/ssh/agentSearch.ts';
import type { AgentForwarding, Target } from '../../../src/domain/ssh/target.ts';
import { startAskingServer } from '../../lab/askingServer.ts';
import { startRealAgent, type RealAgent } from '../../lab/realAgent.ts';
import { run } from '../../lab/run.ts';
import type { Sshd } from '../../lab/sshd.ts';
import type { KeyPair } from '../../lab/sshKey.ts';
import { SshBench, never, runCommand, startServer, targetAt, targetOf, within } from './sshBench.ts';

const everything: AgentForwarding = { agent: undefined, keys: undefined, confirm: false };

describe('agent forwarding', () => {
  let server: Sshd;
  let bench: SshBench;
  let agent: RealAgent;
  let keys: readonly [KeyPair, KeyPair];
  before(async () => {
    server = await startServer();
    keys = [await server.newKey(), await server.newKey({ type: 'rsa' })];
  });
  after(() => server.stop());
  beforeEach(async () => {
    bench = new SshBench();
    agent = await startRealAgent(
      server.folder,
      keys.map(({ privateFile }) => privateFile),
    );
  });
  afterEach(async () => {
    await bench.dispose();
    agent.stop();
  });
  const target = (agentForwarding: AgentForwarding | undefined, change: Partial<Target> = {}): Target =>
    targetOf(server, {
      identities: [{ kind: 'keyFile', path: server.key.privateFile, configured: true }],
      identityAgent: agent.socket,
      agentForwarding,
      ...change,
    });
  const remote = async (
    opened: Awaited<ReturnType<SshBench['open']>>,
    command: string,
  ): Promise<{ readonly said: string; readonly status: number | undefined }> => {
    const { stdout, stderr, exit } = await within(runCommand(opened, command), `the end of ${command}`);
    return {
      said: `${stdout.toString()}${stderr.toString()}`.trim(),
      status: exit.kind === 'code' ? exit.code : undefined,
    };
  };
  /** Signs on the server with the key that only the agent has. */
  const signs = async (opened: Awaited<ReturnType<SshBench['open']>>, key: KeyPair): Promise<boolean> => {
    const command = `f=$(mktemp) && printf '%s\\n' '${key.publicLine}' >"$f" && printf x >"$f.text" && ssh-keygen -q -Y sign -n test -f "$f" "$f.text"; s=$?; rm -f "$f" "$f.text" "$f.text.sig"; exit $s`;
    return (await remote(opened, command)).status === 0;
  };

  it('is off by default: no session gets a socket', async () => {
    const opened = await bench.open(target(undefined));
    assert.equal((await remote(opened, 'echo "[$SSH_AUTH_SOCK]"')).said, '[]');
    assert.equal(opened.facts.forwardedAgent, undefined);
  });

  it('shows the keys on the server and signs by them, in every session, and says which agent it is', async () => {
    const opened = await bench.open(target(everything));
    for (const round of [1, 2]) {
      const { said } = await remote(opened, 'ssh-add -l');
      for (const { fingerprint } of keys) assert.ok(said.includes(fingerprint), `round ${String(round)}`);
    }
    assert.deepEqual([await signs(opened, keys[0]), await signs(opened, keys[1])], [true, true]);
    assert.equal(opened.facts.forwardedAgent, agent.socket);
    assert.deepEqual(bench.person.confirmations, []);
  });

  it('shows chosen keys only, and signs by no other', async () => {
    const [chosen, other] = keys;
    const opened = await bench.open(target({ ...everything, keys: [chosen.fingerprint] }));
    const { said } = await remote(opened, 'ssh-add -L');
    assert.ok(said.includes(chosen.publicLine));
    assert.ok(!said.includes(other.publicLine));
    assert.deepEqual([await signs(opened, chosen), await signs(opened, other)], [true, false]);
  });

  it('lets nobody on the server change the agent', async () => {
    const opened = await bench.open(target(everything));
    for (const command of ['ssh-add -D', 'f=$(mktemp -u) && ssh-keygen -q -N "" -f "$f" && ssh-add "$f"'])
      assert.notEqual((await remote(opened, command)).status, 0);
    const { stdout } = await run('ssh-add', ['-l'], { env: { SSH_AUTH_SOCK: agent.socket } });
    assert.equal(stdout.trim().split('\n').length, 2);
  });

  it('asks before each signature where that is wanted, and a refusal signs nothing', async () => {
    const [key] = keys;
    const opened = await bench.open(target({ ...everything, confirm: true }));
    const answers = [true, false];
    bench.person.answerConfirm = () => answers.shift() ?? false;
    assert.deepEqual([await signs(opened, key), await signs(opened, key)], [true, false]);
    const hop = `${server.account.name}@lab`;
    const question = {
      k: 'forwardedSignature',
      hop,
      label: key.privateFile.split('/').at(-1),
      fingerprint: key.fingerprint,
    };
    assert.deepEqual(bench.person.confirmations, [question, question]);
  });

  for (const answer of [true, false])
    it(`asks again for a production host; ${answer ? 'yes' : 'no'} is ${answer ? 'on' : 'off, and the connection opens'}`, async () => {
      bench.person.answerConfirm = () => answer;
      const opened = await bench.open(target(everything, { tier: 'prod' }));
      assert.deepEqual(bench.person.confirmations, [
        { k: 'forwardAgent', hop: `${server.account.name}@lab`, endpoint: agent.socket },
      ]);
      assert.equal((await remote(opened, 'ssh-add -l')).status === 0, answer);
      assert.equal(opened.facts.forwardedAgent, answer ? agent.socket : undefined);
    });

  it('without an agent the connection opens and says that none is forwarded', async () => {
    const opened = await bench.open(target({ ...everything, agent: '/nowhere/agent' }));
    assert.equal(opened.facts.forwardedAgent, undefined);
    assert.equal((await remote(opened, 'echo "[$SSH_AUTH_SOCK]"')).said, '[]');
  });

  it('a server that does not allow it runs sessions all the same', async () => {
    const strict = await startServer({ config: ['AllowAgentForwarding no'] });
    try {
      const opened = await bench.open(
        targetOf(strict, { identityAgent: agent.socket, agentForwarding: everything }),
      );
      assert.equal((await remote(opened, 'echo "[$SSH_AUTH_SOCK]"')).said, '[]');
    } finally {
      await strict.stop();
    }
  });
});

describe('the keys that may be offered to a host', () => {
  it('are those of the agent that it would use, each once, certificates or not', async () => {
    const server = await startServer();
    const agent = await startRealAgent(server.folder, []);
    try {
      const key = await server.newKey();
      await server.certify(key);
      await agent.add('-q', key.privateFile);
      const target = targetOf(server, { identityAgent: agent.socket });
      const search = new AgentSearch({
        environment: {},
        home: '/nowhere',
        platform: 'linux',
        clock: systemClock,
      });
      const port = agentKeys({ target: async () => target }, search);
      assert.deepEqual(await port.of(target.hostId, never), {
        endpoint: agent.socket,
        keys: [
          {
            label: key.privateFile.split('/').at(-1),
            fingerprint: key.fingerprint,
            keyType: 'ssh-ed25519',
          },
        ],
      });
    } finally {
      agent.stop();
      await server.stop();
    }
  });
});

describe('TRAP-15: a server that opens a channel to the agent before any session asked for it', () => {
  let bench: SshBench;
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());

  /** Opens such a channel as soon as the client is in; resolves with what the client says to it. */
  const answerOf = async (agentForwarding: AgentForwarding | undefined): Promise<'accepted' | 'refused'> => {
    let tell: (answer: 'accepted' | 'refused') => void = () => {};
    const answer = new Promise<'accepted' | 'refused'>((resolve) => (tell = resolve));
    const server = await startAskingServer((context, client) => {
      client.once('ready', () => openAgentChannel(client, tell));
      context.accept();
    });
    try {
      const identityAgent = '/nowhere/agent';
      await bench.open(targetAt(server, { agentForwarding, identityAgent }));
      return await within(answer, 'an answer to the channel');
    } finally {
      server.stop();
    }
  };

  it('is refused while forwarding is off', async () => {
    assert.equal(await answerOf(undefined), 'refused');
  });

  it('is accepted while it is on', async () => {
    const folder = await startServer();
    const agent = await startRealAgent(folder.folder, []);
    try {
      assert.equal(await answerOf({ ...everything, agent: agent.socket }), 'accepted');
    } finally {
      agent.stop();
      await folder.stop();
    }
  });
});

/** The library's server has no call for it. */
function openAgentChannel(client: Connection, tell: (answer: 'accepted' | 'refused') => void): void {
  const protocol = Reflect.get(client, '_protocol') as Record<string, unknown>;
  const handlers = protocol['_handlers'] as Record<string, unknown>;
  handlers['CHANNEL_OPEN_CONFIRMATION'] = () => tell('accepted');
  handlers['CHANNEL_OPEN_FAILURE'] = () => tell('refused');
  const open = protocol['openssh_authAgent'];
  assert.ok(typeof open === 'function');
  Reflect.apply(open, protocol, [0, 2 * 1024 * 1024, 32 * 1024]);
}
