import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { after, afterEach, before, describe, it } from 'mocha';
import { AgentClient, AgentMissing, signatureFlags } from '../../../src/infrastructure/ssh/agentClient.ts';
import { AgentSearch } from '../../../src/infrastructure/ssh/agentSearch.ts';
import { SignerRefusal } from '../../../src/infrastructure/ssh/signer.ts';
import { systemClock } from '../../../src/agentkit/index.ts';
import {
  agentRequest,
  framed,
  listAnswer,
  readSignRequest,
  refusal,
  signAnswer,
  startScriptedAgent,
  type AgentAnswer,
  type ScriptedAgent,
} from '../../lab/scriptedAgent.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { never, within } from './sshBench.ts';

let folder: string;
const agents: ScriptedAgent[] = [];
let count = 0;

const agentAt = async (
  name: string,
  answer: (payload: Buffer) => AgentAnswer | Promise<AgentAnswer>,
): Promise<ScriptedAgent> => {
  const agent = await startScriptedAgent(path.join(folder, name), answer);
  agents.push(agent);
  return agent;
};
const agentThat = (answer: Parameters<typeof agentAt>[1]): Promise<ScriptedAgent> =>
  agentAt(`a${String(++count)}`, answer);
const clientOf = ({ socket }: ScriptedAgent, clock = new FakeClock()): AgentClient =>
  new AgentClient({ k: 'socket', path: socket }, clock);
const stopAgents = (): void => {
  for (const agent of agents.splice(0)) agent.stop();
};
const makeFolder = async (): Promise<void> => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-agent-'));
};

