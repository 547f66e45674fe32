import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { sshString, WireReader } from '../../../../src/domain/keys/wire.ts';
import type { AgentIdentity } from '../../../../src/infrastructure/ssh/agentClient.ts';
import { AgentProxy } from '../../../../src/infrastructure/ssh/agentProxy.ts';

const key = (name: string): AgentIdentity => ({ blob: Buffer.from(name), comment: `the ${name}` });
const keys = [key('one'), key('two')];
const list = sshString(Buffer.from([11]));
const signRequest = (blob: Uint8Array): Buffer =>
  sshString(
    Buffer.concat([Buffer.from([13]), sshString(blob), sshString('data'), Buffer.from([0, 0, 0, 4])]),
  );
const failure = sshString(Buffer.from([5]));

interface Asked {
  readonly signed: { readonly blob: string; readonly data: string; readonly flags: number }[];
  readonly questions: string[];
}

function proxy(options: { readonly isAllowed?: boolean; readonly isBroken?: boolean } = {}): {
  stream: AgentProxy;
  asked: Asked;
} {
  const asked: Asked = { signed: [], questions: [] };
  const stream = new AgentProxy({
    agent: {
      list: async () => {
        if (options.isBroken === true) throw new Error('the agent is gone');
        return keys;
      },
      sign: async (blob, data, { flags }) => {
        asked.signed.push({
          blob: Buffer.from(blob).toString(),
          data: Buffer.from(data).toString(),
          flags,
        });
        return Buffer.from('signature');
      },
    },
    isShown: (blob) => Buffer.from(blob).toString() !== 'two',
    mayUse: async ({ comment }) => {
      asked.questions.push(comment);
      return options.isAllowed ?? true;
    },
    signal: new AbortController().signal,
  });
  return { stream, asked };
}

/** Everything that the proxy says to `chunks`; undefined when it ends the stream instead. */
async function say(stream: AgentProxy, chunks: readonly Uint8Array[]): Promise<Buffer | undefined> {
  const said: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve) => {
    stream.once('end', () => resolve(Buffer.concat(said)));
    stream.once('close', () => resolve(undefined));
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
  });
}

describe('the agent as a server sees it', () => {
  it('lists only what is shown', async () => {
    const said = await say(proxy().stream, [list]);
    const reader = new WireReader(said?.subarray(4) ?? Buffer.alloc(0));
    assert.deepEqual(
      [reader.byte(), reader.uint32(), reader.string().toString(), reader.string().toString()],
      [12, 1, 'one', 'the one'],
    );
  });

  it('signs as it was asked, after the question', async () => {
    const { stream, asked } = proxy();
    const said = await say(stream, [signRequest(Buffer.from('one'))]);
    assert.deepEqual(said, sshString(Buffer.concat([Buffer.from([14]), sshString('signature')])));
    assert.deepEqual(asked, {
      signed: [{ blob: 'one', data: 'data', flags: 4 }],
      questions: ['the one'],
    });
  });

  for (const [what, options, blob] of [
    ['a key that is not shown', {}, 'two'],
    ['a key that the agent does not hold', {}, 'three'],
    ['a person who refuses', { isAllowed: false }, 'one'],
    ['an agent that is gone', { isBroken: true }, 'one'],
  ] as const)
    it(`signs nothing for ${what}`, async () => {
      const { stream, asked } = proxy(options);
      assert.deepEqual(await say(stream, [signRequest(Buffer.from(blob))]), failure);
      assert.deepEqual(asked.signed, []);
    });

  for (const [what, type] of [
    ['adding a key', 17],
    ['removing a key', 18],
    ['removing all keys', 19],
    ['locking', 22],
    ['an extension', 27],
    ['an answer in place of a request', 12],
  ] as const)
    it(`refuses ${what} and goes on`, async () => {
      const { stream, asked } = proxy();
      const said = await say(stream, [sshString(Buffer.from([type, 1, 2, 3])), list]);
      assert.deepEqual(said?.subarray(0, failure.length), failure);
      assert.equal(said[failure.length + 4], 12);
      assert.deepEqual(asked, { signed: [], questions: [] });
    });

  for (const length of [0, 256 * 1024 + 1, 0xffff_ffff])
    it(`ends at a message of ${length.toString()} bytes`, async () => {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(length);
      assert.equal(await say(proxy().stream, [head, Buffer.alloc(100)]), undefined);
    });

  it('answers the same at every cut', async () => {
    const bytes = Buffer.concat([list, signRequest(Buffer.from('one')), signRequest(Buffer.from('two'))]);
    const whole = await say(proxy().stream, [bytes]);
    for (let cut = 1; cut < bytes.length; cut++)
      assert.deepEqual(await say(proxy().stream, [bytes.subarray(0, cut), bytes.subarray(cut)]), whole);
  });

  it('takes any bytes without an error, and never signs by a key that is not shown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 }), async (messages) => {
        const { stream, asked } = proxy();
        stream.on('error', (error) => assert.fail(error));
        await say(
          stream,
          messages.map((message, index) => (index % 2 === 0 ? sshString(message) : message)),
        );
        assert.ok(asked.signed.every(({ blob }) => blob === 'one'));
      }),
      { numRuns: 300 },
    );
  });
});
