import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import {
  ProviderError,
  type Disposable,
  type ModelEvent,
  type ModelRequest,
} from '../../src/agentkit/index.ts';
import { editorModelStream, type ModelUse } from '../../src/application/assistant/editorModelStream.ts';
import type {
  EditorAnswerPart,
  EditorModel,
  EditorModelsPort,
} from '../../src/application/ports/editorModels.ts';
import { editorModels } from '../../src/platform/vscode/editorModels.ts';
import { until } from '../e2e/harness/until.ts';
import { answer, call, listHosts, result } from '../integration/providers/conversation.ts';
import { request, user } from '../integration/providers/support.ts';
import { silentLog } from '../support/silentLog.ts';
import { probeTool } from '../unit/agentkit/support/probeTool.ts';
import { bodies, envelope, finished, results } from '../unit/agentkit/support/runHarness.ts';

/** One black dot: the editor looks into pictures and refuses what is none. */
const png = {
  mediaType: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
};

interface Asked {
  readonly model: string;
  readonly messages: readonly vscode.LanguageModelChatRequestMessage[];
  readonly options: vscode.ProvideLanguageModelChatResponseOptions;
}
type Progress = vscode.Progress<vscode.LanguageModelResponsePart>;

/** What the extension in `chatModels` gives to who activates it. */
interface LabModels {
  models: object[];
  requests: Asked[];
  answer: (progress: Progress, token: vscode.CancellationToken) => Promise<void>;
  readonly access: vscode.LanguageModelAccessInformation;
  change(): void;
}

const text = (value: string): vscode.LanguageModelTextPart => new vscode.LanguageModelTextPart(value);
const toolCall = (id: string, name: string, input: object): vscode.LanguageModelToolCallPart =>
  new vscode.LanguageModelToolCallPart(id, name, input);

async function activateLab(): Promise<LabModels> {
  const extension = vscode.extensions.getExtension<LabModels>('termind-lab.chat-models');
  assert.ok(extension, 'the extension of the lab is loaded beside ours');
  return extension.activate();
}

function offered(id: string): object {
  return {
    id,
    name: `Lab ${id}`,
    family: 'lab',
    version: '1',
    maxInputTokens: 64_000,
    maxOutputTokens: 4_000,
    capabilities: { toolCalling: true, imageInput: true },
  };
}