describe('an agent client', () => {
  before(makeFolder);
  afterEach(stopAgents);
  after(() => fs.rm(folder, { recursive: true }));

  it('passes every blob on byte for byte, whatever it is, and every signature unchanged', async () => {
    const keys = [
      { blob: randomBytes(40), comment: 'unknown kind' },
      { blob: Buffer.alloc(0), comment: '' },
      { blob: randomBytes(5000), comment: 'ünïcode' },
    ];
    const signature = randomBytes(200);
    const agent = await agentThat((payload) =>
      payload[0] === agentRequest.list ? listAnswer(keys) : signAnswer(signature),
    );
    const client = clientOf(agent);
    assert.deepEqual(await client.list(never), keys);
    const request = { flags: 0, signal: never };
    const given = await client.sign(keys[0]?.blob ?? Buffer.alloc(0), Buffer.from('data'), request);
    assert.ok(signature.equals(given));
    assert.deepEqual(readSignRequest(agent.requests[1] ?? Buffer.alloc(0)), {
      blob: keys[0]?.blob,
      data: Buffer.from('data'),
      flags: 0,
    });
  });

  it('asks once per connection', async () => {
    const agent = await agentThat(() => listAnswer([]));
    const client = clientOf(agent);
    await Promise.all([client.list(never), client.list(never), client.list(never)]);
    assert.deepEqual([agent.requests.length, agent.mostPerConnection], [3, 1]);
  });

  for (const [algorithm, flags] of [
    ['rsa-sha2-512', 4],
    ['rsa-sha2-512-cert-v01@openssh.com', 4],
    ['rsa-sha2-256', 2],
    ['rsa-sha2-256-cert-v01@openssh.com', 2],
    ['ssh-rsa', 0],
    ['ssh-ed25519', 0],
  ] as const)
    it(`asks for ${algorithm} with flags ${String(flags)}`, async () => {
      const agent = await agentThat(() => signAnswer(Buffer.from('s')));
      const request = { flags: signatureFlags(algorithm), signal: never };
      await clientOf(agent).sign(Buffer.from('k'), Buffer.from('d'), request);
      assert.equal(readSignRequest(agent.requests[0] ?? Buffer.alloc(0)).flags, flags);
    });

  it('reads an answer that comes in pieces', async () => {
    const key = { blob: randomBytes(30), comment: 'in pieces' };
    const bytes = listAnswer([key]);
    const socket = path.join(folder, 'pieces');
    const listener = net.createServer((client) => {
      client.on('error', () => {});
      client.once('data', () => {
        client.setNoDelay(true);
        for (const byte of bytes) client.write(Buffer.from([byte]));
      });
    });
    await new Promise<void>((resolve) => listener.listen(socket, resolve));
    try {
      const client = new AgentClient({ k: 'socket', path: socket }, new FakeClock());
      assert.deepEqual(await client.list(never), [key]);
    } finally {
      listener.close();
    }
  });

  for (const [what, answer] of [
    ['refuses', refusal],
    ['hangs up', 'hangUp'],
    ['says an impossible length', Buffer.from([0xff, 0xff, 0xff, 0xff, 12])],
    ['says one byte more than is allowed', Buffer.from([0, 4, 0, 1, 12])],
    ['says a length of zero', Buffer.from([0, 0, 0, 0])],
    ['speaks something else', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['lists more keys than it sends', framed(Buffer.from([12, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1]))],
    ['sends a key that is cut off', framed(Buffer.from([12, 0, 0, 0, 1, 0, 0, 0, 9, 1]))],
    ['answers something else', framed(Buffer.from([14, 0, 0, 0, 0]))],
  ] as const)
    it(`an agent that ${what} is missing, with a reason`, async () => {
      const agent = await agentThat(() => answer);
      await assert.rejects(within(clientOf(agent).list(never), 'the refusal'), AgentMissing);
    });

  it('nobody at the socket is a reason too', async () => {
    const client = new AgentClient({ k: 'socket', path: path.join(folder, 'nobody') }, new FakeClock());
    await assert.rejects(client.list(never), { name: 'AgentMissing', message: /ENOENT/ });
  });

  it('an agent that hangs is given 5 s for its list and 120 s for a signature', async () => {
    const clock = new FakeClock();
    let asked = (): void => {};
    const agent = await agentThat(() => {
      asked();
      return 'hang';
    });
    const client = clientOf(agent, clock);
    for (const [limitMs, ask, name] of [
      [5_000, () => client.list(never), 'AgentMissing'],
      [
        120_000,
        () => client.sign(Buffer.from('k'), Buffer.from('d'), { flags: 0, signal: never }),
        'SignerRefusal',
      ],
    ] as const) {
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      let isOver = false;
      const answer = ask();
      answer.catch(() => (isOver = true));
      await isAsked;
      await clock.advance(limitMs - 1);
      assert.equal(isOver, false);
      await clock.advance(1);
      await assert.rejects(answer, { name, message: /in time/ });
    }
    assert.equal(clock.pending, 0);
  });

  for (const [what, answer] of [
    ['refuses', refusal],
    ['hangs up', 'hangUp'],
    ['sends half a signature', framed(Buffer.from([14, 0, 0, 1, 0]))],
    ['answers with a list', listAnswer([])],
  ] as const)
    it(`an agent that ${what} instead of signing has refused`, async () => {
      const agent = await agentThat(() => answer);
      const request = { flags: 0, signal: never };
      await assert.rejects(clientOf(agent).sign(Buffer.from('k'), Buffer.from('d'), request), SignerRefusal);
    });

  it('any answer at all is a list, a signature or a reason', async () => {
    let answer: Uint8Array = Buffer.alloc(0);
    const agent = await agentThat(() => answer);
    const client = clientOf(agent);
    const isReason = (error: unknown): true => {
      assert.ok(error instanceof AgentMissing || error instanceof SignerRefusal, String(error));
      return true;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.constantFrom(5, 12, 14),
        async (bytes, type) => {
          answer = framed(Buffer.concat([Buffer.from([type]), bytes]));
          await client.list(never).catch(isReason);
          await client.sign(bytes, bytes, { flags: 0, signal: never }).catch(isReason);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('an abort ends the question and the connection', async () => {
    const abort = new AbortController();
    const agent = await agentThat(() => {
      abort.abort(new Error('no longer wanted'));
      return 'hang';
    });
    await assert.rejects(clientOf(agent).list(abort.signal), /no longer wanted/);
  });
});

describe('the search for an agent', () => {
  before(makeFolder);
  afterEach(stopAgents);
  after(() => fs.rm(folder, { recursive: true }));
  const one = { blob: Buffer.from('key'), comment: 'one' };
  const search = (
    environment: Readonly<Record<string, string>>,
    home = path.join(folder, 'nobody'),
  ): AgentSearch => new AgentSearch({ environment, home, platform: 'linux', clock: systemClock });
  /** A service manager that knows a socket. */
  const serviceManager = (says: string): string => {
    const bin = path.join(folder, `bin${String(++count)}`);
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'systemctl'), `#!/bin/sh\nprintf '%s\\n' ${says}\n`);
    chmodSync(path.join(bin, 'systemctl'), 0o755);
    return bin;
  };

  it('takes the inherited variable first', async () => {
    const agent = await agentThat(() => listAnswer([one]));
    const found = await search({ SSH_AUTH_SOCK: agent.socket, PATH: '/nowhere' }).find(undefined, never);
    assert.deepEqual(
      [found.endpoint, found.agent?.keys, found.problem, found.asked],
      [agent.socket, [one], undefined, [{ endpoint: agent.socket, result: '1 key' }]],
    );
  });

  it('a dead variable does not end it: the service manager is asked, quotes and all', async () => {
    const agent = await agentAt('with space', () => listAnswer([one]));
    const bin = serviceManager(`HOME=/x "SSH_AUTH_SOCK=\\$'${agent.socket}'" LANG=C`);
    const found = await search({ SSH_AUTH_SOCK: '/nowhere/dead', PATH: `${bin}:/bin:/usr/bin` }).find(
      undefined,
      never,
    );
    assert.equal(found.endpoint, agent.socket);
    assert.deepEqual(
      found.asked.map(({ endpoint }) => endpoint),
      ['/nowhere/dead', agent.socket],
    );
  });

  it('without any variable the well-known sockets are asked, and one that does not answer is passed over', async () => {
    const run = path.join(folder, 'run');
    mkdirSync(path.join(run, 'gnupg'), { recursive: true });
    await agentAt('run/ssh-agent.socket', () => 'hangUp');
    const gpg = await agentAt('run/gnupg/S.gpg-agent.ssh', () => listAnswer([]));
    const found = await search({ XDG_RUNTIME_DIR: run, PATH: '/nowhere' }).find(undefined, never);
    assert.equal(found.endpoint, gpg.socket);
  });

  it('a choice is final, whether it answers or not', async () => {
    const other = await agentThat(() => listAnswer([one]));
    const chosen = await agentThat(() => listAnswer([]));
    const environment = { SSH_AUTH_SOCK: other.socket, MINE: chosen.socket, PATH: '/nowhere' };
    for (const [choice, endpoint] of [
      [chosen.socket, chosen.socket],
      ['$MINE', chosen.socket],
      ['${MINE}', chosen.socket],
      ['SSH_AUTH_SOCK', other.socket],
      ['/nowhere/agent', '/nowhere/agent'],
      ['$MISSING', undefined],
      ['none', undefined],
    ] as const) {
      const found = await search(environment).find(choice, never);
      assert.deepEqual([choice, found.endpoint], [choice, endpoint]);
      assert.equal(found.agent === undefined, found.problem !== undefined);
    }
  });

  it('says what is missing when nobody answers: the place that was named, otherwise none', async () => {
    const named = await search({ SSH_AUTH_SOCK: '/nowhere/dead', PATH: '/nowhere' }).find(undefined, never);
    assert.deepEqual([named.endpoint, named.agent], ['/nowhere/dead', undefined]);
    assert.match(named.problem ?? '', /ENOENT/);
    const nothing = await search({ PATH: '/nowhere' }).find(undefined, never);
    assert.deepEqual([nothing.endpoint, nothing.problem], [undefined, 'no agent is running']);
  });
});

describe('TRAP-11: Pageant by its helper program', () => {
  it('says what is missing where the program was removed', async () => {
    const client = new AgentClient({ k: 'pageant' }, systemClock);
    await assert.rejects(client.list(never), {
      name: 'AgentMissing',
      message: /pagent\.exe cannot be started; security software may have removed it/,
    });
  });
});

describe('TRAP-11: an agent of Cygwin or MSYS', () => {
  before(makeFolder);
  afterEach(stopAgents);
  after(() => fs.rm(folder, { recursive: true }));
  const secret = Buffer.from('0123456789abcdeffedcba9876543210', 'hex');
  const credentials = Buffer.from('00000000e8030000e8030000', 'hex');

  /** The other side of the handshake, then an agent with no keys. Notes the credentials that it was sent. */
  const startEmulated = async (
    echo: Buffer,
  ): Promise<{ port: number; sent: readonly Buffer[]; stop(): void }> => {
    const sent: Buffer[] = [];
    const server = net.createServer((client) => {
      client.on('error', () => {});
      let received = Buffer.alloc(0);
      let stage: 'secret' | 'credentials' | 'agent' = 'secret';
      client.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        if (stage === 'secret' && received.length >= 16) {
          if (!received.subarray(0, 16).equals(secret)) client.destroy();
          received = received.subarray(16);
          stage = 'credentials';
          client.write(echo.subarray(0, 7));
          client.write(echo.subarray(7));
        }
        if (stage === 'credentials' && received.length >= 12) {
          sent.push(Buffer.from(received.subarray(0, 12)));
          received = received.subarray(12);
          stage = 'agent';
          client.write(credentials);
        }
        if (stage === 'agent' && received.length >= 5) client.write(listAnswer([]));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address: unknown = server.address();
    assert.ok(typeof address === 'object' && address !== null && 'port' in address);
    return { port: Number(address.port), sent, stop: () => void server.close() };
  };
  const fileOf = (text: string): string => {
    const file = path.join(folder, `socket${String(++count)}`);
    writeFileSync(file, text);
    return file;
  };
  /** The secret as the file spells it. */
  const spelled = '67452301-EFCDAB89-98BADCFE-10325476';
  const clientAt = (file: string): AgentClient => new AgentClient({ k: 'cygwin', path: file }, systemClock);

  it('is asked after two rounds of the handshake, the second with what the first has told', async () => {
    const server = await startEmulated(secret);
    try {
      const file = fileOf(`!<socket >${String(server.port)} s ${spelled}\0`);
      assert.deepEqual(await clientAt(file).list(never), []);
      const second = Buffer.from(credentials);
      second.writeUInt32LE(process.pid, 0);
      assert.deepEqual(server.sent, [Buffer.alloc(12), second]);
    } finally {
      server.stop();
    }
  });

  it('is not trusted when it does not know the secret', async () => {
    const server = await startEmulated(Buffer.alloc(16));
    try {
      const file = fileOf(`!<socket >${String(server.port)} s ${spelled}\0`);
      await assert.rejects(clientAt(file).list(never), /does not know its secret/);
    } finally {
      server.stop();
    }
  });

  for (const text of [
    '',
    'hello',
    '!<socket >0 s ' + spelled,
    `!<socket >99999 s ${spelled}`,
    '!<socket >5 s 12',
  ])
    it(`is not read from ${JSON.stringify(text)}`, async () => {
      await assert.rejects(clientAt(fileOf(text)).list(never), /no socket file/);
    });
});
