import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { presentFailure } from '../../../../src/features/assistant/presentation/failure.ts';
import { endTexts, texts } from './support.ts';

describe('why a run failed', () => {
  for (const [code, facts, text, action] of [
    [
      'modelOtherService',
      { detail: 'an answer of type text/html' },
      'What answers at the address of the model is not a model. Check the address in the settings of the model.',
      'openSettings',
    ],
    [
      'modelNotFound',
      { detail: '', status: '404' },
      'The provider does not know this model or address. Check the settings of the model.',
      'openSettings',
    ],
    [
      'modelMalformed',
      { detail: 'an answer whose compression is broken' },
      'The answer of the model could not be read. Try again, or choose another model.',
      'retry',
    ],
  ] as const)
    it(`${code} says what to do, in no words of an SDK`, () => {
      const shown = presentFailure({ code, facts, message: 'for the log' }, endTexts.failures, texts);
      assert.deepEqual([shown.text, shown.action?.id], [text, action]);
    });
});
