import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { messageId, type ModelStreamPort } from '../../../../src/agentkit/index.ts';
import { ModelCatalog } from '../../../../src/application/assistant/modelCatalog.ts';
import type { ProviderConfig } from '../../../../src/application/providerConfig.ts';
import { kindDefaults, type ProviderKind } from '../../../../src/application/providerKinds.ts';
import { MemoryEditorModel } from './editorModel.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

interface Posted {
  readonly url: string;
  readonly headers: Headers;
}

/** A catalog whose requests go nowhere, and what they would have been. */
function scene(providers: readonly ProviderConfig[]): {
  readonly catalog: ModelCatalog;
  readonly posted: Posted[];
} {
  const posted: Posted[] = [];
  const catalog = new ModelCatalog({
    providers: () => providers,
    secrets: { get: (key) => Promise.resolve(`secret of ${key}`) },
    clock: new FakeClock(),
    fetch: (input, init) => {
      posted.push({
        url: input instanceof Request ? input.url : String(input),
        headers: new Headers(init?.headers),
      });
      return Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }));
    },
  });
  return { catalog, posted };
}

async function ask(model: ModelStreamPort | undefined): Promise<void> {
  assert.ok(model);
  const items = [{ role: 'user', id: messageId('u'), text: 'Go', images: [] }] as const;
  const request = { system: '', items, tools: [], cacheKey: 'k' };
  for await (const event of model.stream(request, AbortSignal.timeout(45_000)))
    assert.equal(event.kind, 'alive');
}

function config(kind: ProviderKind): ProviderConfig {
  return { id: `my-${kind}`, label: kind, kind, baseUrl: kindDefaults[kind].baseUrl, model: 'lab-1' };
}

describe('the catalog of models', () => {
  for (const [kind, url, header, value] of [
    ['openai-chat', 'https://api.openai.com/v1/chat/completions', 'authorization', 'Bearer '],
    ['openai-responses', 'https://api.openai.com/v1/responses', 'authorization', 'Bearer '],
    ['anthropic', 'https://api.anthropic.com/v1/messages', 'x-api-key', ''],
    [
      'gemini',
      'https://generativelanguage.googleapis.com/v1beta/models/lab-1:streamGenerateContent?alt=sse',
      'x-goog-api-key',
      '',
    ],
  ] as const)
    it(`asks ${kind} at the address of its vendor, with the key of that provider`, async () => {
      const { catalog, posted } = scene([config(kind)]);
      await ask(catalog.open(`my-${kind}/lab-1`));
      assert.deepEqual(
        posted.map((request) => [request.url, request.headers.get(header)]),
        [[url, `${value}secret of provider:my-${kind}`]],
      );
    });

  it('lists the models of the editor behind those of the settings, and opens them with the marks of the person', () => {
    const one = new MemoryEditorModel({ key: 'vendor/one' });
    const two = new MemoryEditorModel({ key: 'vendor/two' });
    const catalog = new ModelCatalog({
      providers: () => [config('anthropic')],
      secrets: { get: () => Promise.resolve(undefined) },
      clock: new FakeClock(),
      fetch: () => Promise.reject(new Error('nothing is sent here')),
      editorModels: { list: () => [one, two], onDidChange: () => ({ dispose: () => undefined }) },
      editorModelMarks: () => ({ 'vendor/two': { tools: true } }),
    });
    assert.deepEqual(
      catalog.choices().map(({ ref, label }) => [ref, label]),
      [
        ['my-anthropic/lab-1', 'anthropic'],
        ['editor:vendor/one', 'Memory'],
        ['editor:vendor/two', 'Memory'],
      ],
    );
    const able = (ref: string) => {
      const { tools, images, contextWindow } = catalog.open(ref)?.capabilities ?? {};
      return { tools, images, contextWindow };
    };
    assert.deepEqual(able('editor:vendor/one'), { tools: false, images: false, contextWindow: 64_000 });
    assert.deepEqual(able('editor:vendor/two'), { tools: true, images: false, contextWindow: 64_000 });
  });

  it('asks nobody else in place of a model that the editor does not offer', async () => {
    const { catalog, posted } = scene([config('anthropic')]);
    const model = catalog.open('editor:vendor/gone');
    assert.equal(model?.ref, 'editor:vendor/gone');
    await assert.rejects(ask(model), { code: 'withdrawn', retryable: false });
    assert.deepEqual(posted, []);
  });

  it('opens exactly what was chosen for a review, and asks no consent for a model of the editor', async () => {
    const editorModel = new MemoryEditorModel({ answers: [], consent: 'open' });
    const catalog = new ModelCatalog({
      providers: () => [config('openai-chat')],
      secrets: { get: () => Promise.resolve(undefined) },
      clock: new FakeClock(),
      fetch: () => Promise.reject(new Error('nobody is asked')),
      editorModels: { list: () => [editorModel], onDidChange: () => ({ dispose: () => {} }) },
    });
    const refs = [
      'my-openai-chat/lab-1',
      `editor:${editorModel.key}`,
      'my-openai-chat/lab-2',
      'editor:gone',
      '',
    ];
    assert.deepEqual(
      refs.map((ref) => catalog.openExactly(ref)?.ref),
      [refs[0], refs[1], undefined, undefined, undefined],
    );
    await assert.rejects(ask(catalog.openExactly(`editor:${editorModel.key}`)), { code: 'notPermitted' });
  });

  it('lists models in the order of the settings and takes the first in place of one that is gone', () => {
    const { catalog } = scene([config('gemini'), config('anthropic')]);
    assert.deepEqual(
      catalog.choices().map(({ ref }) => ref),
      ['my-gemini/lab-1', 'my-anthropic/lab-1'],
    );
    assert.equal(catalog.open('my-anthropic/lab-1')?.ref, 'my-anthropic/lab-1');
    assert.equal(catalog.open('gone/lab-1')?.ref, 'my-gemini/lab-1');
    assert.equal(scene([]).catalog.open('gone/lab-1'), undefined);
  });
});
