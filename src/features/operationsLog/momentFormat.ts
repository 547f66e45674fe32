import { env } from 'vscode';

/** A moment for people; seconds count in a log. */
export function momentFormat(): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(env.language, { dateStyle: 'medium', timeStyle: 'medium' });
}
