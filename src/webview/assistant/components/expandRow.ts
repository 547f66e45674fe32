import { RequestFailure } from '../host/host.ts';
import type { ScreenContext } from './context.ts';

export interface Expanded {
  /** Text by section; complete unless there is a problem. */
  readonly sections: readonly string[];
  /** Why it is not complete; empty when it is. */
  readonly problem: string;
}

/** Asks for the retained text of a row, part after part. Never rejects. */
export async function expandRow(
  context: ScreenContext,
  {
    rowId,
    part,
    from,
  }: { readonly rowId: string; readonly part: 'body' | 'reasoning' | 'plan'; readonly from: number },
): Promise<Expanded> {
  const sections: string[] = [];
  try {
    for (let offset: number | undefined = from; offset !== undefined;) {
      const value = await context.host.request({ kind: 'expand', rowId, part, offset });
      if (value.kind !== 'part') break;
      sections[value.section] = (sections[value.section] ?? '') + value.text;
      offset = value.next;
    }
    return { sections, problem: '' };
  } catch (error) {
    return { sections, problem: failureText(error, context) };
  }
}

/** The sentence of a failed request. */
export function failureText(error: unknown, context: ScreenContext): string {
  return (error instanceof RequestFailure ? error.text : undefined) ?? context.strings.requestTimedOut;
}
