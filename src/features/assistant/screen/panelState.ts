import { z } from 'zod';

const panelState = z.object({ conversationId: z.string() });

/** The conversation that a panel showed before the window closed; undefined when its state says none. */
export function conversationOfPanel(state: unknown): string | undefined {
  const parsed = panelState.safeParse(state);
  return parsed.success ? parsed.data.conversationId : undefined;
}
