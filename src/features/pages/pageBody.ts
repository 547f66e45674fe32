import { escapeHtml } from '../../domain/page/webviewHtml.ts';

/** Addresses of the built page, as the editor serves them. */
export interface PageAssets {
  readonly nonce: string;
  readonly codicons: string;
  readonly style: string;
  readonly script: string;
}

/** What a read-only page has in its document. The script draws everything. */
export function pageBody({ nonce, codicons, style, script }: PageAssets): string {
  return `<link rel="stylesheet" href="${escapeHtml(codicons)}" id="vscode-codicon-stylesheet">
<link rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body>
<script type="module" nonce="${escapeHtml(nonce)}" src="${escapeHtml(script)}"></script>`;
}
