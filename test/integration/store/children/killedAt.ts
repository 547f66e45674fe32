import {
  callId,
  conversationId,
  type DurableEvent,
  newRunId,
  runId,
  systemClock,
} from '../../../../src/agentkit/index.ts';
import { openStore } from '../../../../src/infrastructure/store/openStore.ts';
import { storePaths } from '../../../../src/infrastructure/store/paths.ts';
import { type Migration, migrations } from '../../../../src/infrastructure/store/schema/migrations.ts';
import { loadSqlite } from '../../../../src/infrastructure/store/sqlite.ts';
import { StoreDatabase } from '../../../../src/infrastructure/store/storeDatabase.ts';
import { assistantMessage, toolMessage, userMessage } from '../../../contract/runStore.ts';
import { silentLog } from '../../../support/silentLog.ts';

/** Writes until the named point, or until the clock is read for the given time while a run starts, where the process is killed as a crash would end it. */
const [point = '', directory = '', conversation = '', run = '', reading = '0'] = process.argv.slice(2);
const die = (): void => void process.kill(process.pid, 'SIGKILL');

function database(steps: readonly Migration[]): StoreDatabase {
  const sqlite = loadSqlite();
  if (sqlite === undefined) throw new Error('this Node has no SQLite');
  return new StoreDatabase({
    sqlite,
    paths: storePaths(directory),
    migrations: steps,
    clock: systemClock,
    log: silentLog,
  });
}

const insertHost = "INSERT INTO hosts (id, revision, record) VALUES ('killed', 1, '{}')";
const event = (body: DurableEvent['body']): DurableEvent => ({
  runId: runId(run),
  conversationId: conversationId(conversation),
  seq: 1,
  at: 1,
  body,
});

async function main(): Promise<void> {
  const call = callId('call_1');
  switch (point) {
    case 'before commit':
      await database(migrations).write({ area: 'hosts' }, (connection) => {
        connection.run(insertHost);
        die();
      });
      return;
    case 'after commit':
      await database(migrations).write({ area: 'hosts', isDurable: true }, (connection) => {
        connection.run(insertHost);
      });
      return die();
    case 'inside a migration':
      await database([
        ...migrations,
        (connection) => {
          connection.exec('CREATE TABLE later (x TEXT); DELETE FROM conversations;');
          die();
        },
      ]).write({}, () => undefined);
      return;
    case 'after dispatch':
    case 'after the result': {
      const { runs } = openStore({ directory, clock: systemClock, windowId: 'killed', log: silentLog });
      const save = { runId: runId(run), conversationId: conversationId(conversation), startedAt: 1 };
      await runs.startRun(save);
      const assistant = assistantMessage(runId(run), [call]);
      await runs.saveRun({ ...save, state: 'callingTools', appended: [assistant] });
      await runs.recordEvent(
        event({
          kind: 'toolStarted',
          callId: call,
          toolName: 'ssh_exec_run',
          ground: { kind: 'proof' },
          mode: 'ask',
        }),
      );
      if (point === 'after the result')
        await runs.recordEvent(
          event({ kind: 'toolFinished', message: toolMessage(runId(run), call), outcome: 'succeeded' }),
        );
      return die();
    }
    case 'in the start of a run': {
      let readings = 0;
      const now = (): number => {
        if (readings > 0 && readings++ === Number(reading)) die();
        return systemClock.now();
      };
      const { runs } = openStore({
        directory,
        clock: { ...systemClock, now },
        windowId: 'killed',
        log: silentLog,
      });
      const prompt = userMessage(newRunId(), 'Implement it');
      readings = 1;
      await runs.startRun({
        runId: prompt.runId,
        conversationId: conversationId(conversation),
        startedAt: 1,
        appended: [prompt],
        implementedPlan: { runId: runId(run), callId: call },
      });
      return die();
    }
    default:
      throw new Error(`there is no point ${point}`);
  }
}

await main();
