import type { Disposable, ToolContext } from '../../agentkit/index.ts';
import type { HeldCommand } from '../exec/remoteExecService.ts';
import { ToolService } from './keys.ts';

const intervalMs = 250;
const shownLines = 40;
const shownCharacters = 8_192;

/** Shows the last lines of a running command in its card, at most four times a second, until it is disposed. */
export function showOutput(held: HeldCommand, context: ToolContext): Disposable {
  const clock = context.services.get(ToolService.clock);
  let timer: Disposable | undefined;
  const show = (): void => {
    timer = undefined;
    context.report({ output: lastLines(held.output.tail()) });
  };
  const subscription = held.command.onOutput(() => (timer ??= clock.after(intervalMs, show)));
  return {
    dispose: () => {
      subscription.dispose();
      timer?.dispose();
    },
  };
}

/** Whole lines only, as in every body. */
function lastLines(text: string): string {
  const lines = text.slice(-shownCharacters).split('\n');
  const whole = text.length > shownCharacters ? lines.slice(1) : lines;
  return whole.slice(-shownLines - 1).join('\n');
}
