import type { StandingFact } from '../../agentkit/index.ts';
import type { ExecRecord } from '../exec/execRecord.ts';
import type { WaitingCard } from './cardQueue.ts';
import type { ConversationPlan } from './conversationPlan.ts';

/** What this window knows of a conversation beside its messages. */
export interface KnownFacts {
  /** Hosts that calls of the conversation were about, by id. */
  readonly hosts: ReadonlyMap<string, string>;
  readonly commands: readonly ExecRecord[];
  readonly waiting: readonly WaitingCard[];
  readonly plan: ConversationPlan | undefined;
}

const commandCharacters = 200;

/** The facts that a summary must not lose. English: the model reads them. Source: agent runtime contract, section 22. */
export function standingFacts({ hosts, commands, waiting, plan }: KnownFacts): readonly StandingFact[] {
  const labelled = (hostId: string): string => JSON.stringify(hosts.get(hostId) ?? hostId);
  return [
    {
      title: 'Commands of this conversation that still run',
      lines: commands
        .filter(({ status }) => status === 'running')
        .map(
          ({ execId, hostId, command }) => `exec_id ${execId} on ${labelled(hostId)}: ${shortened(command)}`,
        ),
    },
    { title: 'What waits for the user', lines: [...waiting.map(waitingLine), ...planLines(plan)] },
    {
      title: 'Hosts of this conversation',
      lines: [...hosts].map(([hostId, label]) => `${JSON.stringify(label)} (host_id ${hostId})`),
    },
  ];
}

function waitingLine({ subject }: WaitingCard): string {
  switch (subject.kind) {
    case 'approval': {
      const { action, target } = subject.approval.request.subject;
      return `a decision about ${shortened(action)}${target === '' ? '' : ` on ${JSON.stringify(target)}`}`;
    }
    case 'questions':
      return subject.questions.map(({ prompt }) => `the question ${shortened(prompt)}`).join('; ');
    case 'run':
      return 'whether the run goes on';
  }
}

function planLines(plan: ConversationPlan | undefined): readonly string[] {
  if (plan?.outcome !== 'pending') return [];
  return [`a decision about the plan ${JSON.stringify(plan.title)} (scratch file ${plan.scratchPath})`];
}

/** On one line, quoted; the beginning of a long text. */
function shortened(text: string): string {
  const points = Array.from(text);
  return JSON.stringify(
    points.length <= commandCharacters ? text : `${points.slice(0, commandCharacters - 1).join('')}…`,
  );
}
