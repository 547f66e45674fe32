import { sse } from '../../lab/chatCompletions.ts';
import type { RecordedRequest, Script } from '../../lab/scriptedModel.ts';
import { streamResponse } from '../../lab/scriptedResponse.ts';

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The model says this and is done. */
export function says(text: string): Script {
  return streamResponse([sse.begin(), sse.text(text), sse.end('stop')]);
}

/** The model asks for these calls in one turn. */
export function calls(...made: readonly ScriptedCall[]): Script {
  return streamResponse([
    sse.begin(),
    ...made.map((call, index) => sse.toolCall(call, { index })),
    sse.end('tool_calls'),
  ]);
}

/** The model asks for calls that depend on what it was sent. */
export function callsOn(make: (request: RecordedRequest) => readonly ScriptedCall[]): Script {
  return (request) => {
    const script = calls(...make(request));
    return typeof script === 'function' ? script(request) : script;
  };
}

/** One `ssh_exec_run`. */
export function command(
  id: string,
  host: string,
  run: string | { readonly line: string; readonly [more: string]: unknown },
): ScriptedCall {
  const { line, ...more } = typeof run === 'string' ? { line: run } : run;
  return { id, name: 'ssh_exec_run', args: { host_id: host, command: line, ...more } };
}
