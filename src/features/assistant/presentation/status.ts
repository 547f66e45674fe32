import type { LiveRunState, RunState } from '../../../agentkit/index.ts';
import type { Status } from '../../../webview/assistant/protocol.ts';
import type { AssistantTexts } from './texts.ts';

/** What is known about the run that is live now. Times are milliseconds since 1970 UTC. */
export interface LiveStatus {
  readonly state: LiveRunState;
  readonly since: number;
  /** Hosts of the calls that run now, each once; an empty text is this machine. */
  readonly targets: readonly string[];
  readonly runningCalls: number;
  readonly retry: { readonly attempt: number; readonly delayMs: number } | undefined;
  readonly reviewing: boolean;
  readonly stopping: boolean;
}

export function isLive(state: RunState): state is LiveRunState {
  return state !== 'completed' && state !== 'failed' && state !== 'cancelled' && state !== 'interrupted';
}

/** The one line that says what the run waits for, with the time it has waited and the way out. Source: ui.md section 2. */
export function presentStatus(live: LiveStatus, texts: AssistantTexts, nowMs: number): Status {
  return {
    text: live.stopping ? texts.statusStopping() : statusText(live, texts),
    elapsedMs: Math.max(0, nowMs - live.since),
    canStop: !live.stopping,
  };
}

function statusText(live: LiveStatus, texts: AssistantTexts): string {
  if (live.reviewing) return texts.statusReview();
  if (live.retry !== undefined)
    return texts.statusRetry(live.retry.attempt, Math.max(1, Math.round(live.retry.delayMs / 1000)));
  const [host = '', ...others] = live.targets;
  switch (live.state) {
    case 'waitingForApproval':
      return texts.statusApproval();
    case 'waitingForUser':
      return texts.statusUser();
    case 'waitingForHost':
      return host !== '' && others.length === 0 ? texts.statusHost(host) : texts.statusHosts();
    case 'callingTools':
      if (live.runningCalls > 1) return texts.statusTools(live.runningCalls);
      return host === '' ? texts.statusCall() : texts.statusTool(host);
    case 'writing':
      return texts.statusWriting();
    case 'reasoning':
      return texts.statusReasoning();
    case 'waitingForFirstToken':
      return texts.statusFirstToken();
    case 'connecting':
      return texts.statusConnecting();
  }
}
