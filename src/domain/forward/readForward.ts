import { forwardEnds, forwardFields, longestSocketPath, type ForwardEnd } from '../config/forwardSpec.ts';
import { readPort } from '../config/scalars.ts';
import type { ForwardBind, ForwardDestination, ForwardKind, ForwardPlace } from './forward.ts';

/** What is wrong with what was typed; the first thing from the left. */
export type ForwardProblem =
  | { readonly k: 'empty' }
  /** Not the fields of this kind, or a bracket or backslash without its other half. */
  | { readonly k: 'form'; readonly kind: ForwardKind }
  | { readonly k: 'port'; readonly text: string; readonly mayBeZero: boolean }
  | { readonly k: 'host'; readonly text: string }
  | { readonly k: 'pathNotAbsolute'; readonly text: string }
  | { readonly k: 'pathTooLong'; readonly longest: number };

export type ReadForward =
  | { readonly ok: true; readonly place: ForwardPlace }
  | { readonly ok: false; readonly problem: ForwardProblem };

/**
 * Reads a forward as `ssh` spells it: `[bind:]port:host:hostport` and the forms with sockets, behind `-L`, `-R`, `-D` or a keyword of
 * ssh_config when the kind is to be told by it, otherwise of `kind`. Variables are not replaced. Source: ssh(1), ssh_config(5).
 */
export function readForward(text: string, kind: ForwardKind): ReadForward {
  const marked = /^(?:-([LRD])\s*|(local|remote|dynamic)forward\s+)(.*)$/is.exec(text.trim());
  const told = marked === null ? kind : (kindOf[marked[1] ?? marked[2]?.toLowerCase() ?? ''] ?? kind);
  const spec = (marked?.[3] ?? text).trim().replace(/\s+/, ':');
  if (spec === '') return refused({ k: 'empty' });
  const form = refused({ k: 'form', kind: told });
  const fields = spec.includes('${') ? undefined : forwardFields(spec, {});
  if (fields === undefined || /[\s\p{Cc}]/u.test(spec)) return form;
  const isDynamic =
    told === 'dynamic' || (told === 'remote' && fields.length <= 2 && !isSocketToSocket(fields));
  const ends = forwardEnds(fields, isDynamic);
  if (ends === undefined) return form;
  const from = bindOf(ends.from, { mayBeZero: told === 'remote' });
  if ('k' in from) return refused(from);
  const to = ends.to === undefined ? undefined : destinationOf(ends.to);
  if (to !== undefined && 'k' in to) return refused(to);
  return { ok: true, place: { kind: told, bind: from, destination: to } };
}

/** Reads where a forward listens: a port, `address:port` or a path. */
export function readBind(text: string, kind: ForwardKind): { readonly bind: ForwardBind } | ForwardProblem {
  const read = readForward(text, 'dynamic');
  if (read.ok) return { bind: read.place.bind };
  if (read.problem.k !== 'port' || kind !== 'remote' || read.problem.text !== '0')
    return read.problem.k === 'form' ? { k: 'form', kind: 'dynamic' } : read.problem;
  const zero = readForward(text, 'remote');
  return zero.ok ? { bind: zero.place.bind } : zero.problem;
}

/** Reads what a forward leads to: `host:port` or a path. */
export function readDestination(text: string): { readonly destination: ForwardDestination } | ForwardProblem {
  if (text.trim() === '') return { k: 'empty' };
  const read = readForward(`1:${text.trim()}`, 'local');
  if (!read.ok) return read.problem;
  const { destination } = read.place;
  return destination === undefined ? { k: 'form', kind: 'local' } : { destination };
}

const kindOf: Readonly<Record<string, ForwardKind>> = {
  L: 'local',
  R: 'remote',
  D: 'dynamic',
  l: 'local',
  r: 'remote',
  d: 'dynamic',
  local: 'local',
  remote: 'remote',
  dynamic: 'dynamic',
};

function refused(problem: ForwardProblem): { readonly ok: false; readonly problem: ForwardProblem } {
  return { ok: false, problem };
}

function isSocketToSocket(fields: readonly { readonly isPath: boolean }[]): boolean {
  return fields.length === 2 && fields[1]?.isPath === true;
}

function bindOf(
  end: ForwardEnd,
  { mayBeZero }: { readonly mayBeZero: boolean },
): ForwardBind | ForwardProblem {
  if (end.path !== undefined) return pathOf(end.path);
  const port = portOf(end.port, mayBeZero);
  if (typeof port !== 'number') return port;
  if (end.host === undefined) return { port };
  return isHost(end.host) || end.host === '' || end.host === '*'
    ? { host: end.host === '*' ? '' : end.host, port }
    : { k: 'host', text: end.host };
}

function destinationOf(end: ForwardEnd): ForwardDestination | ForwardProblem {
  if (end.path !== undefined) return pathOf(end.path);
  const host = end.host ?? '';
  if (!isHost(host)) return { k: 'host', text: host };
  const port = portOf(end.port, false);
  return typeof port === 'number' ? { host, port } : port;
}

function pathOf(path: string): { readonly path: string } | ForwardProblem {
  if (!path.startsWith('/')) return { k: 'pathNotAbsolute', text: path };
  return Buffer.byteLength(path) < longestSocketPath
    ? { path }
    : { k: 'pathTooLong', longest: longestSocketPath - 1 };
}

function portOf(text: string | undefined, mayBeZero: boolean): number | ForwardProblem {
  const port = readPort(text ?? '');
  return port === undefined || (port === 0 && !mayBeZero) ? { k: 'port', text: text ?? '', mayBeZero } : port;
}

/** A name or an address; what could be an option of something is none. */
function isHost(text: string): boolean {
  return text !== '' && text.length <= 255 && !text.startsWith('-') && !/[\s\p{Cc}/]/u.test(text);
}
