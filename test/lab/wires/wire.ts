import type { IncomingHttpHeaders } from 'node:http';
import type { ModelAnswer, PostedConversation, TokenFigures } from '../modelConversation.ts';
import type { ScriptedResponse } from '../scriptedResponse.ts';

export type Checked<Body> =
  | { readonly ok: true; readonly request: Body }
  | { readonly ok: false; readonly violations: readonly string[] };

export interface AnswerForm {
  /** The place of this turn in the conversation; makes call ids unique. */
  readonly turn: number;
  /** Sent where the protocol and the request have them. */
  readonly figures?: TokenFigures;
}

/** One protocol of a model server: how requests are found, checked and read, and how answers and errors look. */
export interface Wire<Body> {
  /** Of a provider's base URL, for example `/v1`. */
  readonly basePath: string;
  isRequest(path: string): boolean;
  /** The key as this protocol sends it. */
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** Against what a strict server refuses and what the agent runtime promises about each request. */
  check(body: unknown): Checked<Body>;
  /** What a checked body asks, without the form of this wire. */
  read(body: Body, path: string): PostedConversation;
  /** The events of one answer, in the pieces in which a model would send them. */
  answer(answer: ModelAnswer, form: AnswerForm): string[];
  error(status: number, message: string, headers?: Readonly<Record<string, string>>): ScriptedResponse;
}
