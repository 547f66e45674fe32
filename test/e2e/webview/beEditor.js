// Runs in the page before its own script: what the editor gives a webview. `setUp` was defined by an earlier script.
const { variables, bodyClass, background, state } = window.setUp;
window.keptState = state;
window.acquireVsCodeApi = () => ({
  postMessage: (message) => window.toExtensionHost(message),
  getState: () => window.keptState,
  setState: (next) => {
    window.keptState = next;
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
