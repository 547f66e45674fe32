import type { ForwardBind, ForwardDestination, ForwardPlace } from './forward.ts';

const letters = { local: 'L', remote: 'R', dynamic: 'D' } as const;

/** As the command line of `ssh` spells it, `-L 8080:db.example.com:5432`. Source: ssh(1). */
export function forwardText(place: ForwardPlace): string {
  const to = place.destination === undefined ? '' : `:${endText(place.destination)}`;
  return `-${letters[place.kind]} ${bindText(place.bind)}${to}`;
}

/** One end: `host:port`, `[2001:db8::7]:443`, or a path. */
export function endText(end: ForwardDestination): string {
  return 'path' in end ? escaped(end.path) : `${bracketed(end.host)}:${String(end.port)}`;
}

/** `8080`, `127.0.0.1:8080`, `*:8080`, or a path. */
export function bindText(bind: ForwardBind): string {
  if ('path' in bind) return escaped(bind.path);
  if (bind.host === undefined) return String(bind.port);
  return `${bind.host === '' ? '*' : bracketed(bind.host)}:${String(bind.port)}`;
}

function bracketed(host: string): string {
  return /[:[\]\\]/.test(host) ? `[${host}]` : host;
}

/** A colon or backslash in a path would end it or take the next character. */
function escaped(path: string): string {
  return path.replace(/[\\:]/g, '\\$&');
}
