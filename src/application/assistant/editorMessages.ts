import {
  asTurns,
  blankText,
  isBlank,
  userText,
  wireInput,
  type ModelItem,
  type ModelRequest,
} from '../../agentkit/index.ts';
import type { EditorMessage, EditorPart } from '../ports/editorModels.ts';

/** What the person says that a model of the editor can do, because the editor does not. */
export interface EditorModelMarks {
  readonly tools: boolean;
  readonly images: boolean;
}

/**
 * The messages of one request: the system prompt is the first user message, and results that follow each other are one message. For a
 * model without tools, calls and results of other models are told in words. Source: vscode.md 13; agent runtime contract, section 21.
 */
export function editorMessages(request: ModelRequest, marks: EditorModelMarks): readonly EditorMessage[] {
  const items = asTurns(request.items);
  const messages: { readonly role: EditorMessage['role']; readonly parts: EditorPart[] }[] = [];
  if (!isBlank(request.system)) messages.push({ role: 'user', parts: [text(request.system)] });
  items.forEach((item, at) => {
    const parts = toParts(item, marks);
    const before = messages.at(-1);
    if (item.role === 'tool' && items[at - 1]?.role === 'tool') before?.parts.push(...parts);
    else messages.push({ role: item.role === 'assistant' ? 'assistant' : 'user', parts });
  });
  return messages;
}

function toParts(item: ModelItem, marks: EditorModelMarks): EditorPart[] {
  switch (item.role) {
    case 'user':
      return userParts(item, marks);
    case 'tool':
      return marks.tools
        ? [{ kind: 'result', callId: item.callId, text: item.text }]
        : [text(`[Result of ${item.toolName}]\n${item.text}`)];
    case 'assistant':
      return [
        ...(isBlank(item.text) ? [] : [text(item.text)]),
        ...item.calls.map((call): EditorPart =>
          marks.tools
            ? { kind: 'call', id: call.id, name: call.name, input: wireInput(call.argumentsText) }
            : text(`[Called ${call.name} with ${call.argumentsText}]`),
        ),
      ];
  }
}

function userParts(item: Extract<ModelItem, { role: 'user' }>, marks: EditorModelMarks): EditorPart[] {
  const said = userText(item, marks.images);
  const images = (marks.images ? item.images : []).map((image): EditorPart => ({ kind: 'image', image }));
  if (images.length > 0 && isBlank(said)) return images;
  return [text(isBlank(said) ? blankText : said), ...images];
}

function text(said: string): EditorPart {
  return { kind: 'text', text: said };
}
