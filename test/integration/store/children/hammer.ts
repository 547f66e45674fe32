import { randomUUID } from 'node:crypto';
import {
  conversationId,
  messageId,
  newRunId,
  systemClock,
  type UserMessage,
} from '../../../../src/agentkit/index.ts';
import { openStore } from '../../../../src/infrastructure/store/openStore.ts';
import { silentLog } from '../../../support/silentLog.ts';

/** Writes half of `count` messages to a conversation of its own and half to the inbox that all hammers share. */
const [directory = '', own = '', shared = '', count = '0'] = process.argv.slice(2);
const store = openStore({ directory, clock: systemClock, windowId: own, log: silentLog });
const runId = newRunId();

function message(text: string): UserMessage {
  return {
    role: 'user',
    id: messageId(randomUUID()),
    runId,
    createdAt: 1,
    text,
    images: [],
    origin: { kind: 'person' },
    context: {},
  };
}

const conversation = conversationId(own);
await store.runs.startRun({ runId, conversationId: conversation, startedAt: 1 });
for (let n = 0; n < Number(count) / 2; n++) {
  await store.runs.saveRun({
    runId,
    conversationId: conversation,
    startedAt: 1,
    state: 'writing',
    appended: [message(`${n}`)],
  });
  await store.runs.enqueue(conversationId(shared), message(`${own} ${n}`));
}
store.dispose();
