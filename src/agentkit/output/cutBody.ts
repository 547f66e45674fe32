import type { Json } from '../json.ts';
import type { BodySpec } from '../tool.ts';
import { itemsBody } from './itemsBody.ts';
import type { CutBody } from './lineCursor.ts';
import { recordsBody } from './recordsBody.ts';
import { textBody } from './textBody.ts';

/** The body by its kind. Throws when the content is not of the descriptor's kind: a programming error of the tool. */
export function cutBody(spec: BodySpec, content: string | readonly Json[]): CutBody {
  if (spec.kind === 'text') {
    if (typeof content !== 'string') throw new Error(`the body "${spec.field}" is not text`);
    return textBody(content);
  }
  if (typeof content === 'string') throw new Error(`the body "${spec.field}" is not a list`);
  return spec.kind === 'items' ? itemsBody(content) : recordsBody(content, spec.textField ?? 'text');
}
