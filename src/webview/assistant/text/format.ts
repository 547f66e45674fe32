import type { Strings } from '../protocol.ts';

/** Puts arguments into a localised sentence: `{0}` is the first. */
export function fill(sentence: string, ...args: readonly (string | number)[]): string {
  return sentence.replace(/\{(\d+)\}/g, (whole, index: string) => String(args[Number(index)] ?? whole));
}

type DurationStrings = Pick<Strings, 'milliseconds' | 'seconds' | 'minutes' | 'hours'>;

/** A finished duration: `30 ms`, `0.4 s`, `12 s`, `2 min 5 s`, `1 h 3 min`. */
export function formatDuration(ms: number, strings: DurationStrings, locale: string): string {
  if (ms < 100) return fill(strings.milliseconds, Math.max(0, Math.round(ms)));
  if (ms < 9_950)
    return fill(
      strings.seconds,
      new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(ms / 1000),
    );
  return formatElapsed(ms, strings);
}

/** A duration that still grows, in whole seconds. */
export function formatElapsed(ms: number, strings: DurationStrings): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return fill(strings.seconds, seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return fill(strings.minutes, minutes, seconds % 60);
  return fill(strings.hours, Math.floor(minutes / 60), minutes % 60);
}

/** A moment as people of this place write it: the time, with the date when it is another day than `now`. Milliseconds since 1970. */
export function formatMoment(at: number, now: number, locale: string): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(
    locale,
    isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  ).format(at);
}

/** Splits a sentence at its backquotes: every second piece is code. An odd backquote stays a character. */
export function codeSpans(sentence: string): { readonly text: string; readonly isCode: boolean }[] {
  const pieces = sentence.split('`');
  if (pieces.length % 2 === 0) {
    const last = pieces.pop() ?? '';
    pieces[pieces.length - 1] = `${pieces.at(-1) ?? ''}\`${last}`;
  }
  return pieces.map((text, index) => ({ text, isCode: index % 2 === 1 })).filter(({ text }) => text !== '');
}
