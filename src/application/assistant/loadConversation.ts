import type {
  ConversationId,
  EndedRunState,
  RunState,
  RunStorePort,
  StoredConversation,
} from '../../agentkit/index.ts';

const ended: Record<EndedRunState, true> = {
  completed: true,
  failed: true,
  cancelled: true,
  interrupted: true,
};

/**
 * A conversation as it is stored, undefined when it is gone. A run that its window left behind ends as interrupted first, where the
 * store can be written; nothing of it is resumed. Source: agent runtime contract, section 23.
 */
export async function loadConversation(
  store: RunStorePort,
  id: ConversationId,
): Promise<StoredConversation | undefined> {
  const stored = await store.load(id);
  const run = stored?.summary.run;
  if (run === undefined || run.live || isEnded(run.state)) return stored;
  try {
    await store.interruptLapsedRuns();
  } catch {
    return stored;
  }
  return store.load(id);
}

function isEnded(state: RunState): boolean {
  return state in ended;
}
