import type { ModelAnswer } from '../modelConversation.ts';
import { CommandHistory, findHost, runOn, shellWord } from './commands.ts';
import type { StoryPlace } from './diskStory.ts';
import type { Exchange } from './exchange.ts';

export function isWatchRequest(prompt: string): boolean {
  return /\b(watch|follow)\b/i.test(prompt);
}

/** The next turn of "Watch the log for a minute": one command that lasts, so that a person can stop or close meanwhile. */
export function watchStory({ steps }: Exchange, { hostLabel, appFolder }: StoryPlace): ModelAnswer {
  const history = new CommandHistory(steps);
  const host = history.hostId(hostLabel);
  if (host === undefined)
    return { text: `I will watch the log of \`${hostLabel}\` for a minute.`, calls: [findHost(hostLabel)] };
  if ('problem' in host) return { text: `I cannot go on: ${host.problem}` };
  const command = `timeout 60 tail -n 3 -f ${shellWord(`${appFolder}/log/app.log`)}`;
  const state = history.stateOf(command, { isReadOnly: true });
  switch (state.kind) {
    case 'notRun':
      return {
        text: 'The command ends by itself after 60 seconds.',
        calls: [runOn(host.id, command, 90_000)],
      };
    case 'running':
    case 'ended':
      return { text: 'The minute is over; nothing new was written to the log.' };
    case 'denied':
      return { text: 'You declined that, so I did not watch the log.' };
    case 'unknown':
    case 'failed':
      return { text: `I did not see the end of it: ${state.sentence}` };
  }
}
