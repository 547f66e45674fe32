import type { Connection } from '../connection.ts';
import { authorities } from './authorities.ts';
import { conversationPlace } from './conversationPlace.ts';
import { firstSchema } from './firstSchema.ts';
import { forwardLeases } from './forwardLeases.ts';
import { plansAndFacts } from './plansAndFacts.ts';
import { requestLog } from './requestLog.ts';
import { grants } from './grants.ts';
import { hostCertificates } from './hostCertificates.ts';
import { operations } from './operations.ts';
import { messageTexts } from './messageTexts.ts';
import { transfers } from './transfers.ts';
import { trustAudit } from './trustAudit.ts';

/** One step of the schema. Runs inside a write transaction; what it throws undoes all of it. */
export type Migration = (connection: Connection) => void;

/**
 * The step at index n takes the schema from version n to n + 1. A published step never changes; a new version is a new step here
 * and a new dump under `test/integration/store/versions/`.
 */
export const migrations: readonly Migration[] = [
  (connection) => connection.exec(firstSchema),
  (connection) => connection.exec(plansAndFacts),
  (connection) => connection.exec(messageTexts),
  (connection) => connection.exec(requestLog),
  (connection) => connection.exec(forwardLeases),
  (connection) => connection.exec(trustAudit),
  (connection) => connection.exec(authorities),
  (connection) => connection.exec(hostCertificates),
  (connection) => connection.exec(operations),
  (connection) => connection.exec(grants),
  (connection) => connection.exec(conversationPlace),
  (connection) => connection.exec(transfers),
];
