import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** One thing a response does. `wait` holds it back until the returned promise settles. */
export type Step =
  | { readonly kind: 'write'; readonly bytes: Buffer }
  | { readonly kind: 'wait'; readonly until: (signal: AbortSignal) => Promise<unknown> };

/**
 * How a response ends: `end` as HTTP wants it, `close` with a FIN in the middle, `reset` with RST, `silence` never.
 */
export type Ending = 'end' | 'close' | 'reset' | 'silence';

/** What one request gets, to the byte. Each `write` arrives as one piece of the body. */
export interface ScriptedResponse {
  /** Absent: nothing is ever sent, not even a status. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  readonly steps: readonly Step[];
  readonly ending: Ending;
}

export interface StreamForm {
  /** Byte offsets of the whole stream at which it is cut into pieces; by event when absent. */
  readonly splitAt?: readonly number[];
  /** Only so many bytes are sent, then the ending comes; all when absent. */
  readonly stopAfterBytes?: number;
  /** `end` when absent. */
  readonly ending?: Ending;
  /** Leaves the line feeds behind the last event out. */
  readonly withoutFinalNewline?: boolean;
  /** Waits so long in front of each piece, so that a person sees it stream. */
  readonly pauseMs?: number;
}

const eventStream = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** A stream of server-sent events with status 200. A {@link Gate} among the events holds the stream there. */
export function streamResponse(events: readonly (string | Gate)[], form: StreamForm = {}): ScriptedResponse {
  const steps: Step[] = events.map((event) => (typeof event === 'string' ? write(event) : event.step));
  return {
    head: { status: 200, headers: eventStream },
    steps: shape(steps, form),
    ending: form.ending ?? 'end',
  };
}

/** An answer that is no stream: JSON for an object, anything for text. */
export function plainResponse(
  status: number,
  body: string | object,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse {
  const isText = typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    head: { status, headers: { 'content-type': type, ...headers } },
    steps: [write(isText ? body : JSON.stringify(body))],
    ending: 'end',
  };
}

/** An error object with its status, in the form that the vendors of this wire use. */
export function errorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse {
  const known: Record<number, string> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return plainResponse(
    status,
    { error: { message, type, param: null, code: known[status] ?? null } },
    headers,
  );
}

/** Takes the request and never says a word. */
export const silentResponse: ScriptedResponse = { steps: [], ending: 'silence' };

/** Holds a stream until the test opens it. */
export interface Gate {
  readonly step: Step;
  /** Resolves when a response has come to this gate. */
  readonly reached: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const arrival = latch();
  const opening = latch();
  const until = (): Promise<void> => {
    arrival.open();
    return opening.opened;
  };
  return { step: { kind: 'wait', until }, reached: arrival.opened, open: () => opening.open() };
}

function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/**
 * Plays `script` into `response`. Resolves when it is over: ended, broken off or, when the client has gone, as soon
 * as that is known; a silent one waits for the client to go.
 */
export async function play(script: ScriptedResponse, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { signal } = gone;
  if (script.head !== undefined) {
    response.writeHead(script.head.status, script.head.headers);
    response.flushHeaders();
  }
  for (const step of script.steps) {
    if (step.kind === 'write') await writeAll(response, step.bytes, signal);
    else await untilGone(step.until(signal), signal);
    if (signal.aborted) return;
  }
  await finish(script.ending, response, signal);
}

async function finish(ending: Ending, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { socket } = response;
  if (ending === 'end') response.end();
  if (ending === 'close') socket?.end();
  if (ending === 'reset') socket?.resetAndDestroy();
  if (!signal.aborted) await untilGone(new Promise(() => {}), signal);
}

/** Resolves when the bytes were handed to the system, so that a reset behind them does not take them back. */
async function writeAll(response: ServerResponse, bytes: Buffer, signal: AbortSignal): Promise<void> {
  if (bytes.length === 0) return;
  const written = new Promise<void>((resolve) => response.write(bytes, () => resolve()));
  await untilGone(written, signal);
}

async function untilGone(wait: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const left = new AbortController();
  const gone = once(signal, 'abort', { signal: left.signal }).catch(() => {});
  await Promise.race([wait.catch(() => {}), gone]);
  left.abort();
}

function write(text: string): Step {
  return { kind: 'write', bytes: Buffer.from(text) };
}

function shape(steps: readonly Step[], form: StreamForm): Step[] {
  let shaped = [...steps];
  const last = shaped.at(-1);
  if (form.withoutFinalNewline === true && last?.kind === 'write')
    shaped.splice(-1, 1, { kind: 'write', bytes: Buffer.from(last.bytes.toString().replace(/\n+$/, '')) });
  if (form.splitAt !== undefined || form.stopAfterBytes !== undefined) shaped = cutSteps(shaped, form);
  const { pauseMs } = form;
  if (pauseMs === undefined) return shaped;
  const pause: Step = { kind: 'wait', until: (signal) => delay(pauseMs, undefined, { signal }) };
  return shaped.flatMap((step) => [pause, step]);
}

/** Cuts at offsets of the whole stream. Where offsets are given, pieces between them are joined. */
function cutSteps(steps: readonly Step[], form: StreamForm): Step[] {
  const { splitAt } = form;
  if (splitAt === undefined) return truncated(steps, form.stopAfterBytes ?? Infinity);
  const whole = Buffer.concat(steps.map((step) => (step.kind === 'write' ? step.bytes : Buffer.alloc(0))));
  if (steps.some((step) => step.kind === 'wait')) throw new Error('A gated stream is not split at offsets.');
  const ends = [...splitAt, whole.length];
  const pieces = ends.map((end, at): Step => ({
    kind: 'write',
    bytes: whole.subarray(at === 0 ? 0 : ends[at - 1], end),
  }));
  return truncated(pieces, form.stopAfterBytes ?? Infinity);
}

function truncated(steps: readonly Step[], bytes: number): Step[] {
  let left = bytes;
  return steps.flatMap((step): Step[] => {
    if (step.kind === 'wait') return left > 0 ? [step] : [];
    const part = step.bytes.subarray(0, Math.min(left, step.bytes.length));
    left -= part.length;
    return part.length === 0 ? [] : [{ kind: 'write', bytes: part }];
  });
}