describe('models of the editor, offered by another extension', () => {
  let lab: LabModels;
  let models: EditorModelsPort & Disposable;

  beforeEach(async () => {
    lab = await activateLab();
    lab.models = [offered('one')];
    lab.requests = [];
    lab.change();
    models = editorModels({ access: lab.access, log: silentLog });
    await until({ what: 'the models of the lab', probe: () => labKeys(models).join() === 'termind-lab/one' });
  });
  afterEach(() => models.dispose());

  const labKeys = (port: EditorModelsPort): readonly string[] =>
    port.list().flatMap(({ key }) => (key.startsWith('termind-lab/') ? [key] : []));

  function model(port: EditorModelsPort = models): EditorModel {
    const found = port.list().find(({ key }) => key === 'termind-lab/one');
    assert.ok(found);
    return found;
  }

  /** The editor is offered another model instead. */
  async function withdraw(): Promise<void> {
    lab.models = [offered('later')];
    lab.change();
    await until({ what: 'the new list', probe: () => labKeys(models).join() === 'termind-lab/later' });
  }

  function answers(...parts: readonly vscode.LanguageModelResponsePart[]): void {
    lab.answer = async (progress) => parts.forEach((part) => progress.report(part));
  }

  async function ask(
    parts: Partial<ModelRequest> = {},
    about: { readonly of?: EditorModel; readonly use?: ModelUse; readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly events: readonly ModelEvent[]; readonly failure: ProviderError | undefined }> {
    const { of = model(), use = 'person', signal = AbortSignal.timeout(60_000) } = about;
    const marks = { tools: true, images: true };
    const events: ModelEvent[] = [];
    try {
      const stream = editorModelStream({ model: of, marks, use }).stream(request(parts), signal);
      for await (const event of stream) events.push(event);
      return { events, failure: undefined };
    } catch (error) {
      if (error instanceof ProviderError) return { events, failure: error };
      throw error;
    }
  }

  it('are listed with what the editor tells of them, and the list follows it', async () => {
    const { key, name, maxInputTokens } = model();
    assert.deepEqual([key, name, maxInputTokens], ['termind-lab/one', 'Lab one', 64_000]);
    const changed = new Promise<void>((resolve) => models.onDidChange(resolve));
    await withdraw();
    await changed;
  });

  it('answer in text', async () => {
    answers(text('The load '), text('is low.'));
    const { events, failure } = await ask();
    const said = events.flatMap((event) => (event.kind === 'textDelta' ? [event.text] : [])).join('');
    assert.deepEqual(
      [said, events.at(-1), failure],
      ['The load is low.', { kind: 'finished', reason: 'completed' }, undefined],
    );
  });

  it('ask for calls: with arguments, and two at once', async () => {
    answers(
      text('Looking.'),
      toolCall('c1', 'ssh_exec_run', { host_id: 'h1', command: 'df -h "/a b"' }),
      toolCall('c2', 'list_hosts', {}),
    );
    assert.deepEqual((await ask({ tools: [listHosts] })).events, [
      { kind: 'textDelta', text: 'Looking.' },
      {
        kind: 'toolCallDelta',
        index: 0,
        id: 'c1',
        name: 'ssh_exec_run',
        argumentsText: JSON.stringify({ host_id: 'h1', command: 'df -h "/a b"' }),
      },
      { kind: 'toolCallDelta', index: 1, id: 'c2', name: 'list_hosts', argumentsText: '{}' },
      { kind: 'finished', reason: 'toolCalls' },
    ]);
  });

  it('may give arguments that are no object, which the tool refuses', async () => {
    const turns = [
      [
        // Other extensions are not held to the types.
        ...[undefined, null, [1], 'text', 7].map((input, at) =>
          Object.assign(toolCall(`c${String(at)}`, 'probe', {}), { input }),
        ),
      ],
      [text('Done.')],
    ];
    lab.answer = async (progress) => turns.shift()?.forEach((part) => progress.report(part));
    const stream = editorModelStream({
      model: model(),
      marks: { tools: true, images: false },
      use: 'person',
    });
    const run = await finished({ answers: [], tools: [probeTool()], options: { model: stream } });
    assert.deepEqual([run.state, lab.requests.length], ['completed', 2]);
    const refused = 'Invalid arguments: they are not one JSON object. The call was not run.';
    assert.deepEqual(results(await run.stored()), {
      c0: envelope('{"echo":""}'),
      c1: envelope('{"echo":""}'),
      c2: refused,
      c3: refused,
      c4: refused,
    });
  });

  it('get everything that was said: prompt, picture, calls with their results, and the tools', async () => {
    answers(text('Low.'));
    const items = [
      { ...user('How busy?'), images: [png] },
      answer('a1', 'Looking.', {
        calls: [call('c1', 'probe', '{"value":"a"}'), call('c2', 'list_hosts', '')],
      }),
      result('c1', 'probe', 'up'),
      result('c2', 'list_hosts', 'none'),
    ];
    assert.equal((await ask({ items, tools: [listHosts] })).failure, undefined);
    const [asked] = lab.requests;
    const { User, Assistant } = vscode.LanguageModelChatMessageRole;
    assert.deepEqual(
      asked?.messages.map(({ role, content }) => [role, content.map(inShort)]),
      [
        [User, ['text You operate servers.']],
        [User, ['text How busy?', `image/png ${png.base64}`]],
        [Assistant, ['text Looking.', 'call c1 probe {"value":"a"}', 'call c2 list_hosts {}']],
        [User, ['result c1 up', 'result c2 none']],
      ],
    );
    const { name, description, inputSchema } = listHosts;
    assert.deepEqual(asked.options.tools, [{ name, description, inputSchema }]);
  });

  it('work through a run with a call, as any other model', async () => {
    const turns = [[toolCall('c1', 'probe', { value: 'a' })], [text('Done.')]];
    lab.answer = async (progress) => turns.shift()?.forEach((part) => progress.report(part));
    const stream = editorModelStream({
      model: model(),
      marks: { tools: true, images: false },
      use: 'person',
    });
    const run = await finished({ answers: [], tools: [probeTool()], options: { model: stream } });
    assert.deepEqual([run.state, lab.requests.length], ['completed', 2]);
    assert.deepEqual(results(await run.stored()), { c1: envelope('{"echo":"a"}') });
    assert.equal(bodies(run.events, 'messageFinished').at(-1)?.message.text, 'Done.');
  });

  it('end at once when stopped, though the provider goes on, which is told to stop', async () => {
    const stop = new AbortController();
    const told = new Promise<void>((resolve) => {
      lab.answer = (progress, token) => {
        token.onCancellationRequested(() => resolve());
        progress.report(text('Half'));
        return new Promise(() => {});
      };
    });
    const seen: EditorAnswerPart[] = [];
    const reading = (async () => {
      for await (const part of model().send(
        { messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }], tools: [] },
        stop.signal,
      )) {
        seen.push(part);
        stop.abort(new Error('stopped by a test'));
      }
    })();
    await assert.rejects(reading, { message: 'stopped by a test' });
    assert.deepEqual(seen, [{ kind: 'text', text: 'Half' }]);
    await told;
  });

  for (const [what, error, code] of [
    ['that the person does not allow it', vscode.LanguageModelError.NoPermissions('not you'), 'notPermitted'],
    ['that it is blocked', vscode.LanguageModelError.Blocked('quota'), 'blocked'],
    ['that the model is not there', vscode.LanguageModelError.NotFound('gone'), 'withdrawn'],
    ['anything else', new Error('the backend fell over'), 'overloaded'],
  ] as const)
    it(`say ${what} in a failure that is not tried again`, async () => {
      lab.answer = () => Promise.reject(error);
      const { failure } = await ask();
      assert.deepEqual([failure?.code, failure?.retryable, failure?.detail], [code, false, error.message]);
    });

  it('fail as withdrawn when their provider offers them no more', async () => {
    const before = model();
    await withdraw();
    const { failure } = await ask({}, { of: before });
    assert.deepEqual([failure?.code, lab.requests.length], ['withdrawn', 0]);
  });

  for (const [says, consent] of [
    [undefined, 'open'],
    [false, 'refused'],
  ] as const)
    it(`are not asked in the background when their consent is ${consent}`, async () => {
      const access = { canSendRequest: () => says, onDidChange: lab.access.onDidChange };
      const others = editorModels({ access, log: silentLog });
      await until({ what: 'the models of the lab', probe: () => labKeys(others).length === 1 });
      const of = model(others);
      const { failure } = await ask({}, { of, use: 'background' });
      others.dispose();
      assert.deepEqual(
        [of.consent(), failure?.code, failure?.retryable, lab.requests.length],
        [consent, 'notPermitted', false, 0],
      );
    });
});

function inShort(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return `text ${part.value}`;
  if (part instanceof vscode.LanguageModelDataPart)
    return `${part.mimeType} ${Buffer.from(part.data).toString('base64')}`;
  if (part instanceof vscode.LanguageModelToolCallPart)
    return `call ${part.callId} ${part.name} ${JSON.stringify(part.input)}`;
  if (part instanceof vscode.LanguageModelToolResultPart)
    return `result ${part.callId} ${part.content.map((inner) => (inner instanceof vscode.LanguageModelTextPart ? inner.value : '?')).join('')}`;
  return 'something else';
}
