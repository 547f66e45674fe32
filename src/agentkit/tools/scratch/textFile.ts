import { AgentError } from '../../agentError.ts';

export type LineEnding = 'lf' | 'crlf';

/** A text file as tools see it: LF only and without byte order mark, with what is needed to write it back as it was. */
export interface TextFile {
  readonly text: string;
  /** The more frequent one; `lf` for a file without lines. */
  readonly lineEnding: LineEnding;
  readonly hasMark: boolean;
  /** The decoded text, mark and line endings included. */
  readonly raw: string;
}

const byteOrderMark = '\ufeff';
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined when the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): TextFile | undefined {
  let raw: string;
  try {
    raw = strict.decode(bytes);
  } catch {
    return undefined;
  }
  const hasMark = raw.startsWith(byteOrderMark);
  const body = hasMark ? raw.slice(1) : raw;
  const text = body.replaceAll('\r\n', '\n');
  const pairs = body.length - text.length;
  const lineFeeds = text.split('\n').length - 1;
  return { text, lineEnding: pairs > lineFeeds - pairs ? 'crlf' : 'lf', hasMark, raw };
}

/** Throws `scratchNotText`. */
export function readText(bytes: Uint8Array, path: string): TextFile {
  const file = decodeText(bytes);
  if (file === undefined) throw new AgentError('scratchNotText', { path });
  return file;
}

/** One replacement in `text` of a file: units `start` to before `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  /** LF only. */
  readonly replacement: string;
}

/**
 * The file's text behind the edits, which are in order and do not overlap. What no edit touches keeps its bytes, mixed line endings
 * included; new lines end as most of the file does.
 */
export function editText(file: TextFile, edits: readonly TextEdit[]): string {
  const toRaw = rawPositions(file);
  let result = '';
  let from = 0;
  for (const { start, end, replacement } of edits) {
    result += file.raw.slice(from, toRaw(start)) + withEndings(replacement, file.lineEnding);
    from = toRaw(end);
  }
  return result + file.raw.slice(from);
}

function withEndings(text: string, ending: LineEnding): string {
  return ending === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
}

/** Maps places in `text` to places in `raw`; asked from left to right. */
function rawPositions(file: TextFile): (place: number) => number {
  let raw = file.hasMark ? 1 : 0;
  let at = 0;
  return (place) => {
    while (at < place) {
      const pair = file.raw.indexOf('\r\n', raw);
      const step = pair < 0 ? place - at : Math.min(place - at, pair - raw);
      raw += step;
      at += step;
      if (at < place) {
        raw += 2;
        at += 1;
      }
    }
    return raw;
  };
}
