'use strict';
const { commands } = require('vscode');

/** The least an extension can do: what an activation costs in this editor on this machine. */
exports.activate = (context) => {
  context.subscriptions.push(commands.registerCommand('empty.activate', () => undefined));
};
