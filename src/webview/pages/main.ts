import type { FromPage } from './protocol.ts';
import { PageElement } from './pageElement.ts';

declare const acquireVsCodeApi: () => { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();
document.body.append(new PageElement((message) => editor.postMessage(message)));
