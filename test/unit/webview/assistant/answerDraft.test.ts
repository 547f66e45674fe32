import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { problemWithAnswers, type UserQuestion } from '../../../../src/agentkit/index.ts';
import type { AskedQuestion } from '../../../../src/webview/assistant/protocol.ts';
import {
  answersOf,
  noAnswer,
  withOption,
  withOwn,
  withText,
  type AnswerDraft,
} from '../../../../src/webview/assistant/state/answerDraft.ts';

function asked(parts: Partial<AskedQuestion> = {}): AskedQuestion {
  const option = (id: string) => ({ id, label: id, description: '', recommended: false });
  return {
    id: 'q',
    header: '',
    prompt: 'Which?',
    options: [option('a'), option('b')],
    isMultiple: false,
    allowsOwnWords: true,
    placeholder: '',
    ...parts,
  };
}

const on = (id: string) => ({ id, isOn: true });

describe('what is filled into a question', () => {
  it('nothing is no answer', () => {
    assert.deepEqual(answersOf([asked()], []), []);
  });

  it('one of several replaces the other, and own words', () => {
    const question = asked();
    const first = withOption(question, withText(question, noAnswer, 'else'), on('a'));
    const second = withOption(question, first, on('b'));
    assert.deepEqual(answersOf([question], [second]), [{ questionId: 'q', selectedOptionIds: ['b'] }]);
  });

  it('own words replace the choice, and blank ones are none', () => {
    const question = asked();
    const draft = withText(question, withOption(question, noAnswer, on('a')), ' my own ');
    assert.deepEqual(answersOf([question], [draft]), [
      { questionId: 'q', selectedOptionIds: [], customText: 'my own' },
    ]);
    assert.deepEqual(answersOf([question], [withText(question, draft, '  ')]), []);
  });

  it('where several may be chosen they come as they were offered, own words with them', () => {
    const question = asked({ isMultiple: true });
    const chosen = withOption(question, withOption(question, noAnswer, on('b')), on('a'));
    assert.deepEqual(answersOf([question], [withText(question, chosen, 'and c')]), [
      { questionId: 'q', selectedOptionIds: ['a', 'b'], customText: 'and c' },
    ]);
    const fewer = withOption(question, chosen, { id: 'b', isOn: false });
    assert.deepEqual(answersOf([question], [fewer]), [{ questionId: 'q', selectedOptionIds: ['a'] }]);
  });

  it('of another card is nothing here', () => {
    const draft = { selected: ['gone'], isOwn: true, text: 'x' };
    assert.deepEqual(answersOf([asked({ allowsOwnWords: false })], [draft]), []);
  });

  it('is something that the model’s question takes, whatever is pressed', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('option'), id: fc.constantFrom('a', 'b'), isOn: fc.boolean() }),
      fc.record({ kind: fc.constant('own'), isOwn: fc.boolean() }),
      fc.record({ kind: fc.constant('text'), text: fc.string({ maxLength: 8 }) }),
    );
    const shape = fc.record({
      isMultiple: fc.boolean(),
      allowsOwnWords: fc.boolean(),
      hasOptions: fc.boolean(),
    });
    fc.assert(
      fc.property(shape, fc.array(step), ({ hasOptions, ...parts }, steps) => {
        const question = asked({
          ...parts,
          ...(!hasOptions && { options: [], allowsOwnWords: true, isMultiple: false }),
        });
        let draft: AnswerDraft = noAnswer;
        for (const each of steps) {
          if ('id' in each) draft = hasOptions ? withOption(question, draft, each) : draft;
          else if ('isOwn' in each) draft = withOwn(question, draft, each.isOwn);
          else draft = withText(question, draft, each.text);
        }
        const original: UserQuestion = {
          id: question.id,
          prompt: question.prompt,
          options: question.options,
          multiSelect: question.isMultiple,
          allowCustom: question.allowsOwnWords,
        };
        const answers = answersOf([question], [draft]).map(({ customText, ...answer }) => ({
          ...answer,
          ...(customText !== undefined && { customText }),
        }));
        assert.equal(problemWithAnswers([original], answers), undefined);
      }),
    );
  });
});
