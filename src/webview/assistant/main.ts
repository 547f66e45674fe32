import '@vscode-elements/elements/dist/vscode-button/index.js';
import { AssistantElement } from './components/app.ts';
import type { EditorApi } from './host/host.ts';

declare const acquireVsCodeApi: () => EditorApi;

document.body.append(new AssistantElement(acquireVsCodeApi()));
