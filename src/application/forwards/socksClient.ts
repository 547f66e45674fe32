import type { Duplex } from 'node:stream';
import { untilAborted, type ClockPort } from '../../agentkit/index.ts';
import { isTermindError } from '../../domain/fault.ts';
import {
  longestSocksMessage,
  readSocks,
  socksGranted,
  socksRefused,
  type SocksRefusal,
} from '../../domain/forward/socks.ts';

/** Where a client wants to go, and how it is told what became of it. */
export interface SocksRequest {
  readonly host: string;
  readonly port: number;
  granted(): void;
  /** Tells the client and ends the stream. */
  refused(error: unknown): void;
}

/** A client that says nothing is not waited for longer. */
const greetingMs = 30_000;

/**
 * Speaks SOCKS with a client until it has named its destination; what it sent beyond that is still to be read. Undefined when it is no
 * client of ours, left, or took too long: then it was told, and destroyed. Source: ssh.md 6; RFC 1928.
 */
export async function socksRequest(
  client: Duplex,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<SocksRequest | undefined> {
  const late = clock.after(greetingMs, () => client.destroy());
  try {
    return await untilAborted(negotiate(client), signal);
  } catch {
    client.destroy();
    return undefined;
  } finally {
    late.dispose();
  }
}

async function negotiate(client: Duplex): Promise<SocksRequest | undefined> {
  let bytes: Uint8Array = new Uint8Array(0);
  for (let hasGreeted = false; ;) {
    const step = readSocks(bytes, hasGreeted);
    switch (step.k) {
      case 'more': {
        const more = bytes.length > longestSocksMessage ? undefined : await nextBytes(client);
        if (more === undefined) {
          client.destroy();
          return undefined;
        }
        bytes = joined(bytes, more);
        break;
      }
      case 'greeted':
        client.write(step.reply);
        bytes = bytes.subarray(step.used);
        hasGreeted = true;
        break;
      case 'refused':
        farewell(client, step.reply);
        return undefined;
      case 'connect': {
        const { version, host, port, used } = step;
        if (used < bytes.length) client.unshift(bytes.subarray(used));
        return {
          host,
          port,
          granted: () => void client.write(socksGranted(version)),
          refused: (error) => farewell(client, socksRefused(version, refusalOf(error))),
        };
      }
    }
  }
}

/** What has arrived, as soon as there is something; undefined at the end. */
async function nextBytes(client: Duplex): Promise<Uint8Array | undefined> {
  for (;;) {
    const bytes: unknown = client.read();
    if (bytes instanceof Uint8Array) return bytes;
    if (client.readableEnded || client.destroyed) return undefined;
    await new Promise<void>((resolve) => {
      const events = ['readable', 'end', 'close'] as const;
      const done = (): void => {
        for (const event of events) client.off(event, done);
        resolve();
      };
      for (const event of events) client.on(event, done);
    });
  }
}

/** The client has its answer before the stream goes. */
function farewell(client: Duplex, reply: Uint8Array | undefined): void {
  client.on('error', () => {});
  if (reply === undefined) client.destroy();
  else client.end(reply, () => client.destroy());
}

function refusalOf(error: unknown): SocksRefusal {
  if (!isTermindError(error)) return 'failed';
  const { code, facts } = error.fault;
  if (code === 'refused') return 'connectFailed';
  if (code !== 'forward-refused') return 'unreachable';
  return facts['reason'] === 'prohibited' || facts['reason'] === 'notPermitted'
    ? 'notAllowed'
    : facts['reason'] === 'connectFailed'
      ? 'connectFailed'
      : 'failed';
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
