import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ModelEvent } from '../../../src/agentkit/index.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import type { ScriptedResponse } from '../../lab/scriptedResponse.ts';
import { forEachProvider } from './matrix.ts';
import { read, type Reading } from './support.ts';

const lanes = 8;

/** The bytes in these pieces, each sent on its own. */
function inPieces(pieces: readonly Buffer[]): ScriptedResponse {
  return {
    head: { status: 200, headers: { 'content-type': 'text/event-stream' } },
    steps: pieces.map((bytes) => ({ kind: 'write', bytes })),
    ending: 'end',
  };
}

/** What was read, with the text and reasoning of neighbouring deltas joined. */
function joined({ events, failure }: Reading): { events: readonly ModelEvent[]; failure?: string } {
  const merged: ModelEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (last?.kind === 'textDelta' && event.kind === 'textDelta')
      merged.splice(-1, 1, { kind: 'textDelta', text: last.text + event.text });
    else if (last?.kind === 'reasoningDelta' && event.kind === 'reasoningDelta')
      merged.splice(-1, 1, { kind: 'reasoningDelta', text: last.text + event.text });
    else merged.push(event);
  }
  return { events: merged, ...(failure && { failure: failure.code }) };
}

/** Whole, byte by byte, and once in two pieces for every place between two bytes. */
function waysToSend(bytes: Buffer): readonly (readonly Buffer[])[] {
  const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  return [
    [bytes],
    [...bytes].map((byte) => Buffer.from([byte])),
    ...cuts.map((cut) => [bytes.subarray(0, cut), bytes.subarray(cut)]),
  ];
}

forEachProvider((provider) => {
  describe(`${provider.name}: a stream reads the same at every cut`, function () {
    this.timeout(120_000);
    let server: ScriptedModel<unknown>;
    before(async () => {
      server = await provider.start();
    });
    after(() => server.stop());

    for (const [name, fixture] of Object.entries(provider.fixtures)) {
      if ('notOnThisWire' in fixture) continue;
      const { bytes, ...expected } = fixture;
      it(name, async () => {
        const model = provider.model(server.baseUrl);
        const rest = waysToSend(bytes).entries();
        const lane = async (): Promise<void> => {
          for (const [at, pieces] of rest) {
            server.enqueue(inPieces(pieces));
            assert.deepEqual(joined(await read(model)), expected, `way ${String(at)}`);
          }
        };
        await Promise.all(Array.from({ length: lanes }, lane));
      });
    }
  });
});
