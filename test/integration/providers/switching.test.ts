import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { streamResponse } from '../../lab/scriptedResponse.ts';
import { probeTool } from '../../unit/agentkit/support/probeTool.ts';
import { bench, finished, type Bench } from '../../unit/agentkit/support/runHarness.ts';
import { forEachProvider, type ProviderUnderTest } from './matrix.ts';

/**
 * One prompt with two calls, thoughts and an answer. Returns what the last request said, without the form of the wire. The server takes no
 * item that its own protocol does not have.
 */
async function converse<Body>(provider: ProviderUnderTest<Body>, on: Bench, prompt: string): Promise<string> {
  const server = await provider.start();
  try {
    const turn = (await on.store.load(on.conversationId))?.messages.length ?? 0;
    const calls = [
      { name: 'probe', args: { value: prompt } },
      { name: 'probe', args: {} },
    ];
    server.enqueue(
      streamResponse(provider.wire.answer({ reasoning: 'Hm.', text: 'Looking.', calls }, { turn })),
      streamResponse(provider.wire.answer({ reasoning: 'So.', text: `Done: ${prompt}` }, { turn: turn + 1 })),
    );
    const model = provider.model(server.baseUrl);
    const run = await finished({ answers: [], on, prompt, tools: [probeTool()], options: { model } });
    assert.deepEqual([run.state, server.violations], ['completed', []]);
    const last = await server.request(2);
    return JSON.stringify(last.conversation.messages.map(({ role, ...said }) => [role, said]));
  } finally {
    await server.stop();
  }
}

forEachProvider((first) => {
  describe(`a conversation that ${first.name} began`, () => {
    forEachProvider((second) => {
      it(`goes on with ${second.name}, and back`, async () => {
        const on = await bench();
        await converse(first, on, 'one');
        await converse(second, on, 'two');
        const said = await converse(first, on, 'three');
        for (const words of ['one', 'Done: one', 'two', 'Done: two', 'three'])
          assert.ok(said.includes(words), `${words} in ${said}`);
      });
    });
  });
});
