import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { callId, newRunId } from '../../../../../src/agentkit/index.ts';
import {
  joined,
  messageText,
  separated,
} from '../../../../../src/infrastructure/store/search/messageText.ts';
import { assistantMessage, toolMessage, userMessage } from '../../../../contract/runStore.ts';

const run = newRunId();
const result = (text: string, toolName = 'ssh_exec_run'): string =>
  messageText({ ...toolMessage(run, callId('c'), text), toolName });
const enveloped = (json: unknown): string =>
  result(`<untrusted-data>\n${JSON.stringify(json)}\n</untrusted-data>`);

describe('the text of a message', () => {
  it('of a person and of the model is what they wrote', () => {
    assert.equal(messageText(userMessage(run, 'Why?\nTell me.')), 'Why?\nTell me.');
    assert.equal(messageText(assistantMessage(run, [callId('c')], 'I look.')), 'I look.');
    assert.equal(messageText(assistantMessage(run, [callId('c')])), '');
  });

  it('of a result is what the result says, a line a value', () => {
    assert.equal(
      enveloped({
        exit_code: 0,
        output: 'a\nb',
        host: { label: 'db1' },
        tags: ['x', 'y'],
        none: null,
        empty: '',
      }),
      'exit_code: 0\noutput: a\nb\nlabel: db1\ntags: x\ntags: y',
    );
    assert.equal(
      enveloped({ entries: [{ name: 'a', size: 1 }, { name: 'b' }] }),
      'name: a\nsize: 1\nname: b',
    );
  });

  it('of a failure is its sentence', () => {
    assert.equal(result('The host did not answer.'), 'The host did not answer.');
  });

  it('of an answer with a handle is nothing', () => {
    assert.equal(result('{"handle":"x"}', 'request_user_secret'), '');
  });

  it('holds no control characters but those that lay out lines', () => {
    assert.equal(messageText(userMessage(run, 'a\u001Fb\u0000c\td\r\n')), 'a b c\td\r\n');
  });
});

describe('separated text', () => {
  it('makes each character of a script without spaces a word', () => {
    assert.equal(separated('检查磁盘db1').replaceAll('\u001F', '|'), '|检|查|磁|盘|db1');
    assert.equal(separated('load of db1'), 'load of db1');
    assert.equal(separated('ไม่').replaceAll('\u001F', '|'), '|ไ|ม่|');
  });

  it('gives the text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        const text = messageText(userMessage(run, raw));
        assert.equal(joined(separated(text)), text);
      }),
    );
  });
});
