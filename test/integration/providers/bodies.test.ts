import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sortedJson, type JsonObject } from '../../../src/agentkit/index.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import { streamResponse } from '../../lab/scriptedResponse.ts';
import { anthropicBodies } from './bodies/anthropicBodies.ts';
import { chatBodies } from './bodies/chatBodies.ts';
import { geminiBodies } from './bodies/geminiBodies.ts';
import { responsesBodies } from './bodies/responsesBodies.ts';
import type { BodyRow } from './bodies/row.ts';
import { anthropic, chat, gemini, responses, type ProviderUnderTest } from './matrix.ts';
import { read, request } from './support.ts';

function describeBodies<Body>(provider: ProviderUnderTest<Body>, rows: readonly BodyRow[]): void {
  describe(`what is posted to ${provider.name}`, () => {
    let server: ScriptedModel<Body>;
    beforeEach(async () => {
      server = await provider.start();
    });
    afterEach(() => server.stop());

    for (const { name, asked = request(), options = {}, expected, isWhole = false } of rows)
      it(name, async () => {
        server.enqueue(streamResponse(provider.wire.answer({ text: 'Low.' }, { turn: 1 })));
        const { failure } = await read(provider.model(server.baseUrl, options), asked);
        assert.deepEqual([failure?.detail, server.violations], [undefined, []]);
        const { raw } = await server.request(1);
        const body = JSON.parse(raw) as JsonObject;
        assert.equal(raw, sortedJson(body), 'keys are sorted at every level');
        const named = Object.keys(expected).map((member) => [member, body[member]]);
        assert.deepEqual(isWhole ? body : Object.fromEntries(named), expected);
      });
  });
}

describeBodies(chat, chatBodies);
describeBodies(responses, responsesBodies);
describeBodies(anthropic, anthropicBodies);
describeBodies(gemini, geminiBodies);
