import type { Connection } from 'ssh2';

/** What the library keeps to itself. */
interface Sender {
  readonly _packetRW: {
    readonly write: { readonly allocStart: number; finalize: (packet: Buffer) => Buffer };
  };
  requestSuccess(data: Buffer): void;
}

/**
 * Sends one message of any type from a server of the library, at any time. The library has no way to send a type that it has no name
 * for: one of its own gets another type on its way. `body` is everything behind the type.
 */
export function sendMessage(client: Connection, type: number, body: Buffer): void {
  const protocol: unknown = Reflect.get(client, '_protocol');
  if (!isSender(protocol)) throw new Error('the library has changed');
  const { write } = protocol._packetRW;
  const { finalize } = write;
  write.finalize = (packet) => {
    packet[write.allocStart] = type;
    write.finalize = finalize;
    return finalize.call(write, packet);
  };
  protocol.requestSuccess(body);
}

function isSender(value: unknown): value is Sender {
  return typeof value === 'object' && value !== null && '_packetRW' in value && 'requestSuccess' in value;
}
