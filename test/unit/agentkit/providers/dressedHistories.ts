import fc from 'fast-check';
import {
  callId,
  type ImagePart,
  type Json,
  type Message,
  type ProviderItem,
} from '../../../../src/agentkit/index.ts';
import { brokenHistory, wholeHistory } from '../support/histories.ts';

/**
 * What adapters leave in a history, as pools to draw from: whole, cut in half, and of models that are not asked. `tags` are those of the
 * models under test.
 */
export interface DressOptions {
  readonly tags: {
    readonly responses: string;
    readonly messages: string;
    readonly generateContent: string;
  };
}

function itemPool({ tags }: DressOptions): readonly (readonly ProviderItem[])[] {
  const of = (tag: string, ...items: readonly Json[]): readonly ProviderItem[] =>
    items.map((item) => ({ tag, item }));
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'df' } };
  return [
    [],
    of(tags.responses, { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'sealed' }),
    of(
      tags.responses,
      { type: 'web_search_call', id: 'ws', action: { type: 'search' } },
      { type: 'message_phase', phase: 'final_answer' },
    ),
    of(tags.messages, { type: 'thinking', thinking: 'Hm.', signature: 'sig' }),
    of(tags.messages, { type: 'redacted_thinking', data: 'x' }, search),
    of(tags.messages, search, { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }),
    of(tags.generateContent, { kind: 'thought', text: 'Hm.' }, { kind: 'textSignature', signature: 'c2ln' }),
    of(
      tags.generateContent,
      { kind: 'part', part: { toolCall: { id: 's' } } },
      { kind: 'callSignature', call: 0, signature: 'c2ln' },
    ),
    of(tags.generateContent, { kind: 'callSignature', call: 9, signature: 'c2ln' }),
    of('other/api/model', { anything: true }),
  ];
}

const argumentPool = ['{"a":1}', '', '{', '[1]', 'null', '{"a":"\\ud800"}'] as const;
/** What models call tools that they make up. */
const namePool = [
  'probe',
  'probe',
  '',
  'df -h',
  'größe',
  'functions.probe',
  '9_lives',
  'x'.repeat(80),
] as const;
const imagePool: readonly ImagePart[] = [
  { mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
  { mediaType: 'image/heic', base64: 'AAAA' },
];

interface Dress {
  readonly text: number;
  readonly items: number;
  readonly argument: number;
  readonly images: readonly number[];
}

const dress: fc.Arbitrary<Dress> = fc.record({
  text: fc.nat(5),
  items: fc.nat(20),
  argument: fc.nat(5),
  images: fc.array(fc.nat(1), { maxLength: 2 }),
});

interface Outfit {
  readonly dresses: readonly Dress[];
  readonly longIds: boolean;
  readonly names: number;
}

const outfit: fc.Arbitrary<Outfit> = fc.record({
  dresses: fc.array(dress, { minLength: 1, maxLength: 8 }),
  longIds: fc.boolean(),
  names: fc.nat(7),
});

/** Blank texts, pictures, broken arguments, names that no tool has, ids of other providers, and provider items of every kind. */
function dressed(
  rows: readonly Message[],
  { dresses, longIds, names }: Outfit,
  options: DressOptions,
): readonly Message[] {
  const pool = itemPool(options);
  const idOf = (id: string) => callId(longIds ? `${id}.${'x'.repeat(70)}` : id);
  /** The same for a call and its result. */
  const nameOf = (id: string) =>
    namePool[(names + id.length + id.charCodeAt(1)) % namePool.length] ?? 'probe';
  return rows.map((row, at) => {
    const worn = dresses[at % dresses.length];
    if (worn === undefined) return row;
    switch (row.role) {
      case 'user':
        return {
          ...row,
          text: worn.text === 0 ? ' ' : row.text,
          images: worn.images.flatMap((index) => imagePool[index] ?? []),
        };
      case 'tool':
        return {
          ...row,
          callId: idOf(row.callId),
          toolName: nameOf(row.callId),
          isError: worn.text === 1,
          text: worn.text === 2 ? '' : row.text,
        };
      case 'assistant':
        return {
          ...row,
          text: worn.text === 0 ? ' ' : worn.text < 3 ? 'Looking.' : row.text,
          calls: row.calls.map((call) => ({
            ...call,
            id: idOf(call.id),
            name: nameOf(call.id),
            argumentsText: argumentPool[worn.argument] ?? '',
          })),
          providerItems: pool[worn.items % pool.length] ?? [],
        };
    }
  });
}

/** A history as crashes, several windows and several providers leave it, cut at both ends. */
export function anyHistory(options: DressOptions): fc.Arbitrary<readonly Message[]> {
  return fc.tuple(brokenHistory, outfit).map(([rows, worn]) => dressed(rows, worn, options));
}

/** A history as runs with several providers leave it. */
export function orderlyHistory(options: DressOptions): fc.Arbitrary<readonly Message[]> {
  return fc.tuple(wholeHistory, outfit).map(([rows, worn]) => dressed(rows, worn, options));
}
