'use strict';
const { EventEmitter, lm } = require('vscode');

/**
 * Chat models for tests in the extension host. Whoever activates this extension gets the script: `models` is what the editor is offered,
 * `answer` answers every request and `requests` keeps what was asked, oldest first.
 */
exports.activate = (context) => {
  const changed = new EventEmitter();
  const script = {
    models: [],
    requests: [],
    answer: async () => {},
    /** What the editor says of access to models. */
    access: context.languageModelAccessInformation,
    /** Tells the editor that `models` changed. */
    change: () => changed.fire(),
  };
  context.subscriptions.push(
    changed,
    lm.registerLanguageModelChatProvider('termind-lab', {
      onDidChangeLanguageModelChatInformation: changed.event,
      provideLanguageModelChatInformation: () => script.models,
      provideLanguageModelChatResponse: (model, messages, options, progress, token) => {
        script.requests.push({ model: model.id, messages, options });
        return script.answer(progress, token);
      },
      provideTokenCount: (_model, text) => (typeof text === 'string' ? text.length : 1),
    }),
  );
  return script;
};
