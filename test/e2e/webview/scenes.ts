import {
  callId,
  messageId,
  type AgentEventBody,
  type CallOutcome,
  type JsonObject,
  type Message,
  type StoredCall,
  type UserQuestion,
} from '../../../src/agentkit/index.ts';
import type { ConversationSnapshot } from '../../../src/application/assistant/assistantLibrary.ts';
import type { ConversationPlan } from '../../../src/application/assistant/conversationPlan.ts';
import { aliasHostId } from '../../../src/domain/host/hostId.ts';
import {
  assistantMessage,
  commandResult,
  proposedCall,
  run,
  snapshotOf,
  startedAt,
  summaryOf,
  toolMessage,
  userMessage,
} from '../../unit/features/assistant/support.ts';

interface CommandScene {
  readonly command: string;
  readonly output?: string;
  readonly fields?: JsonObject;
  readonly outcome?: CallOutcome;
  /** What the call was answered with instead of a result. */
  readonly sentence?: string;
  readonly review?: StoredCall['review'];
  readonly tier?: string;
  readonly target?: string;
}

/** An answer with one call and its result. */
function called(id: string, text: string, scene: CommandScene): { messages: Message[]; call: StoredCall } {
  const outcome = scene.outcome ?? 'succeeded';
  const call = callId(`call_${id}`);
  const proposed = proposedCall(scene.command, {
    callId: call,
    subject: {
      action: scene.command,
      target: scene.target ?? 'lab',
      targetId: aliasHostId(scene.target ?? 'lab'),
      identity: 'root',
      tier: scene.tier ?? '',
      details: [],
    },
  });
  const frozen = scene.sentence ?? commandResult({ output: scene.output ?? '', ...scene.fields });
  return {
    messages: [
      assistantMessage(text, {
        id: messageId(`m_${id}`),
        calls: [{ id: call, name: 'ssh_exec_run', argumentsText: '{}' }],
      }),
      toolMessage(frozen, {
        id: messageId(`t_${id}`),
        callId: call,
        outcome,
        isError: outcome !== 'succeeded',
      }),
    ],
    call: {
      runId: run,
      callId: call,
      dispatched: outcome !== 'denied',
      proposed,
      ...(scene.review && { review: scene.review }),
    },
  };
}

function conversation(
  parts: readonly { messages: Message[]; call?: StoredCall }[],
  more: Partial<ConversationSnapshot> = {},
): ConversationSnapshot {
  return snapshotOf({
    messages: parts.flatMap((part) => part.messages),
    calls: parts.flatMap((part) => part.call ?? []),
    runs: [{ id: run, state: 'completed', startedAt }],
    ...more,
  });
}

const question = { messages: [userMessage('Why is the disk of lab filling up?')] };

const df = `Filesystem      Size  Used Avail Use% Mounted on
udev            2.0G     0  2.0G   0% /dev
tmpfs           394M  1.1M  393M   1% /run
/dev/vda1       252G  236G   16G  94% /
tmpfs           2.0G     0  2.0G   0% /dev/shm
/dev/vda15      105M  6.1M   99M   6% /boot/efi
tmpfs           394M     0  394M   0% /run/user/0
`;

const log = Array.from(
  { length: 2_000 },
  (_, index) =>
    `Nov 30 14:${String(index % 60).padStart(2, '0')}:07 lab app[812]: retry ${index + 101} of the upload failed: connection reset by peer\n`,
).join('');

const answer = `The log of \`app.service\` grows by **2 GB a day**: it retries a failed upload without a pause.

| Path | Size | Share |
|:--|--:|--:|
| /var/log/app | 188 GB | 79% |
| /var/lib/docker | 21 GB | 9% |

To stop it:

1. Let the service wait between retries.
2. Rotate the log once:

\`\`\`sh
# keeps one old file
logrotate --force /etc/logrotate.d/app
systemctl kill -s HUP app.service
\`\`\`

See [the manual](https://example.com/logrotate) before you change the rotation.
`;

