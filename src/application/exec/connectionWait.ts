import type { ClockPort } from '../../agentkit/index.ts';
import { deadline } from './deadline.ts';
import { ExecRefusedError } from './execRefused.ts';

/** A caller of an agent tool stops waiting for prompts after this. Source: ssh.md 1.3. */
const connectionWaitMinutes = 5;

/** Connects for a tool. Settles as `connect` does, and rejects with `connectionWait` when it took too long. */
export async function withinConnectionWait<T>(
  clock: ClockPort,
  connect: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const limit = deadline(clock, { delayMs: connectionWaitMinutes * 60_000, what: 'connecting' }, signal);
  try {
    return await connect(limit.signal);
  } catch (error) {
    if (limit.isOver)
      throw new ExecRefusedError('connectionWait', { minutes: String(connectionWaitMinutes) }, error);
    throw error;
  } finally {
    limit.dispose();
  }
}
