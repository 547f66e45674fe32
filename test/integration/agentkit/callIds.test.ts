import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callId } from '../../../src/agentkit/index.ts';
import { TurnAssembly } from '../../../src/agentkit/turnAssembly.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import { streamResponse } from '../../lab/scriptedResponse.ts';
import { forEachProvider } from '../providers/matrix.ts';
import { read } from '../providers/support.ts';

forEachProvider((provider) => {
  describe(`the calls of an answer of ${provider.name}`, () => {
    let server: ScriptedModel<unknown>;
    beforeEach(async () => {
      server = await provider.start();
    });
    afterEach(() => server.stop());

    it('two calls under one id, or under none, are two calls', async () => {
      for (const id of ['same', '']) {
        const calls = [
          { id, name: 'a', args: { x: 1 } },
          { id, name: 'b', args: { x: 2 } },
        ];
        server.enqueue(streamResponse(provider.calls(calls, 'whole')));
        const assembly = new TurnAssembly();
        for (const event of (await read(provider.model(server.baseUrl))).events) assembly.accept(event);
        assert.deepEqual(assembly.result().calls, [
          { id: id === '' ? undefined : callId(id), name: 'a', argumentsText: '{"x":1}' },
          { id: undefined, name: 'b', argumentsText: '{"x":2}' },
        ]);
      }
    });
  });
});
