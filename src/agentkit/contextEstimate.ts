import { estimateTokenCount } from 'tokenx';
import type { ModelRequest } from './model.ts';

/** A rough count of the tokens of a request, for providers that report none. Source: agent runtime contract, section 22. */
export function estimateContextTokens(request: ModelRequest): number {
  const parts = [request.system, ...request.items.map(itemText), JSON.stringify(request.tools)];
  return parts.reduce((sum, part) => sum + estimateTokenCount(part), 0);
}

function itemText(item: ModelRequest['items'][number]): string {
  switch (item.role) {
    case 'user':
    case 'tool':
      return item.text;
    case 'assistant':
      return [item.text, ...item.calls.flatMap((call) => [call.name, call.argumentsText])].join('\n');
  }
}
