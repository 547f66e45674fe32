import { Marked, type Token, type Tokens } from 'marked';

/**
 * HTML of one block, for a sanitizer behind it. Raw HTML is shown as text, images as their description with a link, links carry their
 * target in `data-href` only, so that nothing but our own handler opens them. Source: vscode.md section 5.
 */
export function renderBlock(tokens: readonly Token[]): string {
  return marked.parser([...tokens]);
}

const marked = new Marked({
  gfm: true,
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return escapeHtml(text);
    },
    link({ href, tokens }: Tokens.Link) {
      return linkTo(href, this.parser.parseInline(tokens));
    },
    image({ href, text }: Tokens.Image) {
      return linkTo(href, escapeHtml(text === '' ? href : text));
    },
    code({ text, lang }: Tokens.Code) {
      const language = /^[\w+#-]{1,32}/.exec(lang ?? '')?.[0] ?? '';
      return `<pre class="code" data-language="${escapeHtml(language)}"><code>${escapeHtml(text)}</code></pre>\n`;
    },
    codespan({ text }: Tokens.Codespan) {
      return `<code>${escapeHtml(text)}</code>`;
    },
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(6, depth + 2);
      return `<h${level} class="h${depth}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return checked ? '☑ ' : '☐ ';
    },
  },
});

const openable = /^(https?:|termind-scratch:|termind-sftp:|file:\/\/\/)/i;

function linkTo(href: string, label: string): string {
  if (!openable.test(href)) return label;
  const target = escapeHtml(href);
  return `<a role="link" tabindex="-1" data-href="${target}" title="${target}">${label}</a>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
