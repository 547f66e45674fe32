import DOMPurify from 'dompurify';

const allowed = {
  ALLOWED_TAGS: [
    ...['a', 'blockquote', 'br', 'code', 'del', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre'],
    ...['span', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ],
  ALLOWED_ATTR: ['class', 'role', 'tabindex', 'title', 'data-href', 'data-language', 'start', 'align'],
  /** Compared by the extension host before anything is opened. */
  ADD_URI_SAFE_ATTR: ['data-href', 'data-language'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} as const;

/** The second line of defence behind the renderer: only what Markdown needs gets into the page. */
export function sanitized(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ...allowed,
    ALLOWED_TAGS: [...allowed.ALLOWED_TAGS],
    ALLOWED_ATTR: [...allowed.ALLOWED_ATTR],
    ADD_URI_SAFE_ATTR: [...allowed.ADD_URI_SAFE_ATTR],
  });
}
