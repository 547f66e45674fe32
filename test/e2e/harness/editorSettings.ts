/** User settings that keep a run quiet, offline and its page readable for a test. */
export const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  // A modal editor would lie over the page and swallow F1.
  'workbench.editor.useModal': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  // Listeners of other tests on this machine would raise notifications.
  'remote.autoForwardPorts': false,
  'remote.restoreForwardedPorts': false,
  // Terminal text is then in the page and not on a canvas.
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.enablePersistentSessions': false,
  'window.confirmBeforeClose': 'never',
  'window.restoreWindows': 'none',
  'files.hotExit': 'off',
} as const;

/** Colour themes of both editor lines, and the class that the workbench has while one is shown. */
export const themes = {
  dark: { setting: 'Default Dark Modern', pageClass: 'vs-dark' },
  light: { setting: 'Default Light Modern', pageClass: 'vs' },
  highContrast: { setting: 'Default High Contrast', pageClass: 'hc-black' },
  highContrastLight: { setting: 'Default High Contrast Light', pageClass: 'hc-light' },
} as const;
export type Theme = keyof typeof themes;
