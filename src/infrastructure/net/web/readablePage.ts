import { isProbablyReaderable, Readability } from '@mozilla/readability';
import TurndownService from 'turndown';
import { hidesByStyle } from './hidesByStyle.ts';
import { parsePage, type PageDocument, type PageElement } from './pageDom.ts';
import { tableRules } from './tableRules.ts';

export interface Page {
  readonly title: string | undefined;
  readonly markdown: string;
}

/** What nobody reads, and what a page keeps from its readers but not from a program. */
const unread = [
  'title',
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'embed',
  'svg',
  'canvas',
  'audio',
  'video',
  'button',
  'input',
  'select',
  'textarea',
  'dialog:not([open])',
  '[hidden]',
  '[aria-hidden="true"]',
].join(',');

/**
 * The readable part of a page as Markdown: the article where there is one, else the whole body; links absolute, nothing that is hidden
 * or runs. A page of a shape that somebody chose to be slow can take for ever or exhaust the stack: run it where it can be ended.
 */
export function readablePage(html: string, url: string): Page {
  const document = parsePage(html);
  const title = clean(document.querySelector('title')?.textContent ?? '');
  const base = absolute(document.querySelector('base[href]')?.getAttribute('href') ?? '', url) ?? url;
  dropUnread(document);
  makeAbsolute(document, base);
  const article = isProbablyReaderable(document) ? new Readability(document.cloneNode(true)).parse() : null;
  const heading = clean(article?.title ?? '');
  return {
    title: title === '' ? (heading === '' ? undefined : heading) : title,
    markdown: toMarkdown(articleBody(article?.content) ?? document.body),
  };
}

function articleBody(content: string | null | undefined): PageElement | undefined {
  if (content === null || content === undefined || content.trim() === '') return undefined;
  return parsePage(content).body;
}

function dropUnread(document: PageDocument): void {
  for (const element of document.querySelectorAll(unread)) element.remove();
  for (const element of document.querySelectorAll('[style]'))
    if (hidesByStyle(element.getAttribute('style') ?? '')) element.remove();
}

/** What headings of manuals link to themselves with. */
const anchorMarks: ReadonlySet<string> = new Set(['', '#', '¶', '§', '🔗']);

/** A link that leads nowhere outside stays as its text; a picture without a description goes. */
function makeAbsolute(document: PageDocument, base: string): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const target = absolute(link.getAttribute('href') ?? '', base);
    if (target === undefined && anchorMarks.has(clean(link.textContent ?? ''))) link.remove();
    else if (target === undefined) link.removeAttribute('href');
    else link.setAttribute('href', target);
  }
  for (const image of document.querySelectorAll('img')) {
    const source = absolute(image.getAttribute('src') ?? '', base);
    const words = clean(image.getAttribute('alt') ?? '');
    if (source === undefined || words === '') image.remove();
    else image.setAttribute('src', source);
  }
}

const linkSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

function absolute(reference: string, base: string): string | undefined {
  if (reference === '' || reference.startsWith('#')) return undefined;
  const url = URL.parse(reference, base);
  return url !== null && linkSchemes.has(url.protocol) ? url.href : undefined;
}

function toMarkdown(body: PageElement): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  });
  // A reader copies names and commands from it: nothing is written that the page does not say.
  service.escape = (text) => text;
  for (const [name, rule] of Object.entries(tableRules())) service.addRule(name, rule);
  const markdown = service.turndown(body);
  return markdown === '' ? '' : `${markdown}\n`;
}

function clean(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
