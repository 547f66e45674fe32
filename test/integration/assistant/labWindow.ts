import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  createRedactor,
  createSecretRegistry,
  systemClock,
  type ClockPort,
  type JsonObject,
  type PermissionMode,
} from '../../../src/agentkit/index.ts';
import type { ApprovalRuleSet } from '../../../src/application/approvalRuleSet.ts';
import type {
  ConversationSession,
  WaitingApproval,
} from '../../../src/application/assistant/assistantLibrary.ts';
import type { EditorModel } from '../../../src/application/ports/editorModels.ts';
import type { SecretQuestion } from '../../../src/application/ports/prompts.ts';
import type { SecretFieldPort } from '../../../src/application/ports/secretField.ts';
import type { RuntimePorts } from '../../../src/application/runtimePorts.ts';
import type { DeleteMode } from '../../../src/application/settings.ts';
import type { Services } from '../../../src/application/services.ts';
import { providerKey, type ProviderKind } from '../../../src/application/providerKinds.ts';
import { createServices } from '../../../src/runtime.ts';
import { recordingLog } from '../../support/silentLog.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';

export interface LabWindowOptions {
  /** An OpenSSH client configuration, as text. */
  readonly sshConfig: string;
  /** Of the scripted model. */
  readonly baseUrl: string;
  /** What it speaks; Chat Completions when absent. */
  readonly kind?: ProviderKind;
  /** Models of the editor, all marked for tools. */
  readonly editorModels?: readonly EditorModel[];
  /** An earlier window's folder, to open the same store; a new one when absent. */
  readonly directory?: string;
  readonly clock?: ClockPort;
  readonly key?: string;
  readonly mode?: PermissionMode;
  /** Reference of the model that reviews; none when absent. */
  readonly reviewModel?: string;
  readonly rules?: ApprovalRuleSet;
  /** What becomes of deleted files; they are gone when absent. */
  readonly deleteMode?: DeleteMode;
  /** A person who types secrets; nobody when absent. */
  readonly secretField?: SecretFieldPort;
  /** What a person types while a connection signs in, and has kept; nothing when absent. */
  readonly signIn?: (question: SecretQuestion) => string | undefined;
}

/** The runtime of one window as the editor would build it: everything real but the editor. Whoever opens it closes it. */
export class LabWindow {
  readonly directory: string;
  readonly services: Services;
  readonly log = recordingLog();
  readonly secrets = new Map<string, string>();

  constructor(options: LabWindowOptions) {
    this.directory = options.directory ?? mkdtempSync(join(tmpdir(), 'termind-window-'));
    const configFile = join(this.directory, 'ssh_config');
    writeFileSync(configFile, options.sshConfig);
    if (options.key !== undefined) this.secrets.set(providerKey('lab'), options.key);
    const { editorModels = [] } = options;
    const settings: ReturnType<RuntimePorts['settings']['current']> = {
      permissionMode: options.mode ?? 'ask',
      providers: [
        {
          id: 'lab',
          label: 'Lab',
          kind: options.kind ?? 'openai-chat',
          baseUrl: options.baseUrl,
          model: 'lab-1',
        },
      ],
      reviewModel: options.reviewModel ?? '',
      sshConfigFile: configFile,
      sshPath: '',
      sshAgent: '',
      appendToUserFile: false,
      runCeilings: {},
      approvalRules: options.rules ?? [],
      editorModels: Object.fromEntries(editorModels.map(({ key }) => [key, { tools: true }])),
      prices: {},
      operationsDays: 180,
      deleteMode: options.deleteMode ?? 'permanent',
      archives: 'never',
    };
    const secretRegistry = createSecretRegistry();
    const redactor = createRedactor(secretRegistry);
    this.services = createServices({
      storageDirectory: join(this.directory, 'storage'),
      windowId: randomUUID(),
      clock: options.clock ?? systemClock,
      log: this.log,
      secrets: {
        get: async (key) => this.secrets.get(key),
        set: async (key, value) => void this.secrets.set(key, value),
        delete: async (key) => void this.secrets.delete(key),
      },
      redactor,
      secretRegistry,
      prompts: {
        hostKey: async () => 'remember',
        changedKey: async () => {},
        secret: async (question) => {
          const text = options.signIn?.(question);
          return text === undefined ? undefined : { text, remember: question.canRemember };
        },
        confirm: async () => false,
        signing: async () => false,
      },
      settings: { current: () => settings, onDidChange: () => ({ dispose: () => {} }) },
      fetch: globalThis.fetch,
      editorModels: { list: () => editorModels, onDidChange: () => ({ dispose: () => {} }) },
      mayRunPrograms: () => true,
      ...(options.secretField === undefined ? {} : { secretField: options.secretField }),
      environment: {
        homeDirectory: homedir(),
        userName: userInfo().username,
        variables: { ...process.env, SSH_AUTH_SOCK: undefined },
      },
    });
  }

  /** The id of the host with this label. */
  async hostId(label: string): Promise<string> {
    const host = (await this.services.hosts.list()).find((listing) => listing.label === label);
    if (host === undefined) throw new Error(`no host ${label}`);
    return host.id;
  }

  /** Resolves with the first approval that waits, now or later. */
  async approval(): Promise<WaitingApproval> {
    const { approvals } = this.services.assistant;
    const first = new Promise<WaitingApproval>((resolve) => {
      const look = (): void => {
        const [waiting] = approvals.waiting;
        if (waiting === undefined) return;
        listener.dispose();
        resolve(waiting);
      };
      const listener = approvals.onDidChange(look);
      look();
    });
    return withinDeadline('an approval', first);
  }

  async decide(verdict: 'approve' | 'deny', reason?: string): Promise<WaitingApproval> {
    const waiting = await this.approval();
    const { id, digest } = waiting.request;
    this.services.assistant.approvals.settle({ approvalId: id, shownDigest: digest, verdict, reason });
    return waiting;
  }

  /** Resolves when the session's run in this window is over. */
  async settled(session: ConversationSession, deadlineMs = 30_000): Promise<void> {
    if (!session.isRunning) return;
    const over = new Promise<void>((resolve) => {
      const listener = session.onDidChange(() => {
        if (session.isRunning) return;
        listener.dispose();
        resolve();
      });
    });
    await withinDeadline('the end of the run', over, deadlineMs);
  }

  /** Stops what runs and lets go of the store; the folder stays. */
  close(): void {
    this.services.dispose();
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The tool results of a conversation, in order. */
export function resultsOf(session: ConversationSession): readonly string[] {
  return session.snapshot().messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
}

/** A text member of a result; empty when it is none. */
export function textOf(result: JsonObject | undefined, name: string): string {
  const value = result?.[name];
  return typeof value === 'string' ? value : '';
}

/** The JSON object inside an enveloped result. */
export function unwrapped(text: string): JsonObject {
  const lines = text.split('\n');
  if (lines[0] !== '<untrusted-data>' || lines.at(-1) !== '</untrusted-data>')
    throw new Error(`not enveloped: ${text.slice(0, 200)}`);
  return JSON.parse(lines.slice(1, -1).join('\n')) as JsonObject;
}
