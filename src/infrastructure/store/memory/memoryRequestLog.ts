import type { ConversationId, Message } from '../../../agentkit/index.ts';
import type {
  LogEntry,
  LogPart,
  PartRange,
  RequestLogPort,
  StoredLogEntry,
} from '../../../application/ports/requestLog.ts';
import { localFault } from '../../../domain/fault.ts';
import { toRanges } from '../logEntries.ts';

/** Source: decisions 16. */
const limitBytes = 64 * 1024 * 1024;

interface KeptEntry extends StoredLogEntry {
  /** The newest part there was. */
  readonly lastPart: number;
  readonly bytes: number;
}

interface ConversationLog {
  entries: KeptEntry[];
  /** Oldest first. */
  readonly parts: Map<number, LogPart>;
  readonly numbers: Map<string, number>;
  bytes: number;
}

/** Request logs until the window closes. The same contract as on disk. */
export class MemoryRequestLog implements RequestLogPort {
  readonly #maxBytes: number;
  readonly #exists: (id: ConversationId) => boolean;
  readonly #logs = new Map<ConversationId, ConversationLog>();
  #lastNumber = 0;

  constructor(options: {
    readonly exists: (id: ConversationId) => boolean;
    readonly maxBytes?: number | undefined;
  }) {
    this.#exists = options.exists;
    this.#maxBytes = options.maxBytes ?? limitBytes;
  }

  async keep(id: ConversationId, parts: readonly LogPart[]): Promise<readonly number[]> {
    const log = this.#of(id);
    return parts.map((part) => {
      const known = log.numbers.get(part.hash);
      if (known !== undefined) return known;
      const number = ++this.#lastNumber;
      log.parts.set(number, part);
      log.numbers.set(part.hash, number);
      log.bytes += Buffer.byteLength(part.body);
      return number;
    });
  }

  async add(id: ConversationId, entry: LogEntry, parts: readonly number[]): Promise<boolean> {
    const log = this.#of(id);
    if (!parts.every((number) => log.parts.has(number))) return false;
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    const lastPart = [...log.parts.keys()].at(-1) ?? 0;
    log.entries.push({ entry: structuredClone(entry), parts: toRanges(parts), lastPart, bytes });
    log.bytes += bytes;
    for (const number of log.parts.keys()) {
      if (log.bytes <= this.#maxBytes) break;
      removePart(log, number);
      removeEntries(log, ({ lastPart: last }) => last <= number);
    }
    return true;
  }

  async *entries(id: ConversationId): AsyncGenerator<StoredLogEntry, void, undefined> {
    for (const { entry, parts } of this.#logs.get(id)?.entries ?? []) yield { entry, parts };
  }

  async *parts(
    id: ConversationId,
    [from, to]: PartRange,
  ): AsyncGenerator<
    { readonly number: number; readonly hash: string; readonly body: string },
    void,
    undefined
  > {
    for (const [number, { hash, body }] of this.#logs.get(id)?.parts ?? [])
      if (number >= from && number <= to) yield { number, hash, body };
  }

  /** Forgets what carries these messages; without them, all of the conversation. */
  forget(id: ConversationId, messages?: readonly Message[]): void {
    const log = this.#logs.get(id);
    if (messages === undefined) this.#logs.delete(id);
    if (messages === undefined || log === undefined) return;
    const since = Math.min(...messages.map(({ createdAt }) => createdAt));
    const ids = new Set<string>(messages.map((message) => message.id));
    removeEntries(log, ({ entry }) => entry.at >= since);
    const last = Math.max(0, ...log.entries.map(({ lastPart }) => lastPart));
    for (const [number, { itemId }] of log.parts)
      if (number > last || ids.has(itemId)) removePart(log, number);
  }

  #of(id: ConversationId): ConversationLog {
    if (!this.#exists(id)) throw localFault('stale-write');
    const log = this.#logs.get(id) ?? { entries: [], parts: new Map(), numbers: new Map(), bytes: 0 };
    this.#logs.set(id, log);
    return log;
  }
}

function removePart(log: ConversationLog, number: number): void {
  const part = log.parts.get(number);
  if (part === undefined) return;
  log.parts.delete(number);
  log.numbers.delete(part.hash);
  log.bytes -= Buffer.byteLength(part.body);
}

function removeEntries(log: ConversationLog, isGone: (entry: KeptEntry) => boolean): void {
  for (const entry of log.entries) if (isGone(entry)) log.bytes -= entry.bytes;
  log.entries = log.entries.filter((entry) => !isGone(entry));
}
