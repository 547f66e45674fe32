/** User settings that keep a run quiet, offline and its page readable for a test. */
export const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  // A modal editor would lie over the page and swallow F1.
  'workbench.editor.useModal': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  // Pictures are taken in several themes: the window follows what the browser says of the system.
  'window.autoDetectColorScheme': true,
  'window.autoDetectHighContrast': true,
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

/** Colour themes: what the person's system prefers, and the class that the workbench has while it follows. */
export const themes = {
  dark: { media: { colorScheme: 'dark', forcedColors: 'none' }, pageClass: 'vs-dark' },
  light: { media: { colorScheme: 'light', forcedColors: 'none' }, pageClass: 'vs' },
  highContrast: { media: { colorScheme: 'dark', forcedColors: 'active' }, pageClass: 'hc-black' },
  highContrastLight: { media: { colorScheme: 'light', forcedColors: 'active' }, pageClass: 'hc-light' },
} as const;
export type Theme = keyof typeof themes;
