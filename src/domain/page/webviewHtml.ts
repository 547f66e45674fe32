/** What every page of a webview has in its head. */
export interface WebviewHead {
  /** Random for every page. */
  readonly nonce: string;
  /** From where the editor serves styles, pictures and fonts; empty for none. */
  readonly cspSource: string;
  /** BCP 47 tag of the person's language. */
  readonly language: string;
  readonly title: string;
}

/**
 * The document of a webview. `rest` closes the head and holds the body; nothing but scripts with the nonce runs, and nothing is loaded
 * from elsewhere. Source: vscode.md section 5.
 */
export function webviewHtml({ nonce, cspSource, language, title }: WebviewHead, rest: string): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy(nonce, cspSource))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${rest}
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function policy(nonce: string, cspSource: string): string {
  const source = cspSource === '' ? "'none'" : cspSource;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `img-src ${source === "'none'" ? '' : `${source} `}data:`,
    `font-src ${source}`,
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-src 'none'",
  ].join('; ');
}
