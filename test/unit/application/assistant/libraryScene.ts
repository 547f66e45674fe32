import {
  createRedactor,
  createToolRegistry,
  KnownSecrets,
  OutputProjector,
  planningTools,
  taskTools,
  ToolServices,
  userInteractionTools,
  type RunState,
  type Tool,
} from '../../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../../src/application/assistant/assistantLibrary.ts';
import type { ApprovalRuleSet } from '../../../../src/application/approvalRuleSet.ts';
import { approvalRules } from '../../../../src/application/assistant/approvalRules.ts';
import { CardQueue } from '../../../../src/application/assistant/cardQueue.ts';
import {
  ConversationLibrary,
  type ConversationLibraryOptions,
} from '../../../../src/application/assistant/conversationLibrary.ts';
import { RaisedHosts } from '../../../../src/application/assistant/raisedHosts.ts';
import { QuestionQueue } from '../../../../src/application/assistant/questionQueue.ts';
import type { RunLimits } from '../../../../src/application/assistant/runLimits.ts';
import { termindPolicy } from '../../../../src/application/assistant/termindPolicy.ts';
import { HostProfileService } from '../../../../src/application/exec/hostProfileService.ts';
import { RemoteExecService } from '../../../../src/application/exec/remoteExecService.ts';
import type { HostDirectory } from '../../../../src/application/ports/hosts.ts';
import type { LogPort } from '../../../../src/application/ports/prompts.ts';
import { RequestLog } from '../../../../src/application/requestLog/requestLog.ts';
import { ToolService } from '../../../../src/application/tools/keys.ts';
import { termindTools } from '../../../../src/application/tools/termindTools.ts';
import type { HostListing } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { openMemoryStore } from '../../../../src/infrastructure/store/memory/openMemoryStore.ts';
import type { Store } from '../../../../src/infrastructure/store/openStore.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { ScriptedHost } from '../exec/scriptedHost.ts';
import { TextOutput } from '../exec/textOutput.ts';
import type { ScriptedModel } from './scriptedModel.ts';

/** The values that this window knows. */
export const secretRegistry = new KnownSecrets();
const redactor = createRedactor(secretRegistry);

export const lab: HostListing = {
  id: newHostId(),
  label: 'lab',
  source: 'vault',
  address: '192.0.2.7',
  port: 22,
  user: 'root',
  group: undefined,
  tags: [],
  tier: undefined,
  alias: undefined,
};

export const db: HostListing = { ...lab, id: newHostId(), label: 'db-1', tier: 'prod' };

/** The assistant of one window: everything real but the host, the model and time. */
export class LibraryScene {
  readonly clock = new FakeClock();
  readonly host = new ScriptedHost();
  readonly model: ScriptedModel;
  readonly log: string[] = [];
  readonly store: Store;
  hosts: readonly HostListing[] = [lab, db];
  hasModel = true;
  limits: RunLimits = { ceilings: {}, price: undefined };
  /** Files of scratch. */
  readonly files = new Map<string, string>();
  /** What the model proposes as a title. */
  proposeTitle: NonNullable<ConversationLibraryOptions['proposeTitle']> = async () => undefined;
  readonly cards = new CardQueue(this.clock);
  readonly questions = new QuestionQueue(this.cards, this.clock);
  readonly raised = new RaisedHosts((error) => this.log.push(String(error)));
  /** The person's rules. */
  rules: ApprovalRuleSet = [];
  readonly requestLog: RequestLog;
  readonly exec: RemoteExecService;
  readonly library: ConversationLibrary;

  /** `tools` are built-in tools beside those that every window has. */
  constructor(model: ScriptedModel, store?: Store, tools: readonly Tool[] = []) {
    this.model = model;
    const note =
      (level: string) =>
      (component: string, message: string): void =>
        void this.log.push(`${level} ${component}: ${message}`);
    const log: LogPort = {
      trace: note('trace'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    this.store = store ?? openMemoryStore({ clock: this.clock, log });
    let requests = 0;
    this.requestLog = new RequestLog({
      store: this.store.requestLog,
      redactor,
      clock: this.clock,
      log,
      newId: () => `request-${++requests}`,
    });
    const { connections } = this.host;
    const facts = this.store.hosts;
    const profiles = new HostProfileService({
      connections,
      facts,
      placeOf: (id) => this.#directory().get(id),
      clock: this.clock,
    });
    this.exec = new RemoteExecService({
      connections,
      profiles,
      clock: this.clock,
      newOutput: () => new TextOutput(),
    });
    this.library = new ConversationLibrary({
      store: this.store.runs,
      storeState: this.store.state,
      exec: this.exec,
      models: {
        choices: () => [{ ref: model.ref, label: 'Scripted', ready: true, problem: undefined }],
        open: () => (this.hasModel ? model : undefined),
      },
      onDidChangeModels: () => ({ dispose: () => {} }),
      clock: this.clock,
      log,
      systemPrompt: 'You are the assistant.',
      defaultMode: () => 'ask',
      redact: (text) => text,
      cards: this.cards,
      questions: this.questions,
      raised: this.raised,
      grants: this.store.grants,
      requestLog: this.requestLog,
      limits: () => this.limits,
      proposeTitle: (order, signal) => this.proposeTitle(order, signal),
      runs: {
        store: this.store.runs,
        clock: this.clock,
        log,
        redactor,
        secretRegistry,
        projector: new OutputProjector({ redactor }),
        registry: createToolRegistry({
          builtIn: [
            ...userInteractionTools({ input: this.questions.userInput }),
            ...planningTools({ scratch: { read: async (path) => Buffer.from(this.files.get(path) ?? '') } }),
            ...taskTools(),
            ...tools,
          ],
          additional: termindTools(),
        }),
        policy: termindPolicy(() => ({ connectedHosts: [] })),
        grants: this.store.grants,
        rules: approvalRules(() => this.rules),
        services: new ToolServices()
          .with(ToolService.clock, this.clock)
          .with(ToolService.hosts, this.#directory())
          .with(ToolService.hostFacts, facts)
          .with(ToolService.connections, connections)
          .with(ToolService.profiles, profiles)
          .with(ToolService.exec, this.exec)
          .with(ToolService.raises, this.raised)
          .with(ToolService.captures, { forCall: () => undefined }),
        random: () => 0.5,
      },
    });
  }

  /** Resolves when the run of a session is in this state. */
  reached(session: ConversationSession, wanted: RunState): Promise<void> {
    return this.until(() => session.snapshot().summary.run?.state === wanted);
  }

  /** Lets things go on until this holds. */
  async until(holds: () => boolean): Promise<void> {
    for (let rounds = 0; !holds(); rounds++) {
      if (rounds > 1_000) throw new Error('it never came to be');
      await this.clock.advance(0);
    }
  }

  /** Resolves when this window's run of the conversation is over and stored. */
  async settled(session: ConversationSession): Promise<void> {
    await this.until(() => !session.isRunning);
  }

  #directory(): HostDirectory {
    return {
      list: async () => this.hosts,
      get: async (id) => this.hosts.find((host) => host.id === id),
      target: () => Promise.reject(new Error('nobody connects here')),
      onDidChange: () => ({ dispose: () => {} }),
    };
  }
}
