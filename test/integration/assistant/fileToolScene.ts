import { join } from 'node:path';
import type { JsonObject, PermissionMode } from '../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../src/application/assistant/assistantLibrary.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, unwrapped, type LabWindowOptions } from './labWindow.ts';
import { calls, says } from './scripts.ts';

export interface SceneOptions extends Pick<LabWindowOptions, 'deleteMode'> {
  /** Puts something between the window and the server on this port, and tells the port to connect to. */
  readonly through?: (port: number) => Promise<number>;
}

/** One window, one real host and a folder on it that both sides can write. Whoever opens it closes it. */
export class FileToolScene {
  readonly folder = sharedFolder();
  readonly window: LabWindow;
  readonly model: ScriptedModel;
  readonly host: string;
  readonly #sshd: Sshd;
  #calls = 0;

  private constructor(parts: { sshd: Sshd; model: ScriptedModel; window: LabWindow; host: string }) {
    this.#sshd = parts.sshd;
    this.model = parts.model;
    this.window = parts.window;
    this.host = parts.host;
  }

  static async open({ deleteMode, through }: SceneOptions = {}): Promise<FileToolScene> {
    const [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
    const port = (await through?.(sshd.port)) ?? sshd.port;
    const window = new LabWindow({
      sshConfig: sshd.configText('lab').replace(`Port ${sshd.port}`, `Port ${port}`),
      baseUrl: model.baseUrl,
      ...(deleteMode === undefined ? {} : { deleteMode }),
    });
    return new FileToolScene({ sshd, model, window, host: await window.hostId('lab') });
  }

  async close(): Promise<void> {
    this.window.close();
    this.window.remove();
    this.folder.remove();
    await Promise.all([this.#sshd.stop(), this.model.stop()]);
  }

  path(name: string): string {
    return join(this.folder.path, name);
  }

  /** The model makes one call and is done: in a new conversation, and in Full access, when nothing else is said. */
  async begin(
    tool: string,
    args: JsonObject,
    options: {
      readonly mode?: PermissionMode;
      readonly planning?: true;
      readonly session?: ConversationSession;
    } = {},
  ): Promise<ConversationSession> {
    const session = options.session ?? (await this.window.services.assistant.create());
    await session.setMode(options.mode ?? 'full');
    if (options.planning) await session.setPlanning(true);
    this.#calls += 1;
    const call = { id: `c${String(this.#calls)}`, name: tool, args: { host_id: this.host, ...args } };
    this.model.enqueue(calls(call), says('Done.'));
    await session.send('Go on.');
    return session;
  }

  /** The conversation once its run is over. */
  async settled(session: ConversationSession): Promise<ConversationSession> {
    await this.window.settled(session, 60_000);
    return session;
  }

  /** What the model reads of the one call: the result, or the sentence that answers it. */
  async result(session: ConversationSession): Promise<JsonObject | string> {
    await this.window.settled(session, 60_000);
    const text = resultsOf(session).at(-1) ?? '';
    return text.startsWith('<untrusted-data>') ? unwrapped(text) : text;
  }

  /** The result of the one call. Throws the sentence when it failed. */
  async object(session: ConversationSession): Promise<JsonObject> {
    const result = await this.result(session);
    if (typeof result === 'string') throw new Error(`the call failed: ${result}`);
    return result;
  }

  /** The sentence that answers the one call. Throws when it succeeded. */
  async sentence(session: ConversationSession): Promise<string> {
    const result = await this.result(session);
    if (typeof result !== 'string') throw new Error(`the call succeeded: ${JSON.stringify(result)}`);
    return result;
  }

  /** The result of one call in Full access. Throws the sentence when it failed. */
  async call(tool: string, args: JsonObject): Promise<JsonObject> {
    return this.object(await this.begin(tool, args));
  }

  /** The sentence by which one call in Full access fails. Throws when it succeeded. */
  async failure(tool: string, args: JsonObject): Promise<string> {
    return this.sentence(await this.begin(tool, args));
  }
}

/** Without what differs from run to run. */
export function without(result: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !names.includes(name)));
}
