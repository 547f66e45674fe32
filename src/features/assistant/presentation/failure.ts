import type { RunFailure, RunFailureCode } from '../../../agentkit/index.ts';
import type { NoticeAction, NoticeButton } from '../../../webview/assistant/protocol.ts';
import type { AssistantTexts, Localiser } from './texts.ts';

type Facts = Readonly<Record<string, string>>;

/** Why a run failed, for a person: cause, then the next step. The compiler keeps the table complete. */
export function failureTexts(l10n: Localiser): Record<RunFailureCode, (facts: Facts) => string> {
  return {
    modelNetwork: () =>
      l10n.t('The model could not be reached. Check your network and the address of the model.'),
    modelTimeout: (f) =>
      l10n.t('The model sent nothing for {0} s. Try again, or choose another model.', at(f, 'seconds')),
    modelUnauthorized: () => l10n.t('The model provider refused the key. Set a valid one.'),
    modelRateLimited: () =>
      l10n.t('The model provider accepts no further requests for now. Wait a while, then try again.'),
    modelRetryTooLong: (f) =>
      l10n.t(
        'The model provider asks to wait {0} s. Try again after that, or choose another model.',
        at(f, 'seconds'),
      ),
    modelOverloaded: () => l10n.t('The model provider is overloaded or failed. Try again in a moment.'),
    modelContextLength: () =>
      l10n.t('The conversation is longer than the model can read. Start a new one, or choose another model.'),
    modelBadRequest: (f) =>
      l10n.t('The model provider refused the request{0}. Check the settings of the model.', quoted(f)),
    modelNotFound: (f) =>
      l10n.t(
        'The provider does not know this model or address{0}. Check the settings of the model.',
        quoted(f),
      ),
    modelMalformed: () =>
      l10n.t('The answer of the model could not be read. Try again, or choose another model.'),
    modelOtherService: () =>
      l10n.t(
        'What answers at the address of the model is not a model. Check the address in the settings of the model.',
      ),
    modelEndedEarly: () =>
      l10n.t('The answer of the model ended before it was complete. Nothing was lost; try again.'),
    modelNotPermitted: () =>
      l10n.t(
        'Termind may not use this model. Allow it under "Manage Language Model Access" of the editor, or choose another model.',
      ),
    modelBlocked: (f) =>
      l10n.t(
        'The editor blocks this model for now{0}, for example because a quota is used up. Choose another model, or try again later.',
        quoted(f),
      ),
    modelWithdrawn: () => l10n.t('The editor no longer offers this model. Choose another one.'),
    modelError: () => l10n.t('The model ended its answer with an error. Try again.'),
    outputLimit: () =>
      l10n.t(
        'The answer was cut off by the output limit of the model. Ask for smaller steps, or choose another model.',
      ),
    storeFailed: (f) => l10n.t('The conversation could not be saved: {0} Try again.', at(f, 'reason')),
    leaseLost: () => l10n.t('Another window took over this conversation. Wait until it has finished there.'),
    loopStopped: (f) =>
      l10n.t(
        'The same calls gave the same results {0} times in a row, so Termind stopped. Ask differently.',
        at(f, 'repeats'),
      ),
    ceilingReached: (f) =>
      l10n.t(
        'The ceiling of {0} {1} for one run was reached. Try again to go on.',
        at(f, 'limit'),
        at(f, 'unit'),
      ),
    internal: (f) => l10n.t('Something went wrong inside Termind: {0}', at(f, 'reason')),
  };
}

const actions: Record<RunFailureCode, NoticeAction | undefined> = {
  modelNetwork: 'retry',
  modelTimeout: 'retry',
  modelUnauthorized: 'setKey',
  modelRateLimited: 'retry',
  modelRetryTooLong: 'pickModel',
  modelOverloaded: 'retry',
  modelContextLength: 'newConversation',
  modelBadRequest: 'openSettings',
  modelNotFound: 'openSettings',
  modelMalformed: 'retry',
  modelOtherService: 'openSettings',
  modelEndedEarly: 'retry',
  modelNotPermitted: 'pickModel',
  modelBlocked: 'pickModel',
  modelWithdrawn: 'pickModel',
  modelError: 'retry',
  outputLimit: 'retry',
  storeFailed: 'retry',
  leaseLost: undefined,
  loopStopped: undefined,
  ceilingReached: 'retry',
  internal: 'showLog',
};

/** The sentence and the button of a failed run. A code that is not known here keeps its English sentence. */
export function presentFailure(
  failure: RunFailure,
  sentences: ReturnType<typeof failureTexts>,
  texts: AssistantTexts,
): { readonly text: string; readonly action: NoticeButton | undefined } {
  if (!isKnown(failure.code, sentences))
    return { text: failure.message, action: noticeButton('retry', texts) };
  const action = actions[failure.code];
  return {
    text: sentences[failure.code](failure.facts),
    action: action === undefined ? undefined : noticeButton(action, texts),
  };
}

export function noticeButton(id: NoticeAction, texts: AssistantTexts): NoticeButton {
  const labels: Record<NoticeAction, string> = {
    retry: texts.retry(),
    suggestCheck: texts.suggestCheck(),
    addProvider: texts.addProvider(),
    setKey: texts.setKey(),
    pickModel: texts.pickModel(),
    pickReviewModel: texts.pickReviewModel(),
    openSettings: texts.openSettings(),
    setPrice: texts.setPrice(),
    clearScratch: texts.clearScratch(),
    newConversation: texts.startNew(),
    showLog: texts.showLog(),
  };
  return { id, label: labels[id] };
}

function isKnown(code: string, sentences: ReturnType<typeof failureTexts>): code is RunFailureCode {
  return Object.hasOwn(sentences, code);
}

function at(facts: Facts, name: string): string {
  return facts[name] ?? '';
}

/** What the provider said, quoted and on one line, with a leading blank; empty when it said nothing. */
function quoted(facts: Facts): string {
  const detail = at(facts, 'detail').replace(/\s+/g, ' ').trim();
  return detail === '' ? '' : ` (“${detail}”)`;
}
