import { z } from 'zod';
import type { SourceRef } from '../config/configFile.ts';

const place = z.tuple([z.literal('open'), z.string(), z.number()]);

/** The action of a page that opens a file at a line. */
export const openLineAction = {
  of: ({ path, line }: SourceRef): string => JSON.stringify(['open', path, line]),
  /** The place of an action; undefined when it is another one. */
  parse: (action: string): SourceRef | undefined => {
    const parsed = place.safeParse(jsonOf(action));
    return parsed.success ? { path: parsed.data[1], line: parsed.data[2] } : undefined;
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
