import { createHash } from 'node:crypto';
import {
  messageId,
  type Json,
  type ModelCapabilities,
  type ModelRequest,
  type ProviderItem,
} from '../../../../src/agentkit/index.ts';
import { answer, call, failure, result } from '../conversation.ts';
import { capabilities, type AdapterOptions } from '../matrix.ts';
import { request, user } from '../support.ts';

/** One request, and what it posts: the whole body, or the members that `expected` names. */
export interface BodyRow {
  readonly name: string;
  readonly asked?: ModelRequest;
  readonly options?: AdapterOptions;
  readonly expected: Readonly<Record<string, Json | undefined>>;
  readonly isWhole?: boolean;
}

export function kept(tag: string, ...items: readonly Json[]): readonly ProviderItem[] {
  return items.map((item) => ({ tag, item }));
}

export function able(more: Partial<ModelCapabilities>): AdapterOptions {
  return { capabilities: { ...capabilities, ...more } };
}

export const titleSchema = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
};
export const asksTitle = request({ responseSchema: { name: 'title', schema: titleSchema } });

const foreignId = `toolu.${'x'.repeat(80)}`;
/** What becomes of an id that a protocol does not take. */
export const madeId = `call_${createHash('sha256').update(foreignId).digest('hex').slice(0, 32)}`;
export { foreignId };

/** A call of another provider: an id that not everybody takes, and arguments that are no JSON. */
export const fromElsewhere = request({
  system: '',
  items: [
    user('Go'),
    answer('a1', '', { calls: [call(foreignId, 'run', '{"c":')] }),
    failure(foreignId, 'run', 'Invalid.'),
  ],
});

/** A history that was cut in front, with a stopped answer, one that shows nothing, and a Retry behind them. */
export const withoutOrder = request({
  system: '',
  items: [
    answer('a0', 'Earlier.'),
    user('Go'),
    answer('a1', 'Half'),
    answer('a2', ' \n'),
    answer('a3', 'More'),
  ],
});

/** A request that must not cause calls, with calls in its history. */
export const toolFree = request({
  system: '',
  items: [user('Go'), answer('a1', '', { calls: [call('c1', 'run', '{}')] }), result('c1', 'run', 'up')],
});

/** A picture without a word, and a word that is none. */
export const blankUser = request({
  system: '',
  items: [
    {
      role: 'user',
      id: messageId('u1'),
      text: '',
      images: [{ mediaType: 'image/png', base64: 'iVBORw0KGgo=' }],
    },
    { role: 'user', id: messageId('u2'), text: ' ', images: [] },
  ],
});