/** Every state of a card, one after the other. */
export const cards = conversation([
  question,
  called('1', 'I look at the file systems first.', { command: 'df -h', output: df }),
  called('2', '', {
    command: 'cat /var/log/app/app.log',
    output: log,
    tier: 'prod',
    fields: {
      duration_ms: 1_840,
      marker: '[Showing lines 101-2100 of 2100. Full output: 11111111/outputs/ssh-exec-6f1d0f5e.txt]',
      full_output_path: '11111111/outputs/ssh-exec-6f1d0f5e.txt',
    },
  }),
  called('3', '', {
    command: 'systemctl status app.service --no-pager --lines=3',
    output: 'Unit app.service could not be found.\n',
    fields: { exit_code: 4, duration_ms: 12 },
  }),
  called('4', '', {
    command: 'rm /var/log/app/app.log.1',
    outcome: 'denied',
    sentence: 'The user denied this call: "Keep the old log, rotate it instead."',
  }),
  called('5', '', {
    command: 'systemctl restart app.service',
    fields: {
      status: 'lost',
      exit_code: null,
      duration_ms: 31_000,
      note: 'Outcome unknown: the link was lost. The command may have finished or may still run.',
    },
  }),
  {
    messages: [
      assistantMessage(answer, {
        id: messageId('m_end'),
        reasoning: 'The log is the largest. Rotation is off.',
        reasoningMs: 4_200,
      }),
    ],
  },
]);

const reviewed = { kind: 'reviewFinished', callId: callId('any') } as const;
const unreviewed = { kind: 'reviewFailed', callId: callId('any'), reason: '' } as const;
const denied = { outcome: 'denied', sentence: 'The security review denied this call.' } as const;

/** What the security review says about calls. */
export const reviews = conversation([
  { messages: [userMessage('Restart the app on lab, its log is full.')] },
  called('1', 'I restart the service.', {
    command: 'systemctl restart app.service',
    review: {
      ...reviewed,
      allowed: true,
      rationale: 'The command restarts one service, which the user asked for on this host.',
      risk: 'medium',
      authorization: 'high',
    },
  }),
  called('2', '', {
    ...denied,
    command: 'rm -rf /var/log',
    tier: 'prod',
    review: {
      ...reviewed,
      allowed: false,
      rationale:
        'The command deletes all logs of the host, for good. The user spoke of the log of one service, and asked for a restart only.',
      risk: 'high',
      authorization: 'low',
    },
  }),
  called('3', '', {
    ...denied,
    command: 'truncate -s 0 /var/log/app/app.log',
    review: { ...unreviewed, code: 'timeout' },
  }),
  called('4', '', {
    ...denied,
    command: 'truncate -s 0 /var/log/app/app.log',
    review: { ...unreviewed, code: 'breakerOpen' },
  }),
]);

/** A call that is reviewed now. */
export const underReview: readonly AgentEventBody[] = [
  { kind: 'runStarted', prompt: userMessage('Restart the app on lab') },
  {
    kind: 'messageFinished',
    message: assistantMessage('I restart it.', {
      calls: [{ id: callId('call_1'), name: 'ssh_exec_run', argumentsText: '{}' }],
      stop: 'toolCalls',
    }),
  },
  { kind: 'toolProposed', call: proposedCall('systemctl restart app.service') },
  { kind: 'runState', state: 'waitingForApproval', since: startedAt },
  { kind: 'reviewStarted', callId: callId('call_1') },
];

/** The events of a run that is in the middle of its second answer, behind one running command. */
export const streaming: readonly AgentEventBody[] = [
  { kind: 'runStarted', prompt: userMessage('Why is the disk of lab filling up?') },
  { kind: 'runState', state: 'reasoning', since: startedAt },
  {
    kind: 'reasoningDelta',
    messageId: messageId('m1'),
    text: 'First the file systems, then the largest folders.',
  },
  {
    kind: 'messageDelta',
    messageId: messageId('m1'),
    text: 'I look at the file systems first, then at the largest ',
  },
  { kind: 'messageDelta', messageId: messageId('m1'), text: 'folders.\n\n' },
  {
    kind: 'messageFinished',
    message: assistantMessage('I look at the file systems first, then at the largest folders.', {
      reasoning: 'First the file systems, then the largest folders.',
      reasoningMs: 1_400,
      calls: [{ id: callId('call_1'), name: 'ssh_exec_run', argumentsText: '{}' }],
      stop: 'toolCalls',
    }),
  },
  { kind: 'toolProposed', call: proposedCall('du -xh --max-depth=2 /var') },
  {
    kind: 'toolStarted',
    callId: callId('call_1'),
    toolName: 'ssh_exec_run',
    ground: { kind: 'proof' },
    mode: 'ask',
  },
  {
    kind: 'toolProgress',
    callId: callId('call_1'),
    partial: { output: '21G\t/var/lib/docker\n21G\t/var/lib\n' },
  },
  { kind: 'runState', state: 'callingTools', since: startedAt },
];

