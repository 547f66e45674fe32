import {
  callId,
  messageId,
  type ModelItem,
  type ModelRequest,
  type ProviderItem,
  type ToolCall,
} from '../../../src/agentkit/index.ts';
import { request } from './support.ts';

export function answer(
  id: string,
  text: string,
  more: { readonly calls?: readonly ToolCall[]; readonly providerItems?: readonly ProviderItem[] } = {},
): ModelItem {
  const { calls = [], providerItems = [] } = more;
  return { role: 'assistant', id: messageId(id), text, reasoning: 'hidden', calls, providerItems };
}

export function call(id: string, name: string, argumentsText: string): ToolCall {
  return { id: callId(id), name, argumentsText };
}

export function result(id: string, toolName: string, text: string): ModelItem {
  return { role: 'tool', id: messageId(`result:${id}`), callId: callId(id), toolName, text, isError: false };
}

export function failure(id: string, toolName: string, text: string): ModelItem {
  return { role: 'tool', id: messageId(`result:${id}`), callId: callId(id), toolName, text, isError: true };
}

export const png = { mediaType: 'image/png', base64: 'iVBORw0KGgo=' };

export const listHosts = {
  name: 'list_hosts',
  description: 'Hosts the user has.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
};

/** A conversation with a bit of everything: an image, two calls at once, one that failed, and what the provider wants to see again. */
export function everything(providerItems: readonly ProviderItem[]): ModelRequest {
  return request({
    items: [
      { role: 'user', id: messageId('u1'), text: 'How busy?', images: [png] },
      answer('a1', 'Looking.', {
        calls: [
          call('call_1', 'ssh_exec_run', '{"host_id":"h1","command":"uptime"}'),
          call('call_2', 'list_hosts', ''),
        ],
        providerItems,
      }),
      result('call_1', 'ssh_exec_run', 'up'),
      failure('call_2', 'list_hosts', 'No host.'),
      { role: 'user', id: messageId('u2'), text: 'And now?', images: [] },
    ],
    tools: [listHosts],
    reasoning: 'high',
  });
}
