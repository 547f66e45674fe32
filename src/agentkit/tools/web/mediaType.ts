/** What a `Content-Type` says. */
export interface MediaType {
  /** Lower case, without parameters; empty when absent. */
  readonly type: string;
  readonly charset: string | undefined;
}

export function parseMediaType(header: string | undefined): MediaType {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const charset = parameters
    .map((parameter) => /^charset\s*=\s*"?([^"\s]+)"?$/i.exec(parameter)?.[1])
    .find((found) => found !== undefined);
  return { type: type.toLowerCase(), charset };
}

/** Source: agent runtime contract, section 19. */
export function isReadableType(type: string): boolean {
  return /^text\/[^\s/]+$/.test(type) || /^application\/([^\s/]+\+)?(json|xml)$/.test(type);
}

/** A page that can become Markdown. */
export function isPage(type: string): boolean {
  return type === 'text/html' || type === 'application/xhtml+xml';
}
