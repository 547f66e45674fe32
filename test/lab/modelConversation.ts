/** What a model was asked and what it answers, without the form of any wire: each wire reads and writes these. */

export interface PostedCall {
  readonly id: string;
  readonly name: string;
  /** As posted; valid JSON on every wire that has passed its rules. */
  readonly argumentsText: string;
}

export type PostedMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly PostedCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

export interface PostedConversation {
  readonly model: string;
  readonly messages: readonly PostedMessage[];
  readonly toolNames: readonly string[];
}

export interface AnsweredCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One turn of a scripted model. Reasoning comes first, then text, then calls; without calls the turn ends the run. */
export interface ModelAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly AnsweredCall[];
}

export interface TokenFigures {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
}

/** Pieces of a few words, as models stream them. Joined they are `text` again. */
export function streamPieces(text: string, wordsPerPiece = 3): string[] {
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += wordsPerPiece)
    pieces.push(words.slice(at, at + wordsPerPiece).join(''));
  return pieces;
}

/** Figures as a server with a prefix cache would report them: four characters a token, cached in blocks of 128 tokens. */
export function tokenFigures(texts: {
  posted: string;
  postedBefore: string;
  answered: string;
}): TokenFigures {
  const { posted, postedBefore, answered } = texts;
  let shared = 0;
  while (shared < posted.length && posted[shared] === postedBefore[shared]) shared += 1;
  return {
    input: Math.ceil(posted.length / 4),
    output: Math.ceil(answered.length / 4),
    cachedInput: Math.floor(shared / 512) * 128,
  };
}
