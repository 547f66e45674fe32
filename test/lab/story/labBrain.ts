import type { ModelAnswer, PostedConversation } from '../modelConversation.ts';
import { diskStory, isDiskQuestion, type StoryPlace } from './diskStory.ts';
import { currentExchange } from './exchange.ts';
import { isWatchRequest, watchStory } from './watchStory.ts';

/** What the scripted model knows: a function of the posted conversation and of nothing else. */
export function labBrain(place: StoryPlace): (conversation: PostedConversation) => ModelAnswer {
  return (conversation) => {
    const exchange = currentExchange(
      conversation,
      (prompt) => isDiskQuestion(prompt) || isWatchRequest(prompt),
    );
    const isEquipped = ['list_hosts', 'ssh_exec_run'].every((name) => conversation.toolNames.includes(name));
    if (exchange === undefined || !isEquipped) return { text: help(place) };
    if (isWatchRequest(exchange.prompt)) return watchStory(exchange, place);
    if (isDiskQuestion(exchange.prompt)) return diskStory(exchange, place);
    return { text: help(place) };
  };
}

function help({ hostLabel }: StoryPlace): string {
  return `I am the lab's **scripted model**: I have no intelligence, only a script. Ask me

1. "Why is the disk of ${hostLabel} filling up?": I look at the host, read a long log and propose to remove two files.
2. "Watch the log of ${hostLabel} for a minute": one long command, to try Stop or to close the window meanwhile.
3. "Continue" after a stopped or interrupted run: I go on where it ended and look before I repeat anything.

For real questions add a real model to the setting \`termind.providers\`.`;
}
