import { answer, everything, listHosts } from '../conversation.ts';
import { responsesTag } from '../fixtures/responsesFixtures.ts';
import { request, user } from '../support.ts';
import { able, asksTitle, blankUser, fromElsewhere, kept, madeId, titleSchema, type BodyRow } from './row.ts';

const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } };
const commentary = { type: 'message_phase', phase: 'commentary' };

export const responsesBodies: readonly BodyRow[] = [
  {
    name: 'a conversation with a bit of everything, reasoning in front of the text and the calls that follow from it',
    asked: everything(kept(responsesTag, thought, search, commentary)),
    isWhole: true,
    expected: {
      model: 'lab-1',
      instructions: 'You operate servers.',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'high', summary: 'auto' },
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'How busy?' },
            { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
          ],
        },
        thought,
        search,
        { role: 'assistant', content: 'Looking.', phase: 'commentary' },
        {
          type: 'function_call',
          call_id: 'call_1',
          name: 'ssh_exec_run',
          arguments: '{"host_id":"h1","command":"uptime"}',
        },
        { type: 'function_call', call_id: 'call_2', name: 'list_hosts', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'up' },
        { type: 'function_call_output', call_id: 'call_2', output: 'No host.' },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          name: 'list_hosts',
          description: 'Hosts the user has.',
          parameters: { type: 'object', properties: {}, additionalProperties: false },
          strict: false,
        },
      ],
    },
  },
  {
    name: 'a call of another provider',
    asked: fromElsewhere,
    expected: {
      instructions: undefined,
      input: [
        { role: 'user', content: 'Go' },
        {
          type: 'function_call',
          call_id: madeId,
          name: 'run',
          arguments: '{"invalid_arguments":"{\\"c\\":"}',
        },
        { type: 'function_call_output', call_id: madeId, output: 'Invalid.' },
      ],
    },
  },
  {
    name: 'no reasoning without the answer that it belongs to',
    asked: request({
      items: [user('Go'), answer('a1', '', { providerItems: kept(responsesTag, thought) }), user('And?')],
    }),
    expected: {
      input: [
        { role: 'user', content: 'Go' },
        { role: 'user', content: 'And?' },
      ],
    },
  },
  {
    name: 'images for a model that reads text only',
    asked: blankUser,
    options: able({ images: false }),
    expected: {
      input: [
        { role: 'user', content: '\n[Images attached here are left out: this model reads text only.]' },
        { role: 'user', content: ' ' },
      ],
    },
  },
  {
    name: 'an output limit and a cache key where they are known',
    options: { ...able({ maxOutputTokens: 9_000 }), sendsCacheKey: true },
    expected: { max_output_tokens: 9_000, prompt_cache_key: 'chat-1' },
  },
  {
    name: 'nothing about reasoning to a model that has none',
    options: able({ reasoning: [] }),
    asked: request({ reasoning: 'high' }),
    expected: { reasoning: undefined, include: undefined, max_output_tokens: undefined, tools: undefined },
  },
  {
    name: 'no reasoning where it can be switched off',
    options: able({ reasoning: ['off', 'low'] }),
    asked: request({ reasoning: 'off' }),
    expected: { reasoning: { effort: 'none', summary: 'auto' } },
  },
  {
    name: 'the search of the provider beside our tools',
    options: { nativeSearch: true },
    asked: request({ tools: [listHosts] }),
    expected: {
      tools: [
        {
          type: 'function',
          name: 'list_hosts',
          description: listHosts.description,
          parameters: listHosts.inputSchema,
          strict: false,
        },
        { type: 'web_search' },
      ],
    },
  },
  {
    name: 'no search in a request without tools',
    options: { nativeSearch: true },
    expected: { tools: undefined },
  },
  {
    name: 'one JSON object',
    asked: asksTitle,
    expected: { text: { format: { type: 'json_schema', name: 'title', schema: titleSchema, strict: true } } },
  },
];
