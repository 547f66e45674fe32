import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Emitter } from '../../../../src/agentkit/index.ts';
import type { PageOrder } from '../../../../src/application/ports/pages.ts';
import type { PageDocument } from '../../../../src/domain/page/pageDocument.ts';
import { PageSession } from '../../../../src/features/pages/pageSession.ts';
import type { ToPage } from '../../../../src/webview/pages/protocol.ts';
import { recordingLog } from '../../../support/silentLog.ts';

const strings = {
  ...{
    copy: '',
    copyAsText: '',
    reload: '',
    loading: '',
    filter: '',
    shown: '',
    nothingFound: '',
    showMore: '',
  },
};
const documentOf = (title: string): PageDocument => ({
  title,
  notices: [{ tone: 'bad', text: 'x', buttons: [{ label: 'Fix', action: 'fix' }] }],
  sections: [{ title: 's', blocks: [{ k: 'code', label: 'l', text: 'code' }] }],
});
const hello = { kind: 'hello', protocol: 1 };

function sessionOf(load: PageOrder['load']) {
  const posted: string[] = [];
  const acts: string[] = [];
  const copied: string[] = [];
  const changed = new Emitter<void>();
  const log = recordingLog();
  const session = new PageSession(
    {
      ...{ kind: 'k', key: '1', tabTitle: 'Tab', icon: 'info', load, onDidChange: changed.event },
      act: async (action) => void acts.push(action),
    },
    {
      post: (message: ToPage) =>
        void posted.push(message.kind === 'show' ? `show ${message.document.title}` : message.kind),
      copy: async (text) => void copied.push(text),
      strings,
      copied: 'Copied.',
      describeError: (error) => (error instanceof Error ? error.message : 'failed'),
      log,
    },
  );
  return { session, posted, acts, copied, changed, log };
}

describe('an open page', () => {
  it('loads when the page says hello, and again when asked and after a change', async () => {
    let loads = 0;
    const { session, posted, changed } = sessionOf(async () => documentOf(String(++loads)));
    await session.reload('asked');
    assert.deepEqual(posted, []);
    await session.receive(hello);
    await session.receive({ kind: 'reload' });
    changed.fire();
    await new Promise(setImmediate);
    assert.deepEqual(posted, ['loading', 'show 1', 'loading', 'show 2', 'loading', 'show 3']);
  });

  it('says whether the person asked, and loads nothing while it is hidden', async () => {
    const causes: string[] = [];
    const { session, changed } = sessionOf(async (_signal, cause) => {
      causes.push(cause);
      return documentOf('t');
    });
    await session.receive(hello);
    await session.receive({ kind: 'reload' });
    session.setVisible(false);
    changed.fire();
    session.setVisible(true);
    await session.receive(hello);
    changed.fire();
    await new Promise(setImmediate);
    assert.deepEqual(causes, ['asked', 'asked', 'again', 'again']);
  });

  it('drops a load that a later one has overtaken, and aborts it', async () => {
    const answers: ((document: PageDocument) => void)[] = [];
    const signals: AbortSignal[] = [];
    const { session, posted } = sessionOf((signal) => {
      signals.push(signal);
      return new Promise((resolve) => answers.push(resolve));
    });
    const first = session.receive(hello);
    const second = session.reload('asked');
    answers[1]?.(documentOf('late one'));
    answers[0]?.(documentOf('early one'));
    await Promise.all([first, second]);
    assert.deepEqual(
      [posted.at(-1), signals.map(({ aborted }) => aborted)],
      ['show late one', [true, false]],
    );
  });

  it('shows why it could not be loaded', async () => {
    const { session, posted, log } = sessionOf(() => Promise.reject(new Error('no')));
    await session.receive(hello);
    assert.deepEqual(posted, ['loading', 'show Tab']);
    assert.equal(log.lines.length, 1);
  });

  it('gives back only what the shown document offers', async () => {
    const { session, acts, copied } = sessionOf(async () => documentOf('t'));
    await session.receive({ kind: 'act', action: 'fix' });
    await session.receive(hello);
    for (const action of ['fix', 'rm']) await session.receive({ kind: 'act', action });
    for (const index of [0, 1]) await session.receive({ kind: 'copyCode', index });
    await session.receive({ kind: 'copyAll' });
    assert.deepEqual([acts, copied], [['fix'], ['code', 't\nx\n\ns\n-\nl:\n  code\n']]);
  });

  it('drops what is no message of the protocol, without its content', async () => {
    const { session, posted, log } = sessionOf(async () => documentOf('t'));
    for (const raw of [
      undefined,
      'hello',
      { kind: 'hello', protocol: 2 },
      { kind: 'act' },
      { kind: 'act', action: 'x'.repeat(5_000) },
      { kind: 'copyCode', index: -1 },
      { ...hello, more: 1 },
    ])
      await session.receive(raw);
    assert.deepEqual(posted, []);
    assert.equal(log.lines.length, 7);
    assert.ok(log.lines.every((line) => line.endsWith('a message of a page was dropped')));
  });

  it('is quiet once it is closed', async () => {
    const { session, posted, changed } = sessionOf(async () => documentOf('t'));
    await session.receive(hello);
    session.dispose();
    changed.fire();
    await session.reload('asked');
    assert.deepEqual(posted, ['loading', 'show t']);
  });
});
