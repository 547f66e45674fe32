import { hidesByStyle } from './hidesByStyle.ts';
import type { Page } from './readablePage.ts';

/** Between their start and their end stands nothing to read. */
const skipped: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'svg',
  'textarea',
  'button',
  'select',
  'title',
]);
const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table td th tr ul'.split(
    ' ',
  ),
);

/** A start of these ends the one before it. */
const selfEnding: ReadonlySet<string> = new Set(['p', 'li', 'dt', 'dd', 'tr', 'td', 'th', 'option']);

/**
 * The text of a page without a tree of it: one pass over the source, whatever its shape, for pages that are too large or too deep for
 * `readablePage`. Headings and list items keep their marks, links and tables do not. What is hidden by an attribute of its own is
 * left out up to its end tag.
 */
export function plainPage(html: string): Page {
  const lower = html.toLowerCase();
  const writer = new TextWriter();
  const hidden = new HiddenPart();
  const show = (text: string): void => {
    if (!hidden.isOpen) writer.text(text);
  };
  let textStart = 0;
  let at = 0;
  for (;;) {
    const open = html.indexOf('<', at);
    const tag = open < 0 ? undefined : tagAt(html, open);
    if (open >= 0 && tag === undefined) {
      at = open + 1;
      continue;
    }
    show(html.slice(textStart, open < 0 ? undefined : open));
    if (tag === undefined) break;
    const close = endOf(tag, { html, lower, open });
    if (close < 0) break;
    const attributes = html.slice(open, Math.min(close, open + longestTag));
    if (!hidden.pass(tag, attributes)) writer.tag(tag.name, tag.isEnd);
    at = textStart = close + 1;
  }
  return { title: pageTitle(html), markdown: writer.end() };
}

/** Units of a start tag in which its attributes are looked for. */
const longestTag = 4_096;

interface Tag {
  /** Lower case; empty for comments and declarations. */
  readonly name: string;
  readonly isEnd: boolean;
}

/** Undefined for a `<` that is text. */
function tagAt(html: string, open: number): Tag | undefined {
  const found = /^<(?:\/?([a-z][a-z0-9]{0,31})|[!?])/i.exec(html.slice(open, open + 40));
  return found === null ? undefined : { name: (found[1] ?? '').toLowerCase(), isEnd: html[open + 1] === '/' };
}

/** Index of its last `>`, behind everything that it keeps from being read; negative where the source ends before. */
function endOf(
  { name, isEnd }: Tag,
  { html, lower, open }: { readonly html: string; readonly lower: string; readonly open: number },
): number {
  if (html.startsWith('<!--', open)) {
    const end = html.indexOf('-->', open);
    return end < 0 ? -1 : end + 2;
  }
  const last = skipped.has(name) && !isEnd ? lower.indexOf(`</${name}`, open) : open;
  return last < 0 ? -1 : html.indexOf('>', last);
}

/** The element whose attributes hide it, and what it holds. */
class HiddenPart {
  #name: string | undefined;
  #depth = 0;

  get isOpen(): boolean {
    return this.#name !== undefined;
  }

  /** True for a tag that is hidden. */
  pass({ name, isEnd }: Tag, attributes: string): boolean {
    if (this.#name === undefined || (this.#name === name && !isEnd && selfEnding.has(name))) {
      const hides = !isEnd && name !== '' && !empty.has(name) && isHiding(attributes);
      this.#name = hides ? name : undefined;
      this.#depth = 1;
      return hides;
    }
    if (this.#name === name) this.#depth += isEnd ? -1 : 1;
    if (this.#depth === 0) this.#name = undefined;
    return true;
  }
}

const empty: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);
const hidingAttribute = /\s(?:hidden(?=[\s=>/]|$)|aria-hidden\s*=\s*["']?true)/i;
const styleAttribute = /\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i;

function isHiding(attributes: string): boolean {
  const style = styleAttribute.exec(attributes)?.slice(1).join('') ?? '';
  return hidingAttribute.test(attributes) || hidesByStyle(style);
}

/** The title of a page, from its source. */
export function pageTitle(html: string): string | undefined {
  const start = html.search(/<title[\s>]/i);
  const open = start < 0 ? -1 : html.indexOf('>', start);
  if (open < 0) return undefined;
  const title = html.slice(open + 1, open + 1 + longestTitle).split('<', 1)[0] ?? '';
  const words = decodeEntities(title).replace(/\s+/g, ' ').trim();
  return words === '' ? undefined : words;
}

const longestTitle = 1_000;

/** Text with white space as it is shown: runs of it are one space, blocks are apart. */
class TextWriter {
  readonly #parts: string[] = [];
  #preformatted = 0;
  /** What stands in front of the next word. */
  #gap = '';

  tag(name: string, isEnd: boolean): void {
    if (name === 'pre') this.#preformatted = Math.max(0, this.#preformatted + (isEnd ? -1 : 1));
    if (!blocks.has(name)) return;
    const isApart = name === 'p' || name === 'pre' || /^h\d$/.test(name);
    if (this.#gap !== '\n\n' && !this.#gap.endsWith(' ')) this.#gap = isApart ? '\n\n' : '\n';
    if (isEnd) return;
    if (name === 'li') this.#gap = '\n- ';
    if (/^h\d$/.test(name)) this.#gap = `\n\n${'#'.repeat(Number(name[1]))} `;
  }

  text(source: string): void {
    if (source === '') return;
    const text = decodeEntities(source);
    if (this.#preformatted > 0) return this.#put(text);
    for (const [word] of text.matchAll(/\S+|\s+/g)) {
      if (word.trim() !== '') this.#put(word);
      else if (this.#gap === '') this.#gap = ' ';
    }
  }

  end(): string {
    const text = this.#parts.join('').trimEnd();
    return text === '' ? '' : `${text}\n`;
  }

  #put(text: string): void {
    this.#parts.push(this.#parts.length === 0 ? this.#gap.trimStart() : this.#gap, text);
    this.#gap = '';
  }
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  copy: '©',
  middot: '·',
  bull: '•',
  rarr: '→',
  times: '×',
};

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/gi, (entity) => {
    const inner = entity.slice(1, -1);
    if (!inner.startsWith('#')) return named[inner] ?? entity;
    const code = /^#x/i.test(inner) ? Number.parseInt(inner.slice(2), 16) : Number(inner.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
