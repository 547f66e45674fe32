import { escapeHtml, webviewHtml } from '../../../domain/page/webviewHtml.ts';

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
  return webviewHtml(
    { ...options, cspSource: assets.cspSource },
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
  return webviewHtml(
    { ...options, cspSource: '' },
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
