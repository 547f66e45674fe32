import { type AgentEvent, type CallId, type JsonObject, sortedJson } from '../../agentkit/index.ts';
import type { LogEntry } from '../ports/requestLog.ts';

/** What the log says of an event of a run; undefined for what it does not tell. `written` gives a call's arguments as the model wrote them. */
export function entryOf(
  { body, runId, at }: AgentEvent,
  written: (call: CallId) => JsonObject | undefined,
): LogEntry | undefined {
  const where = { runId, at };
  switch (body.kind) {
    case 'runStarted':
      return { kind: 'run', ...where, state: 'started' };
    case 'modelRetryScheduled': {
      const { attempt, delayMs, reason } = body;
      return { kind: 'retry', ...where, attempt, delayMs, reason };
    }
    case 'messageFinished':
      return { kind: 'answer', ...where, messageId: body.message.id, stop: body.message.stop };
    case 'toolProposed': {
      const { callId, toolName, arguments: reviewed } = body.call;
      const wrote = written(callId);
      const isAsWritten = wrote !== undefined && sortedJson(wrote) === sortedJson(reviewed);
      const changed = isAsWritten ? {} : { arguments: reviewed };
      return { kind: 'call', ...where, phase: 'proposed', callId, toolName, ...changed };
    }
    case 'toolStarted': {
      const { callId, toolName } = body;
      return { kind: 'call', ...where, phase: 'started', callId, toolName };
    }
    case 'toolFinished': {
      const { outcome, message } = body;
      const { callId, toolName, durationMs, id: messageId } = message;
      const took = durationMs === undefined ? {} : { durationMs };
      return { kind: 'call', ...where, phase: 'finished', callId, toolName, outcome, ...took, messageId };
    }
    case 'runFinished': {
      const { state, failure } = body;
      return { kind: 'run', ...where, state, ...(failure !== undefined && { failure: failure.code }) };
    }
    default:
      return undefined;
  }
}