/** What the model goes on to say, in small pieces. */
export const answerPieces: readonly AgentEventBody[] = [
  {
    kind: 'toolFinished',
    message: toolMessage(
      commandResult({ output: '21G\t/var/lib/docker\n188G\t/var/log/app\n210G\t/var\n', duration_ms: 2_310 }),
      { outcome: 'succeeded' },
    ),
    outcome: 'succeeded',
  },
  { kind: 'runState', state: 'writing', since: startedAt },
  ...pieces(answer.slice(0, 330)).map((text): AgentEventBody => ({
    kind: 'messageDelta',
    messageId: messageId('m2'),
    text,
  })),
];

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,9}/g) ?? [];
}

/** A conversation whose window was closed while a restart was on its way. */
export const interrupted = conversation(
  [
    { messages: [userMessage('Restart the app on lab')] },
    {
      messages: [
        assistantMessage('I restart it now.', {
          id: messageId('m_1'),
          calls: [{ id: callId('call_1'), name: 'ssh_exec_run', argumentsText: '{}' }],
        }),
      ],
      call: {
        runId: run,
        callId: callId('call_1'),
        dispatched: true,
        proposed: proposedCall('systemctl restart app'),
      },
    },
  ],
  { runs: [{ id: run, state: 'interrupted', startedAt }] },
);

/** A run that the provider refused. */
export const failed = conversation([question], {
  runs: [
    {
      id: run,
      state: 'failed',
      startedAt,
      failure: { code: 'modelUnauthorized', message: 'The model provider refused the key.', facts: {} },
    },
  ],
});

/** More rows than a window holds. */
export function long(rows: number): ConversationSnapshot {
  return conversation([
    {
      messages: Array.from({ length: rows }, (_, index) =>
        index % 2 === 0
          ? userMessage(`Question ${index}`, { id: messageId(`u${index}`) })
          : assistantMessage(`Answer ${index}. It has one sentence more, so that it is not too short.`, {
              id: messageId(`a${index}`),
            }),
      ),
    },
  ]);
}

/** Two questions of a model: one to choose from, with everything a question can have, and one for several choices. */
export const questions: readonly UserQuestion[] = [
  {
    id: 'which',
    header: 'Old logs',
    prompt:
      'The log of `app.service` has **7 files**, 188 GB together. What should become of those older than a week?\n\n- `app.log.1` to `app.log.3` are compressed\n- nothing else reads them',
    options: [
      {
        id: 'archive',
        label: 'Move them to the archive',
        description: 'Takes about 20 minutes over the network.',
        recommended: true,
      },
      { id: 'remove', label: 'Remove them', recommended: false },
    ],
    multiSelect: false,
    allowCustom: true,
    customPlaceholder: 'For example: keep the last three',
  },
  {
    id: 'hosts',
    prompt: 'On which other hosts should I look for the same?',
    options: [
      { id: 'web-1', label: 'web-1', recommended: false },
      { id: 'db-1', label: 'db-1.a-very-long-name-that-does-not-fit.example.com', recommended: false },
    ],
    multiSelect: true,
    allowCustom: false,
  },
];

/** A question that is answered in own words. */
export const openQuestion: UserQuestion = {
  id: 'why',
  prompt: 'Why was the rotation switched off?',
  options: [],
  multiSelect: false,
  allowCustom: true,
};

