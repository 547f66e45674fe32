/** Addresses of the built page, as the editor serves them. */
export interface PageAssets {
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
  readonly codicons: string;
}

export interface PageOptions {
  /** Random for every page. */
  readonly nonce: string;
  /** BCP 47 tag of the person's language. */
  readonly language: string;
  /** In an editor group the page has a header of its own; in a view the editor draws one. */
  readonly surface: 'view' | 'panel';
  readonly title: string;
}

/** The page of the assistant. The script does everything; nothing is loaded from elsewhere. Source: vscode.md section 5. */
export function pageHtml(assets: PageAssets, options: PageOptions): string {
  return document(
    policy(options.nonce, assets.cspSource),
    options,
    `<link rel="stylesheet" href="${escapeHtml(assets.codicons)}" id="vscode-codicon-stylesheet">
<link rel="stylesheet" href="${escapeHtml(assets.style)}">
</head>
<body data-surface="${options.surface}">
<script type="module" nonce="${escapeHtml(options.nonce)}" src="${escapeHtml(assets.script)}"></script>`,
  );
}

/** The page that is left when the real one did not answer three times: a sentence and a button. */
export function staticHtml(
  options: PageOptions,
  words: { readonly sentence: string; readonly reload: string },
): string {
  return document(
    policy(options.nonce, ''),
    options,
    `</head>
<body>
<p>${escapeHtml(words.sentence)}</p>
<button id="reload" type="button">${escapeHtml(words.reload)}</button>
<script nonce="${escapeHtml(options.nonce)}">
const editor = acquireVsCodeApi();
document.getElementById('reload').addEventListener('click', () => editor.postMessage({ kind: 'reload' }));
</script>`,
  );
}

function document(csp: string, options: PageOptions, rest: string): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(options.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(csp)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(options.title)}</title>
${rest}
</body>
</html>
`;
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
