import { randomUUID } from 'node:crypto';
import { conversationId, systemClock, type ModelStreamPort } from '../../../src/agentkit/index.ts';
import { openStore } from '../../../src/infrastructure/store/openStore.ts';
import { silentLog } from '../../support/silentLog.ts';
import { compactingModel, isSummaryRequest } from '../../unit/agentkit/support/compactingModel.ts';
import { answer } from '../../unit/agentkit/support/scriptedStream.ts';
import { pages, readingRun } from './compactingScene.ts';

/**
 * A window that reads page after page into a small context and is killed by itself: `summary` = when the summary is asked for,
 * `record` = when it is stored and the next request was not made yet.
 */
const [point = '', directory = '', conversation = ''] = process.argv.slice(2);
const die = (): void => void process.kill(process.pid, 'SIGKILL');

const store = openStore({ directory, windowId: randomUUID(), clock: systemClock, log: silentLog });
const stored = await store.runs.load(conversationId(conversation));
if (stored === undefined) throw new Error('there is no such conversation');
const scripted = compactingModel(
  { turns: pages(8), summaries: [answer('## Goal\nRead it all.')] },
  { contextWindow: 40_000 },
);
const model: ModelStreamPort = {
  ...scripted,
  stream(request, signal) {
    if (point === 'summary' && isSummaryRequest(request)) die();
    return scripted.stream(request, signal);
  },
};
const prompt = 'Read it all, but never restart prod-db';
const runtime = readingRun({ stored, store: store.runs, model, directory, prompt });
runtime.onEvent(({ body }) => {
  if (body.kind === 'compactionFinished') die();
});
await runtime.run();
