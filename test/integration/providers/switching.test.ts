import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId, type ModelStreamPort } from '../../../src/agentkit/index.ts';
import { editorModelStream } from '../../../src/application/assistant/editorModelStream.ts';
import type { EditorAnswerPart } from '../../../src/application/ports/editorModels.ts';
import { editorViolations } from '../../lab/editorRules.ts';
import { streamResponse } from '../../lab/scriptedResponse.ts';
import { probeTool } from '../../unit/agentkit/support/probeTool.ts';
import { bench, finished, type Bench } from '../../unit/agentkit/support/runHarness.ts';
import { MemoryEditorModel } from '../../unit/application/assistant/editorModel.ts';
import { forEachProvider, type ProviderUnderTest } from './matrix.ts';

/** One prompt with two calls and an answer. Resolves with what the last request said, without the form of its adapter. */
interface Speaker {
  readonly name: string;
  readonly converse: (on: Bench, prompt: string) => Promise<string>;
}

async function runOn(on: Bench, prompt: string, model: ModelStreamPort): Promise<void> {
  const run = await finished({ answers: [], on, prompt, tools: [probeTool()], options: { model } });
  assert.equal(run.state, 'completed');
}

/** Over the wire, with thoughts. The server takes no item that its own protocol does not have. */
function overWire<Body>({ name, wire, start, model }: ProviderUnderTest<Body>): Speaker {
  return {
    name,
    converse: async (on, prompt) => {
      const server = await start();
      try {
        const turn = (await on.store.load(on.conversationId))?.messages.length ?? 0;
        const calls = [
          { name: 'probe', args: { value: prompt } },
          { name: 'probe', args: {} },
        ];
        server.enqueue(
          streamResponse(wire.answer({ reasoning: 'Hm.', text: 'Looking.', calls }, { turn })),
          streamResponse(wire.answer({ reasoning: 'So.', text: `Done: ${prompt}` }, { turn: turn + 1 })),
        );
        await runOn(on, prompt, model(server.baseUrl));
        assert.deepEqual(server.violations, []);
        const last = await server.request(2);
        return JSON.stringify(last.conversation.messages.map(({ role, ...said }) => [role, said]));
      } finally {
        await server.stop();
      }
    },
  };
}

const throughEditor: Speaker = {
  name: 'a model of the editor',
  converse: async (on, prompt) => {
    const call = (value: object): EditorAnswerPart => ({
      kind: 'call',
      id: callId(`editor-${String(Object.keys(value).length)}-${prompt}`),
      name: 'probe',
      input: { ...value },
    });
    const model = new MemoryEditorModel({
      answers: [
        [{ kind: 'text', text: 'Looking.' }, call({ value: prompt }), call({})],
        [{ kind: 'text', text: `Done: ${prompt}` }],
      ],
    });
    await runOn(
      on,
      prompt,
      editorModelStream({ model, marks: { tools: true, images: false }, use: 'person' }),
    );
    const asked = model.asked.map(({ messages }) => messages);
    assert.deepEqual(asked.flatMap(editorViolations), []);
    return JSON.stringify(asked[1]);
  },
};

function forEachSpeaker(define: (speaker: Speaker) => void): void {
  forEachProvider((provider) => define(overWire(provider)));
  define(throughEditor);
}

forEachSpeaker((first) => {
  describe(`a conversation that ${first.name} began`, () => {
    forEachSpeaker((second) => {
      it(`goes on with ${second.name}, and back`, async () => {
        const on = await bench();
        await first.converse(on, 'one');
        await second.converse(on, 'two');
        const said = await first.converse(on, 'three');
        for (const words of ['one', 'Done: one', 'two', 'Done: two', 'three'])
          assert.ok(said.includes(words), `${words} in ${said}`);
      });
    });
  });
});
