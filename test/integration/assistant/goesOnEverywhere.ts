import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationId } from '../../../src/agentkit/index.ts';
import { editorModelRef } from '../../../src/application/assistant/editorModelStream.ts';
import { editorViolations } from '../../lab/editorRules.ts';
import { streamResponse } from '../../lab/scriptedResponse.ts';
import { MemoryEditorModel } from '../../unit/application/assistant/editorModel.ts';
import { anthropic, chat, gemini, responses, type ProviderUnderTest } from '../providers/matrix.ts';
import { LabWindow, type LabWindowOptions } from './labWindow.ts';

/** A store as somebody left it, and a conversation in it. */
export interface Remains {
  readonly directory: string;
  readonly sshConfig: string;
  readonly id: ConversationId;
}

const lastWords = 'I looked.';

/**
 * Goes on with one message over every adapter, each with a copy of the remains in a window of its own: a strict server of each protocol
 * takes the request, and the rules of the models of the editor hold. Returns what the request of each adapter says of the calls,
 * `<call id>: <result>`, by its name.
 */
export async function goesOnEverywhere(
  remains: Remains,
): Promise<Readonly<Record<string, readonly string[]>>> {
  return {
    ...(await overWire(remains, chat)),
    ...(await overWire(remains, responses)),
    ...(await overWire(remains, anthropic)),
    ...(await overWire(remains, gemini)),
    'models of the editor': await throughEditor(remains),
  };
}

async function overWire<Body>(
  remains: Remains,
  { name, kind, wire, start }: ProviderUnderTest<Body>,
): Promise<Record<string, readonly string[]>> {
  const server = await start();
  try {
    server.enqueue(streamResponse(wire.answer({ text: lastWords }, { turn: 9 })));
    await goOn(remains, { baseUrl: server.baseUrl, kind });
    assert.deepEqual(server.violations, [], name);
    assert.equal(server.requests.length, 1, name);
    const messages = server.requests[0]?.conversation.messages ?? [];
    return {
      [name]: messages.flatMap((said) => (said.role === 'tool' ? [`${said.callId}: ${said.text}`] : [])),
    };
  } finally {
    await server.stop();
  }
}

async function throughEditor(remains: Remains): Promise<readonly string[]> {
  const model = new MemoryEditorModel({ answers: [[{ kind: 'text', text: lastWords }]] });
  await goOn(remains, { baseUrl: 'http://192.0.2.1/v1', editorModels: [model] });
  const messages = model.asked[0]?.messages ?? [];
  assert.deepEqual([model.asked.length, editorViolations(messages)], [1, []]);
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === 'result' ? [`${part.callId}: ${part.text}`] : []));
}

async function goOn(
  { directory, sshConfig, id }: Remains,
  options: Pick<LabWindowOptions, 'baseUrl' | 'kind' | 'editorModels'>,
): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'termind-remains-'));
  cpSync(directory, copy, { recursive: true });
  const window = new LabWindow({ directory: copy, sshConfig, ...options });
  try {
    const session = await window.services.assistant.open(id);
    assert.ok(session);
    const [editorModel] = options.editorModels ?? [];
    if (editorModel !== undefined) await session.setModel(editorModelRef(editorModel));
    await session.send('What happened?');
    await window.settled(session);
    const { messages, runs } = session.snapshot();
    assert.deepEqual([runs.at(-1)?.state, messages.at(-1)?.text], ['completed', lastWords]);
  } finally {
    window.close();
    rmSync(copy, { recursive: true, force: true });
  }
}
