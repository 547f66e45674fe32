// Runs in the page before its own script: what the editor gives a webview. `setUp` was defined by an earlier script.
const { variables, bodyClass, background, state } = window.setUp;
const key = 'kept by the editor';
// What was kept survives a page that is loaded anew, as in the editor.
window.keptState = JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? state;
window.acquireVsCodeApi = () => ({
  postMessage: (message) => window.toExtensionHost(message),
  getState: () => window.keptState,
  setState: (next) => {
    window.keptState = next;
    sessionStorage.setItem(key, JSON.stringify(next));
  },
});
window.toPage = (message) => window.postMessage(message, '*');
window.drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
document.addEventListener('DOMContentLoaded', () => {
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(variables)) style.setProperty(name, value);
  document.body.className = bodyClass;
  document.body.style.setProperty('background', `var(${background})`);
});