/** A built-in call with what it keeps for its card. */
function builtIn(
  id: string,
  name: string,
  { text, ...parts }: { text: string; presentation?: JsonObject; isError?: boolean; arguments?: JsonObject },
): { messages: Message[]; call: StoredCall } {
  const call = callId(`call_${id}`);
  const { arguments: given = {}, isError = false, presentation } = parts;
  return {
    messages: [
      assistantMessage('', { id: messageId(`m_${id}`), calls: [{ id: call, name, argumentsText: '{}' }] }),
      toolMessage(text, {
        id: messageId(`t_${id}`),
        callId: call,
        toolName: name,
        isError,
        outcome: isError ? 'failed' : 'succeeded',
        ...(presentation !== undefined && { presentation }),
      }),
    ],
    call: {
      runId: run,
      callId: call,
      dispatched: true,
      proposed: {
        callId: call,
        toolName: name,
        arguments: given,
        presentation: { symbol: 'question', activity: '', actionKind: 'ask', groupsWithAdjacent: false },
      },
    },
  };
}

/** Questions that were answered, skipped and closed. */
export const answered = conversation([
  question,
  builtIn('1', 'request_user_input', {
    text: '<untrusted-data>\n{}\n</untrusted-data>',
    presentation: {
      answers: [
        { question: questions[0]?.prompt ?? '', answer: 'Move them to the archive' },
        { question: questions[1]?.prompt ?? '', answer: null },
      ],
    },
  }),
  builtIn('2', 'request_user_input', {
    text: 'The user closed the question without an answer.',
    isError: true,
    arguments: { questions: [{ id: 'why', prompt: openQuestion.prompt }] },
  }),
]);

const planText = `## What I found

The log of \`app.service\` grows by **2 GB a day**.

## Steps

1. Stop the retries: set \`RETRY_SECONDS=60\` in \`/etc/app/app.env\` on lab.
2. Rotate once:

   \`\`\`sh
   logrotate --force /etc/logrotate.d/app
   \`\`\`
3. Restart \`app.service\` and watch it for five minutes.

## Not part of it

The old files stay; whether they go is a question of its own.
`;

function planned(
  outcome: ConversationPlan['outcome'],
  plan = planText,
  more: Partial<ConversationSnapshot> = {},
): ConversationSnapshot {
  const presented = {
    title: 'Stop the log of app.service from growing',
    scratchPath: 'plans/app-log.md',
    plan,
  };
  const parts = builtIn('plan', 'present_plan', {
    text: '<untrusted-data>\n{"presented":true}\n</untrusted-data>',
    presentation: presented,
  });
  const { callId: id } = parts.call;
  const call = outcome === 'pending' ? parts.call : { ...parts.call, planOutcome: outcome };
  return conversation([question, { messages: parts.messages, call }], {
    plan: { ...presented, runId: run, callId: id, outcome },
    ...more,
  });
}

/** A plan that waits. */
export const plan = planned('pending');
/** The same one, decided. */
export const decidedPlan = planned('implemented');
/** One that does not come with its row in one piece. */
export const longPlan = planned(
  'pending',
  `${'One more step that has to be read.\n\n'.repeat(700)}The last step.\n`,
);

/** What a model has set out to do. */
export const tasks: ConversationSnapshot['tasks'] = [
  { id: '1', title: 'Look at the file systems', status: 'completed' },
  { id: '2', title: 'Find what grows', status: 'completed' },
  {
    id: '3',
    title: 'Rotate the log of app.service and make sure that it is rotated from now on',
    status: 'in_progress',
  },
  { id: '4', title: 'Restart the service', status: 'pending' },
  { id: '5', title: 'Watch it for five minutes', status: 'pending' },
];

/** A conversation whose beginning the model knows by a summary only, in plan mode, with a limit that cannot be kept. */
export const compacted = conversation(
  [question, called('1', 'I look first.', { command: 'df -h', output: df })],
  {
    summary: summaryOf({ planning: true }),
    compactions: [
      {
        messageId: messageId('s1'),
        boundary: messageId('t_1'),
        summary: 'The disk is full.',
        createdAt: startedAt + 60_000,
      },
    ],
    costCeiling: 'noPrice',
    tasks,
  },
);
